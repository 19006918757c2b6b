// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { masterKeyId, type MasterKeys } from '@writ/sealing';
import type { Changes } from '../../evidence/changes/index.ts';
import { unwrapTenantKeys, wrapTenantKeys } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Tenants that one statement lists. Each has its own transaction. */
const BATCH = 100;
const ACTOR = 'kernel';

/**
 * The result of a pass: the number of re-wrapped tenants, and the tenants whose keys no configured master key opens.
 */
export interface Rewrapped {
  readonly done: number;
  readonly unopened: readonly string[];
}

/**
 * Wraps the keys of tenants under the current master key after it has changed. After a crash, tenants are under either
 * key. Both stay configured until the old one is removed, and the next pass continues. Data that is sealed under a
 * tenant's keys isn't changed.
 */
export class RewrapKeys {
  readonly #workers: CrossTenantPool;
  readonly #changes: Changes;
  readonly #master: MasterKeys;

  constructor(workers: CrossTenantPool, changes: Changes, master: MasterKeys) {
    this.#workers = workers;
    this.#changes = changes;
    this.#master = master;
  }

  /**
   * Checks every tenant that isn't stored as under the current key. Several replicas may run at once: only one wraps
   * and records a tenant.
   */
  async run(): Promise<Rewrapped> {
    const id = masterKeyId(this.#master.current);
    const unopened: string[] = [];
    let done = 0;
    for (let after = '', found: TenantId[]; ; after = found.at(-1) ?? '') {
      found = await kernelSql.wrappedOtherwise(this.#workers.pool, { key: id, after, limit: BATCH });
      for (const tenantId of found) {
        const rewrapped = await this.#rewrap(tenantId, id);
        if (rewrapped === null) unopened.push(tenantId);
        else if (rewrapped) done += 1;
      }
      if (found.length < BATCH) return { done, unopened };
    }
  }

  /**
   * Null where the keys don't open. False where they are already under the current or the next key, or another replica
   * was faster.
   */
  async #rewrap(tenantId: TenantId, id: string): Promise<boolean | null> {
    const { current, before, next } = this.#master;
    return await this.#changes.upkeep<boolean | null>(tenantId, async (rows) => {
      const row = await rows.tenant.findUniqueOrThrow({
        where: { tenant_id: tenantId },
        select: { data_key: true, finger_key: true, master_key_id: true },
      });
      if (row.master_key_id === id || (next !== null && row.master_key_id === masterKeyId(next)))
        return { value: false, records: [] };
      const wrapped = { data_key: Buffer.from(row.data_key), finger_key: Buffer.from(row.finger_key) };
      const keys = tryUnwrap({ current, before, next: null }, tenantId, wrapped);
      if (keys === null) return { value: null, records: [] };
      const newlyWrapped = wrapTenantKeys(current, tenantId, keys);
      const { count } = await rows.tenant.updateMany({
        where: { tenant_id: tenantId, data_key: row.data_key },
        data: {
          data_key: new Uint8Array(newlyWrapped.data_key),
          finger_key: new Uint8Array(newlyWrapped.finger_key),
          master_key_id: id,
        },
      });
      if (count === 0) return { value: false, records: [] };
      return {
        value: true,
        records: [
          { kind: 'change', actor: ACTOR, change: { verb: 'tenant_keys_rewrapped', subject: tenantId, digest: null } },
        ],
      };
    });
  }
}

function tryUnwrap(...args: Parameters<typeof unwrapTenantKeys>): ReturnType<typeof unwrapTenantKeys> | null {
  try {
    return unwrapTenantKeys(...args);
  } catch {
    return null;
  }
}
