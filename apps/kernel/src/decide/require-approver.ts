// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import type { HeldCall } from '../held/index.ts';

/** Answers whether the role decides about calls at all. Who does sees their arguments. */
export const isApprover = (caller: Caller): boolean => caller.role === 'admin' || caller.role === 'operator';

/**
 * Returns when the caller may decide this call.
 * INVARIANT (four eyes): who proposed a call never decides it, whatever the role.
 * @throws Fault `auth.role`, `approval.own_call`
 */
export function requireApprover(caller: Caller, { approval, operation }: HeldCall): void {
  if (!isApprover(caller)) throw new Fault('auth.role', 'an approval takes the role `admin` or `operator`');
  const isOwn = caller.api_key_id === operation.proposed_by || (caller.agent_id !== null && caller.agent_id === operation.agent_id);
  if (isOwn) throw new Fault('approval.own_call');
  if (approval.autonomy_mode === 'escalated' && caller.role !== 'admin') throw new Fault('auth.role', 'this approval takes the role `admin`');
}
