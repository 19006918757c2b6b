// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { prompt, type DialectName } from '@writ/dialects';
import type { Static } from 'typebox';
import { Asked } from '../../edge/requests/asked.ts';
import { InExchange, waitOf, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
import { TURNS } from './routes.ts';
import type { PromptView, TurnView } from '../../runs/turns/turn-schemas.ts';
import { Offers } from '../../calls/kernel/offers.ts';
import { RunTurn } from '../../runs/turns/run-turn.ts';
import { turnOf } from '../../runs/turns/turn-call.ts';

@Controller()
export class TurnsController {
  constructor(
    private readonly turns: RunTurn,
    private readonly offers: Offers,
  ) {}

  @Route(TURNS.run)
  async run(
    @Asked() { caller, body, query }: AskedOf<typeof TURNS.run>,
    @InExchange() exchange: Exchange,
  ): Promise<TurnView> {
    const waitOptions = { waitMs: waitOf(query.wait, exchange.header('prefer')), gone: exchange.gone };
    const turn = await exchange.withinTrace(() => this.turns.run(caller, turnOf(body, caller), waitOptions));
    if (turn.state !== 'ended') exchange.setStatus(202);
    return turn;
  }

  @Route(TURNS.prompt)
  async prompt(@Asked() { caller, query }: AskedOf<typeof TURNS.prompt>): Promise<Static<typeof PromptView>> {
    const dialect: DialectName = query.dialect;
    const { system, tools } = prompt(dialect, await this.offers.of(caller, query.capability_token_id, 'turn'));
    return { dialect, system, tools: tools as Record<string, unknown>[] | null };
  }
}
