// SPDX-License-Identifier: Apache-2.0
import { Fault, isServiceAccount, principalOf, type Caller, type KernelRequest } from '@writ/contract';
import {
  isProposer,
  proposersOf,
  readDelegation,
  unfitReason,
  type Delegation,
  type Right,
} from '../../execution/held/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { roleNeeded } from '../../execution/held/votes-of-call.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { HeldCall } from '../../foundation/rows/held-rows.ts';

/** Who decides, and by which right. */
type Asked = Pick<KernelRequest<'approval.decide'>, 'caller' | 'delegation_id' | 'other_names'>;

/** Answers whether the role may decide about calls. Such roles see the arguments. */
export const isApprover = (caller: Caller): caller is Caller & { role: 'admin' | 'operator' } =>
  caller.role === 'admin' || caller.role === 'operator';

/**
 * The caller's own right to decide this call. INVARIANT (four eyes): a proposer or an editor of a call never decides
 * it, whatever the role, the key and the delegation.
 * @throws Fault `auth.role`, `approval.own_call`
 */
export function requireApprover(asked: Asked, held: HeldCall): OwnRight {
  const right = requireNotProposer(asked, held);
  if (roleNeeded(held.approval.autonomy_mode) === 'admin' && right.role !== 'admin')
    throw new Fault('auth.role', 'this approval takes the role `admin`');
  return right;
}

/**
 * The right that the caller uses: their own, or that of the delegation that they name. INVARIANT (membership isn't
 * lent): a vote counts for a group only if the person whose right it is and the one who casts it are both members.
 * @throws Fault `auth.role`, `approval.own_call`, `approval.not_delegated`, `not_found` for a delegation that the
 * caller may not use
 */
export async function requireRight(tenants: TenantPool, asked: Asked, held: HeldCall): Promise<Right> {
  const { caller } = asked;
  const right = await rightOf(tenants, asked, held);
  const principals = [...new Set([right.principal, principalOf(caller)])];
  const names = [...principals, ...(asked.other_names ?? [])];
  if (await kernelSql.areOffboarded(tenants.pool, { tenant: caller.tenant_id, principals: names }))
    throw new Fault('auth.role', 'the person whose right this is was offboarded, and decides about no call any more');
  if (await kernelSql.areSuspended(tenants.pool, { tenant: caller.tenant_id, principals: names }))
    throw new Fault('auth.role', 'the person whose right this is, or who uses it, is suspended: activate the member');
  const groups = await kernelSql.approverGroupsOf(tenants.pool, { tenant: caller.tenant_id, principals });
  return { ...right, groups };
}

/** A right before its groups are known. */
type OwnRight = Omit<Right, 'groups'>;

async function rightOf(tenants: TenantPool, asked: Asked, held: HeldCall): Promise<OwnRight> {
  const { caller, delegation_id = null } = asked;
  if (delegation_id === null) return requireApprover(asked, held);
  requireNotProposer(asked, held);
  const delegation = await readDelegation(tenants, caller.tenant_id, delegation_id);
  if (delegation === null || delegation.to_principal !== principalOf(caller)) throw new Fault('not_found');
  return delegatedRight(delegation, held);
}

function requireNotProposer({ caller, other_names }: Asked, { operation }: HeldCall): OwnRight {
  if (!isApprover(caller)) throw new Fault('auth.role', 'an approval takes the role `admin` or `operator`');
  if (isServiceAccount(principalOf(caller)))
    throw new Fault('auth.role', 'a service account decides about no call: an approval takes a person');
  if (isProposer(caller, operation, other_names)) throw new Fault('approval.own_call');
  return { principal: principalOf(caller), role: caller.role, delegation_id: null };
}

function delegatedRight(delegation: Delegation, held: HeldCall): OwnRight {
  const { from_principal: principal, role, delegation_id } = delegation;
  // A lent right has the limits of its lender: a person who may not decide can't delegate the decision either.
  if (proposersOf(held.operation).includes(principal)) throw new Fault('approval.own_call');
  const unfit = unfitReason(delegation, held);
  if (unfit !== null) throw new Fault('approval.not_delegated', unfit);
  if (roleNeeded(held.approval.autonomy_mode) === 'admin' && role !== 'admin')
    throw new Fault(
      'approval.not_delegated',
      "the delegated right is an operator's, and this approval needs an administrator's",
    );
  return { principal, role, delegation_id };
}
