// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { Static } from 'typebox';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, waitOf, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { showOutcome } from '../../calls/outcome-headers.ts';
import { TURNS } from './routes.ts';
import type { PromptView, TurnView } from '../../runs/turns/turn-schemas.ts';
import { RunTurn } from '../../runs/turns/run-turn.ts';
import { ShowPrompt } from '../../runs/turns/show-prompt.ts';
import { outcomeOfTurn } from '../../runs/turns/turn-outcome.ts';
import { turnOf } from '../../runs/turns/turn-call.ts';

@Controller()
export class TurnsController {
  constructor(
    private readonly turns: RunTurn,
    private readonly prompts: ShowPrompt,
  ) {}

  @Route(TURNS.run)
  async run(
    @RequestInput() { caller, body, query }: RequestInputOf<typeof TURNS.run>,
    @InExchange() exchange: Exchange,
  ): Promise<TurnView> {
    const waitOptions = { waitMs: waitOf(query.wait, exchange.header('prefer')), gone: exchange.gone };
    const turn = await exchange.withinTrace(() => this.turns.run(caller, turnOf(body, caller), waitOptions));
    showOutcome(exchange, outcomeOfTurn(turn));
    if (turn.state !== 'ended') exchange.setStatus(202);
    return turn;
  }

  @Route(TURNS.prompt)
  async prompt(
    @RequestInput() { caller, query }: RequestInputOf<typeof TURNS.prompt>,
    @InExchange() exchange: Exchange,
  ): Promise<Static<typeof PromptView>> {
    return await exchange.withinTrace(() => this.prompts.run(caller, query, exchange.gone));
  }
}
