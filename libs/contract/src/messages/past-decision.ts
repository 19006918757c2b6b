// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { AutonomyMode } from '../states.ts';

/** Past decisions that one answer has. */
export const PAST_DECISIONS_MAX = 20;

const closed = { additionalProperties: false } as const;

/** How an approval of an earlier call ended. */
export const PastDecision = Type.Object(
  {
    approval_id: idSchema('approval'),
    operation_id: idSchema('operation'),
    outcome: Type.Enum(['approved', 'denied', 'expired', 'cancelled', 'superseded'], {
      description: 'how the approval ended; superseded: a person edited the call',
    }),
    autonomy_mode: AutonomyMode,
    decided_at: Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' }),
    decided_by: Type.Union([Type.String(), Type.Null()], {
      description: 'the API key that decided it, or `kernel` for one that expired',
    }),
    voters: Type.Array(Type.String(), {
      description: 'the persons whose votes decided it so, oldest first; empty where no vote did',
    }),
    comment: Type.Union([Type.String(), Type.Null()], {
      description: 'what the person wrote who decided it; null: nothing, or it was erased',
    }),
    held_for: Type.Array(Type.String(), { description: 'the codes of the reasons why it was held' }),
    risk_score: Type.Number({ description: 'of the call, from 0 to 1' }),
    risk_basis: Type.Array(Type.String(), { description: 'ids of the risk rules that applied to the call' }),
  },
  { ...closed, description: 'how an approval of an earlier call of the same tool and agent ended' },
);
export type PastDecision = Static<typeof PastDecision>;

export const PastDecisions = Type.Object(
  {
    items: Type.Array(PastDecision, {
      maxItems: PAST_DECISIONS_MAX,
      description: 'of the calls that were proposed last, the newest call first',
    }),
  },
  closed,
);
export type PastDecisions = Static<typeof PastDecisions>;
