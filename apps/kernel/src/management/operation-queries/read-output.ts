// SPDX-License-Identifier: Apache-2.0
import { Fault, type KernelRequest, type FullOutputRef, type OutputRef } from '@writ/contract';
import { inTenant } from '@writ/database';
import { contentOpener, type CallVault } from '../../evidence/payload/index.ts';
import type { ContentRef } from '../../foundation/rows/content-ref.ts';
import { readOperation } from '../../execution/operation-views/read-operation.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { agentFilterOf, requireId } from '../../foundation/tenancy/index.ts';

/** The reference of a stream in kernel.kept_output. */
type KeptStream = OutputRef & ContentRef;

/** Returns the reference and the key of the full output of a call. */
export class ReadOutput {
  readonly #tenants: TenantPool;
  readonly #vault: CallVault;

  constructor(tenants: TenantPool, vault: CallVault) {
    this.#tenants = tenants;
    this.#vault = vault;
  }

  /** @throws Fault `not_found`, for an agent's key also for another agent's calls; `output.not_kept` */
  async run({ caller, operation_id, stream }: KernelRequest<'operation.output'>): Promise<FullOutputRef> {
    requireId('operation', operation_id);
    const { agent_id } = agentFilterOf(caller);
    const seen = await readOperation(this.#tenants, caller.tenant_id, operation_id);
    if (seen === null || (agent_id !== undefined && seen.row.agent_id !== agent_id)) throw new Fault('not_found');
    const { expires_at } = storedOutputOf(seen.row);
    if (expires_at === null)
      throw new Fault(
        'output.not_kept',
        `the full output of \`${operation_id}\` was not stored: the tenant's outputs were at their limit (\`outputs_bytes_max\`)`,
      );
    const ref = seen.now < expires_at ? await this.#refOf(seen.row, stream) : null;
    const decryptionKey = ref === null ? null : await contentOpener(this.#vault, seen.row, ref);
    // The output ends at the announced time, whenever its row is swept. It also ends with the key of its call, whatever
    // copy of the row exists.
    if (ref === null || decryptionKey === null)
      throw new Fault(
        'output.not_kept',
        `the full output of \`${operation_id}\` was stored until ${new Date(expires_at).toISOString()}`,
      );
    const { sealed: _by, ...named } = ref;
    return { v: 1, ref: named, expires_at, ...(decryptionKey === undefined ? {} : { opens: decryptionKey }) };
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

function storedOutputOf({ operation_id, attempt, whole_output }: OperationRow): { readonly expires_at: number | null } {
  if (whole_output?.attempt !== attempt)
    throw new Fault(
      'output.not_kept',
      `no full output of \`${operation_id}\` was stored: its result shows all of its output`,
    );
  return whole_output;
}
