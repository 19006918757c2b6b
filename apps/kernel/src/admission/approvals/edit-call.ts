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

/** Maximum number of tries of one decision, each because its facts changed. */
const DECISIONS_MAX = 5;

/** Proposes a call as a caller does. The same operation_id is decided once. */
export type ProposeCall = (call: ProposedCall) => Promise<OperationView>;

/**
 * Edits the arguments of a held call. The result is a new action, decided as a separate operation. INVARIANT (one of
 * them): the old call is refused durably before the new one is proposed, and its record names the new one. After a
 * crash between the two, nothing runs. INVARIANT (one edit): a retry by the same person with the same arguments
 * continues with the call that was named first, whatever operation_id the retry names.
 */
export class EditCall {
  readonly #held: HeldCalls;
  readonly #propose: ProposeCall;

  constructor(held: HeldCalls, propose: ProposeCall) {
    this.#held = held;
    this.#propose = propose;
  }

  /**
   * Resolves with the new operation. Its editor counts as a proposer, so another person decides where an approval is
   * still needed.
   * @throws Fault `not_found`, `auth.role`, `approval.own_call`, `conflict` for one decided already or edited
   * otherwise, and those of an admission
   */
  async run(request: KernelRequest<'approval.edit'>): Promise<OperationView> {
    for (let times = 0; times < DECISIONS_MAX; times++) {
      const held = await this.#held.find(request.caller.tenant_id, request.approval_id);
      requireApprover(request, held);
      const proposers = proposersWithEditor(held.operation, request.caller);
      const successor = await this.#supersede(held, request);
      if (successor !== null)
        return await this.#propose(editedCall(held, { ...request, operation_id: successor }, proposers));
    }
    throw new Fault('overloaded', 'the facts of the decision kept changing');
  }

  /** The operation id of the call that replaces it; null when it must be tried again. */
  async #supersede(
    held: HeldCall,
    { caller, operation_id, comment }: KernelRequest<'approval.edit'>,
  ): Promise<string | null> {
    const { approval, operation } = held;
    // An edit by another person is a different edit, also with the same arguments. Otherwise that person would not
    // learn that their edit was not used.
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

/** Maximum number of proposers and editors of one call: more than any real call has. */
const PROPOSERS_MAX = 16;

/** @throws Fault `conflict` */
function proposersWithEditor(operation: HeldCall['operation'], caller: Caller): string[] {
  const proposers = [...new Set([...proposersOf(operation), principalOf(caller)])];
  if (proposers.length > PROPOSERS_MAX)
    throw new Fault('conflict', `the call was edited by ${proposers.length - 1} persons: propose it anew`);
  return proposers;
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
    scheduling_class,
    precondition_refs,
    deadline,
    data_subject,
    retention,
  } = operation;
  if (workspace_id === null) throw new Error(`operation \`${operation.operation_id}\` is held without a workspace`);
  // The supervision that the session requires also applies to the edited call, so an edit can't bypass it.
  const isSessionLimit = operation.reasons.some(({ code }) => code === 'session.max_autonomy');
  return {
    v: 1,
    operation_id,
    tenant_id,
    agent_id,
    proposed_by: caller.api_key_id,
    proposers,
    ...(caller.person === undefined ? {} : { person: caller.person }),
    tool_id,
    args,
    args_ref: null,
    capability_token_id,
    workspace_id,
    session_id,
    session_mode,
    max_autonomy: isSessionLimit ? operation.autonomy_mode : null,
    task_class,
    scheduling_class,
    idempotency_key: `edit:${approval.approval_id}`,
    // Edited arguments are not those of a change that was staged.
    precondition_refs: precondition_refs.filter(({ kind }) => kind !== 'staged'),
    provenance: { ...operation.provenance, parent_operation_id: operation.operation_id },
    deadline,
    dry_run: false,
    ...(data_subject === null ? {} : { data_subject }),
    ...(retention === 'full' ? {} : { retention }),
  };
}
