// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView } from '@writ/contract';
import { HeldCalls, type HeldCall } from '../held/index.ts';
import type { OperationRow, OperationViews } from '../store/index.ts';
import type { EffectApproval } from './effect-approval.ts';
import type { Readmission } from './readmission.ts';
import { requireApprover } from './require-approver.ts';

/** Times that one decision is tried on facts that moved meanwhile. */
const DECISIONS_MAX = 5;
/** How long the answer waits for the outcome's place in the log. */
const RECEIPT_WAIT_MS = 250;

const DECIDED = { approve: 'approved', deny: 'denied' } as const;

/**
 * Decides a held call for a person. An approval of the action doesn't run the call: it is one more input to an admission, where everything is checked
 * again under the policy in force; an approval of an effect commits exactly that effect, after the same checks. The same decision twice is one decision.
 */
export class Decide {
  readonly #held: HeldCalls;
  readonly #readmission: Readmission;
  readonly #effects: EffectApproval;
  readonly #views: OperationViews;

  constructor(held: HeldCalls, readmission: Readmission, effects: EffectApproval, views: OperationViews) {
    this.#held = held;
    this.#readmission = readmission;
    this.#effects = effects;
    this.#views = views;
  }

  /**
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `conflict` for one decided otherwise, too late, or for another
   * effect than is staged, for a session that the call can't be approved for, `approval.previewed_anew`, `record.backlog`
   */
  async run(request: KernelRequest<'approval.decide'>): Promise<OperationView> {
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const held = await this.#held.find(request.caller.tenant_id, request.approval_id);
      requireApprover(request.caller, held);
      const row = await this.#decide(held, request);
      if (row !== null) return await this.#views.of(row, { waitMs: RECEIPT_WAIT_MS });
    }
    throw new Fault('overloaded', 'others kept changing what the call was decided on');
  }

  /** Null when it must be tried again. */
  async #decide(held: HeldCall, { caller, decision, comment, effect_digest: seen = null, session = null }: KernelRequest<'approval.decide'>): Promise<OperationRow | null> {
    const { approval, operation } = held;
    if (approval.state === DECIDED[decision] && (session === null || approval.session_token_id !== null)) return operation;
    if (approval.state !== 'pending') throw new Fault('conflict', `the approval is \`${approval.state}\` already`);
    if (held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
    const closing = { state: DECIDED[decision], actor: caller.api_key_id, comment, session };
    if (decision === 'approve') {
      requireSeen(held, seen);
      const satisfies = caller.role === 'admin' ? 'escalated' : 'soft_gate';
      return await (approval.of === 'effect' ? this.#effects : this.#readmission).run(held, closing, satisfies);
    }
    const message = 'a person denied the call';
    return await this.#held.end(held, closing, { code: 'approval.denied', message, hint: comment, reasons: [...operation.reasons, { code: 'approval.denied', message }] });
  }
}

/** A yes counts for what its giver saw. Who saw an effect that was shown anew since must say which one they mean. @throws Fault `conflict` */
function requireSeen({ approval, preview }: HeldCall, seen: string | null): void {
  const wasShownAnew = approval.of === 'effect' && (preview?.round ?? 1) > 1;
  if (seen === null ? !wasShownAnew : seen === approval.effect_digest) return;
  throw new Fault('conflict', seen === null ? 'the effect was shown anew: say with `effect_digest` which one is approved' : 'another effect is staged than `effect_digest` names');
}
