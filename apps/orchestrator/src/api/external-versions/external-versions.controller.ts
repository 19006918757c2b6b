// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { ExternalVersionView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { EXTERNAL_VERSIONS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

@Controller()
export class ExternalVersionsController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(EXTERNAL_VERSIONS.list)
  list(
    @RequestInput() { caller, query }: RequestInputOf<typeof EXTERNAL_VERSIONS.list>,
  ): Promise<{ items: ExternalVersionView[]; next_cursor: string | null }> {
    return this.kernel.ask('external_version.list', caller, { page: pageOf(query), ref: query.ref ?? null });
  }

  @Route(EXTERNAL_VERSIONS.set)
  set(@RequestInput() { caller, body }: RequestInputOf<typeof EXTERNAL_VERSIONS.set>): Promise<ExternalVersionView> {
    return this.kernel.ask('external_version.set', caller, body);
  }
}
