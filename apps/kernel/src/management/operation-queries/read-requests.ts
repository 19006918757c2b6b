// SPDX-License-Identifier: Apache-2.0
import { Fault, type EgressRequest, type EgressRequestPage, type KernelRequest } from '@writ/contract';
import { inTenant } from '@writ/database';
import { parseJson, sha256Hex } from '@writ/digest';
import { badCursor } from '@writ/paging';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { readOperation } from '../../execution/operation-views/read-operation.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { agentFilterOf, requireId } from '../../foundation/tenancy/index.ts';

const CURSOR = /^[0-9]{1,9}$/;

/** Shows the outgoing requests of a call: the list whose count and hash are in its record. */
export class ReadRequests {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;

  constructor(tenants: TenantPool, vault: TenantVault) {
    this.#tenants = tenants;
    this.#vault = vault;
  }

  /** @throws Fault `not_found`, for an agent's key also for another agent's calls; `request.malformed` */
  async run({ caller, operation_id, page }: KernelRequest<'operation.requests'>): Promise<EgressRequestPage> {
    requireId('operation', operation_id);
    if (page.cursor !== null && !CURSOR.test(page.cursor)) throw badCursor();
    const { agent_id } = agentFilterOf(caller);
    const seen = await readOperation(this.#tenants, caller.tenant_id, operation_id);
    if (seen === null || (agent_id !== undefined && seen.row.agent_id !== agent_id)) throw new Fault('not_found');
    const bytes = await this.#listOf(caller.tenant_id, operation_id);
    const list = bytes === null ? [] : (parseJson(bytes.toString('utf8')) as EgressRequest[]);
    const from = Number(page.cursor ?? 0);
    const to = from + page.limit;
    return {
      items: list.slice(from, to),
      next_cursor: to < list.length ? String(to) : null,
      total: list.length,
      hash: bytes === null ? null : sha256Hex(bytes),
    };
  }

  /** Null for a call without outgoing requests, and for one whose payload was erased. */
  async #listOf(tenantId: string, operationId: string): Promise<Buffer | null> {
    const sealed = await inTenant(
      this.#tenants.pool,
      tenantId,
      async (client) => {
        const { rows } = await client.query<{ requests: Buffer | null }>(
          'SELECT requests FROM kernel.payload WHERE operation_id = $1',
          [operationId],
        );
        return rows[0]?.requests ?? null;
      },
      { readOnly: true },
    );
    return sealed === null ? null : await this.#vault.calls.open(tenantId, operationId, 'requests', sealed);
  }
}
