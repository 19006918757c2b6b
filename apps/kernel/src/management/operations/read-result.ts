// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type StoredResult } from '@writ/contract';
import { opensKept, plainRef, type CallVault } from '../../evidence/payload/index.ts';
import { readOperation } from '../../execution/operations/read-operation.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { onlyAgentOf, requireId } from '../../foundation/tenancy/index.ts';

/**
 * Says where the long result of a call is, and what opens it. INVARIANT (to who may see it): a key leaves this process
 * with one content's name, for a caller who may read the operation; no view of an operation has one.
 */
export class ReadResult {
  readonly #tenants: TenantPool;
  readonly #vault: CallVault;

  constructor(tenants: TenantPool, vault: CallVault) {
    this.#tenants = tenants;
    this.#vault = vault;
  }

  /** @throws Fault `not_found`, for an agent's key also for another agent's calls */
  async run({ caller, operation_id }: KernelRequest<'operation.result'>): Promise<StoredResult> {
    requireId('operation', operation_id);
    const { agent_id } = onlyAgentOf(caller);
    const seen = await readOperation(this.#tenants, caller.tenant_id, operation_id);
    if (seen === null || (agent_id !== undefined && seen.row.agent_id !== agent_id)) throw new Fault('not_found');
    const { result_ref } = seen.row;
    const opens = result_ref === null ? null : await opensKept(this.#vault, seen.row, result_ref);
    // A reference that came back without its key, as a restored copy may bring it, is of what was erased.
    if (result_ref === null || opens === null) return { v: 1, ref: null, opens: null };
    return { v: 1, ref: plainRef(result_ref), opens: opens ?? null };
  }
}
