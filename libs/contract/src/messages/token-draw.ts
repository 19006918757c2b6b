// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { idSchema } from '../ids.ts';
import { Caller } from './operations.ts';

const closed = { additionalProperties: false } as const;
/** The limit ensures that two of them can be added without loss. */
const Amount = Type.Integer({ minimum: 0, maximum: 2 ** 48 });

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const TOKEN_DRAW_REQUESTS = {
  /**
   * → TokenReservationReply: what a run has used of its token's `llm_tokens` and of budgets per day and month, and what
   * its next reply may use. The figures are absolute, so repeating them changes nothing. `fence` and `place` number the
   * claim of the run and the reservation within it; one that arrives after a later one is a `conflict`. Used tokens are
   * settled even if none remain. Faults of the reservation, which is then empty: `budget.exhausted`, `budget.period`,
   * `token.revoked`, `token.expired`, `token.not_yet_valid`
   */
  'token.draw': Type.Object(
    {
      v: Type.Literal(1),
      caller: Caller,
      capability_token_id: Type.String({ minLength: 1, maxLength: 64 }),
      run_id: idSchema('run'),
      fence: Amount,
      place: Amount,
      used_total: Amount,
      reserve: Amount,
      /**
       * the same of what replies cost, in millionths of the currency; null without prices in a currency. Absent from an
       * older peer, which knows no `budget.period`
       */
      cost: Type.Optional(
        Type.Union([
          Type.Object(
            { currency: Type.String({ pattern: '^[A-Z]{3}$' }), used_total: Amount, reserve: Amount },
            closed,
          ),
          Type.Null(),
        ]),
      ),
    },
    closed,
  ),
} as const;
