// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, type ErasurePlan, type ErasureView, type RetentionView } from '@writ/contract';
import { Asked } from '../http/asked.ts';
import { InExchange, type Exchange } from '../http/exchange.ts';
import { pageOf } from '../http/fields.ts';
import { Route, type AskedOf } from '../http/route.ts';
import { ERASURES } from '../http/routes/index.ts';
import { KernelClient } from '../support/kernel-client.ts';

@Controller()
export class ErasuresController {
  constructor(private readonly kernel: KernelClient) {}

  @Route(ERASURES.begin)
  async begin(@Asked() { caller, body }: AskedOf<typeof ERASURES.begin>, @InExchange() exchange: Exchange): Promise<ErasureView | ErasurePlan> {
    const selectors = { operation_id: body.operation_id ?? null, session_id: body.session_id ?? null, subject: body.subject ?? null, before: body.before === undefined ? null : momentOf(body.before) };
    if (body.dry_run === true) return await this.kernel.ask('erasure.plan', caller, selectors);
    const erasure = await this.kernel.ask('erasure.begin', caller, { ...selectors, reason_code: body.reason_code });
    if (erasure.state === 'running') exchange.setStatus(202);
    exchange.setHeader('location', `/v1/erasures/${erasure.erasure_id}`);
    return erasure;
  }

  @Route(ERASURES.list)
  list(@Asked() { caller, query }: AskedOf<typeof ERASURES.list>): Promise<{ items: ErasureView[]; next_cursor: string | null }> {
    return this.kernel.ask('erasure.list', caller, { page: pageOf(query) });
  }

  @Route(ERASURES.read)
  read(@Asked() { caller, params }: AskedOf<typeof ERASURES.read>): Promise<ErasureView> {
    return this.kernel.ask('erasure.read', caller, params);
  }

  @Route(ERASURES.readRetention)
  readRetention(@Asked() { caller }: AskedOf<typeof ERASURES.readRetention>): Promise<RetentionView> {
    return this.kernel.ask('retention.read', caller, {});
  }

  @Route(ERASURES.setRetention)
  setRetention(@Asked() { caller, body }: AskedOf<typeof ERASURES.setRetention>): Promise<RetentionView> {
    return this.kernel.ask('retention.set', caller, body);
  }
}

/** Milliseconds since the epoch. @throws Fault `request.malformed` for one that looks like a moment and is none, as the 31st of a February */
function momentOf(text: string): number {
  const at = Date.parse(text);
  if (!Number.isSafeInteger(at) || at < 0) throw new Fault('request.malformed', `\`${text}\` is no moment`, { pointer: '/before' });
  return at;
}
