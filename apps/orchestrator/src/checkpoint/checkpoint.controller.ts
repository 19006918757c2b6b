// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Asked } from '../http/asked.ts';
import { InExchange, type Exchange } from '../http/exchange.ts';
import { Route, type AskedOf } from '../http/route.ts';
import { SYSTEM } from '../http/routes/index.ts';
import { LedgerClient } from '../support/ledger-client.ts';

@Controller()
export class CheckpointController {
  constructor(private readonly ledger: LedgerClient) {}

  @Route(SYSTEM.checkpoint)
  async read(@Asked() { caller }: AskedOf<typeof SYSTEM.checkpoint>, @InExchange() exchange: Exchange): Promise<string> {
    const note = await this.ledger.checkpoint(caller.tenant_id);
    exchange.setHeader('content-type', 'text/plain; charset=utf-8');
    return note;
  }
}
