// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView } from '@writ/contract';
import { HeldCalls, type Right, type Vote } from '../../execution/held/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operation-views/operation-views.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';
import type { CastVote } from './cast-vote.ts';
import type { EffectApproval } from './effect-approval.ts';
import { requireReadable, type HeldContentSources } from './held-content.ts';
import { satisfiedBy } from './quorum.ts';
import type { HeldReevaluation } from './held-reevaluation.ts';
import { requireRight } from './require-approver.ts';
import { requireDecision } from './require-decision.ts';

/** Maximum number of tries of one decision, each because its facts changed. */
const DECISIONS_MAX = 5;
/** How long the answer waits for the log to include the outcome. */
const RECEIPT_WAIT_MS = 250;

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
    const due = requireDecision(held, right, request);
    if (due.kind === 'repeated') return held.operation;
    if (due.kind === 'deny') return await this.#deny(held, due.vote);
    await requireReadable(this.#useCases.content, held);
    if (due.kind === 'vote') return await this.#useCases.votes.run(held, due.tally);
    const { vote } = due.tally;
    const useCase = held.approval.of === 'effect' ? this.#useCases.effectApproval : this.#useCases.reevaluation;
    return await useCase.run(
      held,
      { state: 'approved', actor: vote.cast_by, comment: vote.comment, vote, session: request.session ?? null },
      satisfiedBy(held, right),
    );
  }

  async #deny(held: HeldCall, vote: Vote): Promise<OperationRow | null> {
    const message = 'a person denied the call';
    return await this.#held.end(
      held,
      { state: 'denied', actor: vote.cast_by, comment: vote.comment, vote },
      {
        code: 'approval.denied',
        message,
        hint: vote.comment,
        reasons: [...held.operation.reasons, { code: 'approval.denied', message }],
      },
    );
  }
}
