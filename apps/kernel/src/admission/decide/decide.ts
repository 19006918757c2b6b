// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView, type SessionAsk } from '@writ/contract';
import { HeldCalls, newVote, type Right, type Vote } from '../../execution/held/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operations/operation-views.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import { wasCast, type CastVote } from './cast-vote.ts';
import type { EffectApproval } from './effect-approval.ts';
import { satisfiedBy, tallyOf, type Tally } from './quorum.ts';
import type { HeldReevaluation } from './held-reevaluation.ts';
import { requireRight } from './require-approver.ts';

/** Times that one decision is tried on facts that moved meanwhile. */
const DECISIONS_MAX = 5;
/** How long the answer waits for the outcome's place in the log. */
const RECEIPT_WAIT_MS = 250;

const DECIDED = { approve: 'approved', deny: 'denied' } as const;

/** What a yes may lead to. */
export interface DecisionWays {
  readonly votes: CastVote;
  readonly readmission: HeldReevaluation;
  readonly effects: EffectApproval;
}

/**
 * Decides a held call for a person. An approval of the action doesn't run the call: it is one more input to an
 * admission, where everything is checked again under the policy in force; an approval of an effect commits exactly that
 * effect, after the same checks. Where several must approve, each yes but the last is only written down. The same
 * decision twice is one decision.
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
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `approval.voted`, `approval.not_delegated`,
   * `approval.effect_unseen`, `conflict` for one decided otherwise, too late, or for a session that the call can't be
   * approved for, `approval.previewed_anew`, `record.backlog`
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
  async #decide(
    held: HeldCall,
    right: Right,
    { caller, decision, comment, effect_digest: seen = null, session = null }: KernelRequest<'approval.decide'>,
  ): Promise<OperationRow | null> {
    const { approval, operation } = held;
    const isAgain = approval.state === DECIDED[decision] && (session === null || approval.session_token_id !== null);
    if (!isAgain && approval.state !== 'pending')
      throw new Fault('conflict', `the approval is \`${approval.state}\` already`);
    if (!isAgain && held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
    if (decision === 'approve') requireSeen(held, seen);
    if (isAgain) return operation;
    const vote = newVote(held, caller, right, { says: decision, comment });
    if (decision === 'approve') return await this.#approve(held, right, vote, session);
    const message = 'a person denied the call';
    return await this.#held.end(
      held,
      { state: 'denied', actor: vote.cast_by, comment, vote },
      {
        code: 'approval.denied',
        message,
        hint: comment,
        reasons: [...operation.reasons, { code: 'approval.denied', message }],
      },
    );
  }

  async #approve(held: HeldCall, right: Right, vote: Vote, session: SessionAsk | null): Promise<OperationRow | null> {
    if (wasCast(held, vote)) return held.operation;
    const tally = tallyOf(held, vote);
    if (session !== null) requireAlone(right, tally);
    if (tally.given < tally.needed) return await this.#ways.votes.run(held, vote, tally);
    if (held.approval.of === 'value') throw new Fault('conflict', 'the call waits for a value: give one, or deny it');
    const way = held.approval.of === 'effect' ? this.#ways.effects : this.#ways.readmission;
    return await way.run(
      held,
      { state: 'approved', actor: vote.cast_by, comment: vote.comment, vote, session },
      satisfiedBy(held, right),
    );
  }
}

/**
 * One person gives a session grant, by their own right: the grant outlives a delegation.
 * @throws Fault `conflict`
 */
function requireAlone({ delegation_id }: Right, { needed }: Tally): void {
  if (needed > 1) throw new Fault('conflict', 'what takes more than one person is approved one call at a time');
  if (delegation_id !== null) throw new Fault('conflict', 'by a right that was lent, a call is approved alone');
}

/**
 * INVARIANT (a yes is for what was seen): with a digest it is for that effect, without one for the action alone. What
 * waits may have become something else between the look and the yes; whoever said it must then look again. @throws
 * Fault `approval.effect_unseen`
 */
function requireSeen({ approval }: HeldCall, seen: string | null): void {
  if (seen === approval.effect_digest) return;
  const look = `look at \`${approval.approval_id}\` and its diff again`;
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
      `the effect that \`effect_digest\` names waits no more, and the approval is of the ${approval.of}${now}: ${look}`,
    );
  const what =
    seen === null
      ? 'the approval is of an effect, which the request does not name'
      : 'another effect waits than `effect_digest` names';
  throw new Fault('approval.effect_unseen', `${what}${now}: ${look}, then send the \`effect_digest\` of what it shows`);
}

/** A message names a few; the approval holds all. */
const REASONS_MAX = 8;
