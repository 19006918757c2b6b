// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema } from '../ids.ts';
import { Reason } from '../states.ts';

/** Delegations that one view names: few persons lend their right to the same one. */
export const YOUR_DELEGATIONS_MAX = 16;

/** What the caller of a request may decide about a held call now. */
export const YourDecision = Type.Object(
  {
    may_approve: Type.Boolean({
      description: 'whether your approval of what is shown would count now, by your own right',
    }),
    may_deny: Type.Boolean({ description: 'whether you may deny it now, by your own right' }),
    why: Type.Array(Reason, {
      description:
        'why you may not: the code and the words with which your decision would be refused; empty where you may do both',
    }),
    delegations: Type.Array(idSchema('delegation'), {
      maxItems: YOUR_DELEGATIONS_MAX,
      description: 'delegations with which your approval would count now',
    }),
    voted: Type.Union([Type.Enum(['approve', 'deny']), Type.Null()], {
      description: 'what you have decided about what is shown, or somebody by your right; null: nothing that counts',
    }),
  },
  {
    additionalProperties: false,
    description: 'what you may decide now; it is checked again when you decide, under the policy of then',
  },
);
export type YourDecision = Static<typeof YourDecision>;
