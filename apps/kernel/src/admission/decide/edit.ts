// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  principalOf,
  type Caller,
  type KernelRequest,
  type OperationView,
  type ProposedCall,
} from '@writ/contract';
import { HeldCalls, proposersOf } from '../../execution/held/index.ts';
import { requireApprover } from './require-approver.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** Times that one decision is tried on facts that moved meanwhile. */
const DECISIONS_MAX = 5;

/** Proposes a call, as a caller does: the same operation_id is decided once. */
export type ProposeCall = (call: ProposedCall) => Promise<OperationView>;

/**
 * Edits the arguments of a held call: a new action, decided anew as an operation of its own. INVARIANT (one of them):
 * the old call is refused, durably, before the new one is proposed, and names it. Where this dies between them nothing
 * runs. INVARIANT (one edit): asked again by the same person with the same arguments, whatever operation_id comes
 * along, it goes on as the call that was named first.
 */
export class Edit {
  readonly #held: HeldCalls;
  readonly #propose: ProposeCall;

  constructor(held: HeldCalls, propose: ProposeCall) {
    this.#held = held;
    this.#propose = propose;
  }

  /**
   * The new operation. Whoever edits has proposed it, so another person decides where one is needed still.
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `conflict` for one decided already or edited
   * otherwise, and those of an admission
   */
  async run(request: KernelRequest<'approval.edit'>): Promise<OperationView> {
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const held = await this.#held.find(request.caller.tenant_id, request.approval_id);
      requireApprover(request.caller, held);
      const proposers = editorsOf(held.operation, request.caller);
      const successor = await this.#supersede(held, request);
      if (successor !== null)
        return await this.#propose(editedCall(held, { ...request, operation_id: successor }, proposers));
    }
    throw new Fault('overloaded', 'others kept changing what the call was decided on');
  }

  /** The call that goes on in its place; null when it must be tried again. */
  async #supersede(
    held: HeldCall,
    { caller, operation_id, comment }: KernelRequest<'approval.edit'>,
  ): Promise<string | null> {
    const { approval, operation } = held;
    // Somebody else's edit is another one, also with the same arguments: they would not know that theirs was not what
    // counted.
    if (approval.superseded_by !== null && approval.decided_by === caller.api_key_id) return approval.superseded_by;
    if (approval.state !== 'pending') throw new Fault('conflict', `the approval is \`${approval.state}\` already`);
    if (held.now >= approval.expires_at) throw new Fault('conflict', 'the approval has expired');
    const message = `a person edited the arguments: the call goes on as \`${operation_id}\``;
    const ended = await this.#held.end(
      held,
      { state: 'superseded', actor: caller.api_key_id, comment, supersededBy: operation_id },
      {
        code: 'approval.superseded',
        message,
        hint: comment,
        reasons: [...operation.reasons, { code: 'approval.superseded', message }],
      },
    );
    return ended === null ? null : operation_id;
  }
}

/** More hands than any call goes through. */
const HANDS_MAX = 16;

/** @throws Fault `conflict` */
function editorsOf(operation: HeldCall['operation'], caller: Caller): string[] {
  const hands = [...new Set([...proposersOf(operation), principalOf(caller)])];
  if (hands.length > HANDS_MAX)
    throw new Fault('conflict', `the call was edited by ${hands.length - 1} persons: propose it anew`);
  return hands;
}

function editedCall(
  { approval, operation }: HeldCall,
  { caller, operation_id, args }: KernelRequest<'approval.edit'>,
  proposers: string[],
): ProposedCall {
  const {
    tenant_id,
    agent_id,
    tool_id,
    capability_token_id,
    workspace_id,
    session_id,
    session_mode,
    task_class,
    precondition_refs,
    deadline,
    data_subject,
  } = operation;
  if (workspace_id === null) throw new Error(`operation \`${operation.operation_id}\` is held without a workspace`);
  // What the session itself asks for stays asked for: editing must not be a way around it.
  const bySession = operation.reasons.some(({ code }) => code === 'session.max_autonomy');
  return {
    v: 1,
    operation_id,
    tenant_id,
    agent_id,
    proposed_by: caller.api_key_id,
    proposers,
    tool_id,
    args,
    args_ref: null,
    capability_token_id,
    workspace_id,
    session_id,
    session_mode,
    max_autonomy: bySession ? operation.autonomy_mode : null,
    task_class,
    idempotency_key: `edit:${approval.approval_id}`,
    precondition_refs,
    provenance: { ...operation.provenance, parent_operation_id: operation.operation_id },
    deadline,
    dry_run: false,
    ...(data_subject === null ? {} : { data_subject }),
  };
}
