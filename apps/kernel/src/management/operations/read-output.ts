// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type KeptOutput, type OutputRef } from '@writ/contract';
import { inTenant } from '@writ/database';
import { opensKept, type CallVault } from '../../evidence/payload/index.ts';
import type { ContentRef } from '../../foundation/rows/content-ref.ts';
import { readOperation } from '../../execution/operations/read-operation.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { onlyAgentOf, requireId } from '../../foundation/tenancy/index.ts';

/** A stream as kernel.kept_output names it. */
type KeptStream = OutputRef & ContentRef;

/** Says where the full output of a call is, and what opens it. */
export class ReadOutput {
  readonly #tenants: TenantPool;
  readonly #vault: CallVault;

  constructor(tenants: TenantPool, vault: CallVault) {
    this.#tenants = tenants;
    this.#vault = vault;
  }

  /** @throws Fault `not_found`, for an agent's key also for another agent's calls; `output.not_kept` */
  async run({ caller, operation_id, stream }: KernelRequest<'operation.output'>): Promise<KeptOutput> {
    requireId('operation', operation_id);
    const { agent_id } = onlyAgentOf(caller);
    const seen = await readOperation(this.#tenants, caller.tenant_id, operation_id);
    if (seen === null || (agent_id !== undefined && seen.row.agent_id !== agent_id)) throw new Fault('not_found');
    const { expires_at } = keptOf(seen.row);
    if (expires_at === null)
      throw new Fault(
        'output.not_kept',
        `the whole output of \`${operation_id}\` was not kept: the tenant's outputs were at their bound (\`outputs_bytes_max\`)`,
      );
    const ref = seen.now < expires_at ? await this.#refOf(seen.row, stream) : null;
    const opens = ref === null ? null : await opensKept(this.#vault, seen.row, ref);
    // Gone from the moment that was told, whenever its row is swept; and with its call's key, whatever copy of the row
    // there is.
    if (ref === null || opens === null)
      throw new Fault(
        'output.not_kept',
        `the whole output of \`${operation_id}\` was kept until ${new Date(expires_at).toISOString()}`,
      );
    const { sealed: _by, ...named } = ref;
    return { v: 1, ref: named, expires_at, ...(opens === undefined ? {} : { opens }) };
  }

  async #refOf(
    { tenant_id, operation_id, attempt }: OperationRow,
    stream: 'stdout' | 'stderr',
  ): Promise<KeptStream | null> {
    return await inTenant(
      this.#tenants.pool,
      tenant_id,
      async (client) => {
        const { rows } = await client.query<{ stdout_ref: KeptStream; stderr_ref: KeptStream }>(
          'SELECT stdout_ref, stderr_ref FROM kernel.kept_output WHERE operation_id = $1 AND attempt = $2',
          [operation_id, attempt],
        );
        return rows[0]?.[`${stream}_ref`] ?? null;
      },
      { readOnly: true },
    );
  }
}

function keptOf({ operation_id, attempt, whole_output }: OperationRow): { readonly expires_at: number | null } {
  if (whole_output?.attempt !== attempt)
    throw new Fault(
      'output.not_kept',
      `no whole output of \`${operation_id}\` was kept: what its result shows is all that there is`,
    );
  return whole_output;
}
