// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type StoredResult } from '@writ/contract';
import { contentOpener, plainRef, type CallVault } from '../../evidence/payload/index.ts';
import { readOperation } from '../../execution/operation-views/read-operation.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { agentFilterOf, requireId } from '../../foundation/tenancy/index.ts';

/**
 * Returns the reference and the key of the long result of a call. INVARIANT (to who may see it): a key is returned only
 * with the hash of one content, to a caller who may read the operation. No view of an operation contains a key.
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
    const { agent_id } = agentFilterOf(caller);
    const seen = await readOperation(this.#tenants, caller.tenant_id, operation_id);
    if (seen === null || (agent_id !== undefined && seen.row.agent_id !== agent_id)) throw new Fault('not_found');
    const { result_ref } = seen.row;
    const decryptionKey = result_ref === null ? null : await contentOpener(this.#vault, seen.row, result_ref);
    // A reference without its key belongs to an erased result, for example from a restored backup.
    if (result_ref === null || decryptionKey === null) return { v: 1, ref: null, opens: null };
    return { v: 1, ref: plainRef(result_ref), opens: decryptionKey ?? null };
  }
}
