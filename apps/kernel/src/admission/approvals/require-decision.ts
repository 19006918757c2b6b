// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest } from '@writ/contract';
import { newVote, type Right, type Vote } from '../../execution/held/index.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import { isRepeatedVote, requireOneVote } from './cast-vote.ts';
import { tallyOf, type Tally } from './quorum.ts';

/** What a person asks for. */
type Asked = Pick<
  KernelRequest<'approval.decide'>,
  'caller' | 'other_names' | 'decision' | 'comment' | 'effect_digest' | 'session'
>;

/** What a decision leads to. */
export type DueDecision =
  /** the call was decided so before, or the person has voted so before: nothing is written */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'deny'; readonly vote: Vote }
  /** an approval that doesn't complete the quorum */
  | { readonly kind: 'vote'; readonly tally: Tally }
  /** the approval that completes it */
  | { readonly kind: 'approve'; readonly tally: Tally };

const DECIDED = { approve: 'approved', deny: 'denied' } as const;

/**
 * Checks a decision of a person who has the right to decide. INVARIANT (one source): whoever decides is refused here
 * and whoever only looks at the call receives the answer of this function (`YourDecisions`).
 * @throws Fault `conflict` for a call that was decided otherwise, has expired or waits for a value, and for a session
 * grant that the call can't get; `approval.effect_unseen`, `approval.voted`, `approval.not_in_group`
 */
export function requireDecision(held: HeldCall, right: Right, asked: Asked): DueDecision {
  const { caller, decision, comment, other_names, effect_digest: seen = null, session = null } = asked;
  const { approval } = held;
  const isRepeated = approval.state === DECIDED[decision] && (session === null || approval.session_token_id !== null);
  if (!isRepeated && approval.state !== 'pending') throw decidedFault(held);
  if (!isRepeated && held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
  if (decision === 'approve') requireSeenEffect(held, seen);
  if (isRepeated) return { kind: 'repeated' };
  const vote = newVote(held, caller, right, { says: decision, comment });
  if (decision === 'deny') return { kind: 'deny', vote };
  requireOneVote(held, vote, other_names);
  if (isRepeatedVote(held, vote)) return { kind: 'repeated' };
  const tally = tallyOf(held, vote);
  if (session !== null) requireSinglePerson(right, tally);
  if (tally.given < tally.needed) return { kind: 'vote', tally };
  if (approval.of === 'value') throw new Fault('conflict', 'the call waits for a value: give one, or deny it');
  return { kind: 'approve', tally };
}

export const decidedFault = ({ approval }: HeldCall): Fault =>
  new Fault('conflict', `the approval is \`${approval.state}\` already`);

/**
 * Only one person alone gives a session grant, and only by their own right, since the grant outlives a delegation.
 * @throws Fault `conflict`
 */
function requireSinglePerson({ delegation_id }: Right, { needed, demands }: Tally): void {
  if (demands.length > 0) throw new Fault('conflict', 'a call that is reserved for groups gets no session grant');
  if (needed > 1) throw new Fault('conflict', 'a call that needs more than one person gets no session grant');
  if (delegation_id !== null) throw new Fault('conflict', 'a session grant needs your own right, not a delegated one');
}

/**
 * INVARIANT (a yes is for what was seen): an approval with a digest covers that effect, and one without covers the
 * action alone. The effect may change between the look and the approval. Then the person must look again.
 * @throws Fault `approval.effect_unseen`
 */
function requireSeenEffect({ approval }: HeldCall, seen: string | null): void {
  if (seen === approval.effect_digest) return;
  const advice = `look at \`${approval.approval_id}\` and its diff again`;
  const now =
    approval.reasons.length === 0
      ? ''
      : `, held for ${approval.reasons
          .slice(0, REASONS_MAX)
          .map(({ code }) => `\`${code}\``)
          .join(', ')}`;
  if (approval.effect_digest === null)
    throw new Fault(
      'approval.effect_unseen',
      `the effect that \`effect_digest\` names is no longer pending, and the approval is for the ${approval.of}${now}: ${advice}`,
    );
  const problem =
    seen === null
      ? 'the approval is for an effect, which the request does not name'
      : 'the pending effect is not the one that `effect_digest` names';
  throw new Fault(
    'approval.effect_unseen',
    `${problem}${now}: ${advice}, then send the \`effect_digest\` of what it shows`,
  );
}

/** Reasons in one message. The approval has all of them. */
const REASONS_MAX = 8;
