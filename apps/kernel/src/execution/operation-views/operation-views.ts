// SPDX-License-Identifier: Apache-2.0
import { isFinal, type OperationView } from '@writ/contract';
import { inTenant } from '@writ/database';
import { parseJson } from '@writ/digest';
import type { TenantVault } from '../../evidence/payload/index.ts';
import type { Receipts } from '../../evidence/outbox/receipts.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import { lastRecordOf, viewOf } from './operation-view.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import { readVotes } from '../held/votes-of-call.ts';

export interface ViewOptions {
  readonly replayed?: boolean;
  /** how long to wait for the receipt of an operation that has ended; 0 by default */
  readonly waitMs?: number;
  /** the encrypted result where it was read already, null where there is none; read by default */
  readonly sealedResult?: Buffer | null;
}

/** Makes the view of an operation: decrypts its result and adds the state of its receipt. */
export class OperationViews {
  readonly #tenants: TenantPool;
  readonly #vault: TenantVault;
  readonly #receipts: Receipts;

  constructor(tenants: TenantPool, vault: TenantVault, receipts: Receipts) {
    this.#tenants = tenants;
    this.#vault = vault;
    this.#receipts = receipts;
  }

  async of(row: OperationRow, options: ViewOptions = {}): Promise<OperationView> {
    const replayed = options.replayed ?? false;
    if (row.state === 'held')
      return viewOf(row, {
        replayed,
        result: null,
        receipt: null,
        votes: (await readVotes(this.#tenants, row.tenant_id, [row.operation_id])).get(row.operation_id),
      });
    if (!isFinal(row.state)) return viewOf(row, { replayed, result: null, receipt: null });
    const [result, receipt] = await Promise.all([
      this.#resultOf(row, options.sealedResult),
      this.#receipts.wait(lastRecordOf(row), options.waitMs ?? 0),
    ]);
    return viewOf(row, { replayed, result, receipt });
  }

  /** Null where the call has none, where it is a blob, and where it was erased. */
  async #resultOf(row: OperationRow, given: Buffer | null | undefined): Promise<unknown> {
    if (row.result_hash === null || row.result_ref !== null) return null;
    const sealed = given === undefined ? await this.#readSealed(row) : given;
    if (sealed === null) return null;
    const clear = await this.#vault.calls.open(row.tenant_id, row.operation_id, 'result', sealed);
    return clear === null ? null : parseJson(clear.toString('utf8'));
  }

  async #readSealed(row: OperationRow): Promise<Buffer | null> {
    return await inTenant(
      this.#tenants.pool,
      row.tenant_id,
      async (client) => {
        const { rows } = await client.query<{ result: Buffer | null }>(
          'SELECT result FROM kernel.payload WHERE operation_id = $1',
          [row.operation_id],
        );
        return rows[0]?.result ?? null;
      },
      { readOnly: true },
    );
  }
}
