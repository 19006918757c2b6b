// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault } from '@writ/contract';
import { Readiness, type ReadinessReport } from '@writ/nest-kit';
import { ProtectedResource, type ProtectedResourceMetadata } from '../../edge/access/oauth/protected-resource.ts';
import { MCP_PATH } from '../../store/identities/identities.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Published } from '../../edge/published-keys.ts';
import { Route } from '../../edge/requests/route.ts';
import { SYSTEM } from './routes.ts';
import { ApiDocument } from '../../edge/openapi/document.ts';

/** Routes that need no key. */
@Controller()
export class SystemController {
  constructor(
    private readonly readiness: Readiness,
    private readonly document: ApiDocument,
    private readonly published: Published,
    private readonly resource: ProtectedResource,
  ) {}

  @Route(SYSTEM.health)
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Route(SYSTEM.ready)
  async ready(@InExchange() exchange: Exchange): Promise<ReadinessReport> {
    const report = await this.readiness.look();
    if (!report.ready) exchange.setStatus(503);
    return report;
  }

  @Route(SYSTEM.document)
  openapi(): object {
    return this.document.json;
  }

  @Route(SYSTEM.keys)
  keys(): object {
    return this.published.keys;
  }

  @Route(SYSTEM.resource)
  protectedResource(): ProtectedResourceMetadata {
    return found(this.resource.metadata(''));
  }

  @Route(SYSTEM.mcpResource)
  protectedMcpResource(): ProtectedResourceMetadata {
    return found(this.resource.metadata(MCP_PATH));
  }
}

function found(metadata: ProtectedResourceMetadata | null): ProtectedResourceMetadata {
  if (metadata === null) throw new Fault('not_found');
  return metadata;
}
