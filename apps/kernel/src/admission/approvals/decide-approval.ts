// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView } from '@writ/contract';
import { HeldCalls, newVote, type Right, type Vote } from '../../execution/held/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operation-views/operation-views.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import { isRepeatedVote, requireOneVote, type CastVote } from './cast-vote.ts';
import type { EffectApproval } from './effect-approval.ts';
import { satisfiedBy, tallyOf, type Tally } from './quorum.ts';
import { requireReadable, type HeldContentSources } from './held-content.ts';
import type { HeldReevaluation } from './held-reevaluation.ts';
import { requireRight } from './require-approver.ts';

/** Maximum number of tries of one decision, each because its facts changed. */
const DECISIONS_MAX = 5;
/** How long the answer waits for the log to include the outcome. */
const RECEIPT_WAIT_MS = 250;

const DECIDED = { approve: 'approved', deny: 'denied' } as const;

/** The use cases that an approving vote may lead to. */
export interface ApprovalUseCases {
  readonly votes: CastVote;
  readonly reevaluation: HeldReevaluation;
  readonly effectApproval: EffectApproval;
  /** what whoever approves can see */
  readonly content: HeldContentSources;
}

/**
 * Records a person's decision on a held call. An approval of the action doesn't run the call. It is one more input to
 * an admission, which checks everything again under the policy in force. An approval of an effect commits exactly that
 * effect, after the same checks. Where several persons must approve, each approval but the last is only recorded. The
 * same decision twice is one decision.
 */
export class DecideApproval {
  readonly #tenants: TenantPool;
  readonly #held: HeldCalls;
  readonly #useCases: ApprovalUseCases;
  readonly #views: OperationViews;

  constructor(tenants: TenantPool, held: HeldCalls, useCases: ApprovalUseCases, views: OperationViews) {
    this.#tenants = tenants;
    this.#held = held;
    this.#useCases = useCases;
    this.#views = views;
  }

  /**
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `approval.voted`, `approval.not_delegated`,
   * `approval.not_in_group`, `approval.effect_unseen`, `conflict` for a call that was decided otherwise, has expired or
   * can't be read, and for a session grant that the call can't get, `approval.previewed_anew`, `record.backlog`
   */
  async run(request: KernelRequest<'approval.decide'>): Promise<OperationView> {
    const { caller, approval_id } = request;
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const held = await this.#held.find(caller.tenant_id, approval_id);
      const right = await requireRight(this.#tenants, request, held);
      const row = await this.#decide(held, right, request);
      if (row !== null) return await this.#views.of(row, { waitMs: RECEIPT_WAIT_MS });
    }
    throw new Fault('overloaded', 'the facts of the decision kept changing');
  }

  /** Null when the decision must be tried again. */
  async #decide(held: HeldCall, right: Right, request: KernelRequest<'approval.decide'>): Promise<OperationRow | null> {
    const { caller, decision, comment, effect_digest: seen = null, session = null } = request;
    const { approval, operation } = held;
    const isRepeated = approval.state === DECIDED[decision] && (session === null || approval.session_token_id !== null);
    if (!isRepeated && approval.state !== 'pending')
      throw new Fault('conflict', `the approval is \`${approval.state}\` already`);
    if (!isRepeated && held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
    if (decision === 'approve') requireSeenEffect(held, seen);
    if (isRepeated) return operation;
    const vote = newVote(held, caller, right, { says: decision, comment });
    if (decision === 'approve') return await this.#approve(held, right, vote, request);
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

  async #approve(
    held: HeldCall,
    right: Right,
    vote: Vote,
    { session = null, other_names }: KernelRequest<'approval.decide'>,
  ): Promise<OperationRow | null> {
    requireOneVote(held, vote, other_names);
    if (isRepeatedVote(held, vote)) return held.operation;
    await requireReadable(this.#useCases.content, held);
    const tally = tallyOf(held, vote);
    if (session !== null) requireSinglePerson(right, tally);
    if (tally.given < tally.needed) return await this.#useCases.votes.run(held, tally);
    if (held.approval.of === 'value') throw new Fault('conflict', 'the call waits for a value: give one, or deny it');
    const useCase = held.approval.of === 'effect' ? this.#useCases.effectApproval : this.#useCases.reevaluation;
    return await useCase.run(
      held,
      { state: 'approved', actor: vote.cast_by, comment: vote.comment, vote: tally.vote, session },
      satisfiedBy(held, right),
    );
  }
}

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
