// SPDX-License-Identifier: Apache-2.0
import type { Fault, KernelRequest, OperationView, YourDecision } from '@writ/contract';
import type { TestKernel } from './test-kernel.ts';

type Decision = KernelRequest<'approval.decide'>;

/**
 * Decides as the request says, and compares what its caller was told before with what came of it: yes exactly where the
 * decision is written, and else the code of the refusal. A decision that only repeats another one writes nothing.
 */
export async function decideAsTold(kernel: TestKernel, request: Decision): Promise<OperationView> {
  const { caller, other_names, approval_id, decision, delegation_id = null, effect_digest = null } = request;
  const names = other_names === undefined ? {} : { other_names };
  const you = await kernel.yours.of(
    { v: 1, caller, ...names, approval_id },
    { effectDigest: effect_digest, isReadable: true },
  );
  const before = await stateOf(kernel, request);
  const outcome = await kernel.decide.run(request).then(
    (view) => ({ view, fault: null }),
    (fault: unknown) => ({ view: null, fault: fault as Fault }),
  );
  const isWritten = (await stateOf(kernel, request)) !== before;
  const said = { decision, delegation_id, code: outcome.fault?.code ?? null };
  const told = toldOf(you, decision, delegation_id);
  // Which delegations deny is not told.
  if (told !== null) expect({ ...said, told, you }).toEqual({ ...said, told: isWritten, you });
  const codes = you.why.map(({ code }) => code);
  if (outcome.fault !== null && delegation_id === null) expect(codes).toContain(outcome.fault.code);
  if (outcome.view === null) throw outcome.fault;
  return outcome.view;
}

function toldOf(you: YourDecision, decision: Decision['decision'], delegationId: string | null): boolean | null {
  if (delegationId === null) return decision === 'approve' ? you.may_approve : you.may_deny;
  return decision === 'approve' ? you.delegations.some((id) => id === delegationId) : null;
}

async function stateOf(kernel: TestKernel, { caller, approval_id }: Decision): Promise<string> {
  const reader = { ...caller, role: 'auditor' as const };
  const { state, voted } = await kernel.approvals.read({ v: 1, caller: reader, approval_id });
  return `${state} ${String(voted.length)}`;
}
