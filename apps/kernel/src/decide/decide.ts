// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView, type SessionAsk } from '@writ/contract';
import { HeldCalls, newVote, type HeldCall, type Right, type Vote } from '../held/index.ts';
import type { OperationRow, OperationViews, TenantPool } from '../store/index.ts';
import { wasCast, type CastVote } from './cast-vote.ts';
import type { EffectApproval } from './effect-approval.ts';
import { satisfiedBy, tallyOf, type Tally } from './quorum.ts';
import type { Readmission } from './readmission.ts';
import { requireRight } from './require-approver.ts';

/** Times that one decision is tried on facts that moved meanwhile. */
const DECISIONS_MAX = 5;
/** How long the answer waits for the outcome's place in the log. */
const RECEIPT_WAIT_MS = 250;

const DECIDED = { approve: 'approved', deny: 'denied' } as const;

/** What a yes may lead to. */
export interface DecisionWays {
  readonly votes: CastVote;
  readonly readmission: Readmission;
  readonly effects: EffectApproval;
}

/**
 * Decides a held call for a person. An approval of the action doesn't run the call: it is one more input to an admission, where everything is checked
 * again under the policy in force; an approval of an effect commits exactly that effect, after the same checks. Where several must approve, each yes but
 * the last is only written down. The same decision twice is one decision.
 */
export class Decide {
  readonly #tenants: TenantPool;
  readonly #held: HeldCalls;
  readonly #ways: DecisionWays;
  readonly #views: OperationViews;

  constructor(tenants: TenantPool, held: HeldCalls, ways: DecisionWays, views: OperationViews) {
    this.#tenants = tenants;
    this.#held = held;
    this.#ways = ways;
    this.#views = views;
  }

  /**
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `approval.voted`, `approval.not_delegated`, `conflict` for one decided otherwise, too late,
   * or for another effect than is staged, or for a session that the call can't be approved for, `approval.previewed_anew`, `record.backlog`
   */
  async run(request: KernelRequest<'approval.decide'>): Promise<OperationView> {
    const { caller, approval_id, delegation_id = null } = request;
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const held = await this.#held.find(caller.tenant_id, approval_id);
      const right = await requireRight(this.#tenants, caller, held, delegation_id);
      const row = await this.#decide(held, right, request);
      if (row !== null) return await this.#views.of(row, { waitMs: RECEIPT_WAIT_MS });
    }
    throw new Fault('overloaded', 'others kept changing what the call was decided on');
  }

  /** Null when it must be tried again. */
  async #decide(held: HeldCall, right: Right, { caller, decision, comment, effect_digest: seen = null, session = null }: KernelRequest<'approval.decide'>): Promise<OperationRow | null> {
    const { approval, operation } = held;
    if (approval.state === DECIDED[decision] && (session === null || approval.session_token_id !== null)) return operation;
    if (approval.state !== 'pending') throw new Fault('conflict', `the approval is \`${approval.state}\` already`);
    if (held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
    const vote = newVote(held, caller, right, { says: decision, comment });
    if (decision === 'approve') {
      requireSeen(held, seen);
      return await this.#approve(held, right, vote, session);
    }
    const message = 'a person denied the call';
    return await this.#held.end(held, { state: 'denied', actor: vote.cast_by, comment, vote },
      { code: 'approval.denied', message, hint: comment, reasons: [...operation.reasons, { code: 'approval.denied', message }] });
  }

  async #approve(held: HeldCall, right: Right, vote: Vote, session: SessionAsk | null): Promise<OperationRow | null> {
    if (wasCast(held, vote)) return held.operation;
    const tally = tallyOf(held, vote);
    if (session !== null) requireAlone(right, tally);
    if (tally.given < tally.needed) return await this.#ways.votes.run(held, vote, tally);
    if (held.approval.of === 'value') throw new Fault('conflict', 'the call waits for a value: give one, or deny it');
    const way = held.approval.of === 'effect' ? this.#ways.effects : this.#ways.readmission;
    return await way.run(held, { state: 'approved', actor: vote.cast_by, comment: vote.comment, vote, session }, satisfiedBy(held, right));
  }
}

/** A yes for the session is one person's, by their own right: it outlives what was lent. @throws Fault `conflict` */
function requireAlone({ delegation_id }: Right, { needed }: Tally): void {
  if (needed > 1) throw new Fault('conflict', 'what takes more than one person is approved one call at a time');
  if (delegation_id !== null) throw new Fault('conflict', 'by a right that was lent, a call is approved alone');
}

/** A yes counts for what its giver saw. Who saw an effect that was shown anew since must say which one they mean. @throws Fault `conflict` */
function requireSeen({ approval, preview }: HeldCall, seen: string | null): void {
  const wasShownAnew = approval.of === 'effect' && (preview?.round ?? 1) > 1;
  if (seen === null ? !wasShownAnew : seen === approval.effect_digest) return;
  throw new Fault('conflict', seen === null ? 'the effect was shown anew: say with `effect_digest` which one is approved' : 'another effect is staged than `effect_digest` names');
}
