// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type OperationView } from '@writ/contract';
import { readOperation } from '../../execution/operation-views/read-operation.ts';
import type { OperationViews } from '../../execution/operation-views/operation-views.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { agentFilterOf, requireId } from '../../foundation/tenancy/index.ts';

/** How long the answer waits for the log to include the outcome. */
const RECEIPT_WAIT_MS = 250;
/** An operation that ended earlier has its receipt, or waits for a ledger that is down, so waiting is useless. */
const JUST_ENDED_MS = 2_000;

/** Shows one operation. Callers request it right after the end of a call, so it takes one round trip. */
export class ReadOperation {
  readonly #tenants: TenantPool;
  readonly #views: OperationViews;

  constructor(tenants: TenantPool, views: OperationViews) {
    this.#tenants = tenants;
    this.#views = views;
  }

  /** @throws Fault `not_found`, for an agent's key also for another agent's calls */
  async run({ caller, operation_id }: KernelRequest<'operation.read'>): Promise<OperationView> {
    requireId('operation', operation_id);
    const { agent_id } = agentFilterOf(caller);
    const seen = await readOperation(this.#tenants, caller.tenant_id, operation_id);
    if (seen === null || (agent_id !== undefined && seen.row.agent_id !== agent_id)) throw new Fault('not_found');
    const isFresh = seen.now - seen.row.updated_at < JUST_ENDED_MS;
    return await this.#views.of(seen.row, { waitMs: isFresh ? RECEIPT_WAIT_MS : 0, sealedResult: seen.sealedResult });
  }
}
