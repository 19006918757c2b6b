// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { masterKeyId, type MasterKeys } from '@writ/sealing';
import type { Changes } from '../../evidence/changes/index.ts';
import { unwrapTenantKeys, wrapTenantKeys } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Tenants named in one statement; each is a transaction of its own. */
const BATCH = 100;
const ACTOR = 'kernel';

/** How a pass ended: tenants wrapped anew, and those whose keys no master key that is known opens. */
export interface Rewrapped {
  readonly done: number;
  readonly unopened: readonly string[];
}

/**
 * Wraps the keys of tenants anew under the current master key, once that has changed. A crash in between leaves tenants
 * under either key, both of which are known until the old one is taken out of the configuration; the next pass goes on.
 * What was sealed under a tenant's keys isn't touched.
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
   * Looks at every tenant that isn't said to be under the current key. Replicas may do so at once: one of them wraps a
   * tenant, and records it.
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
   * Null where the keys don't open; false where they are as they should be, or under the key that comes next, or
   * another replica was faster.
   */
  async #rewrap(tenantId: TenantId, id: string): Promise<boolean | null> {
    const { current, before, next } = this.#master;
    return await this.#changes.make<boolean | null>(tenantId, async (rows) => {
      const row = await rows.tenant.findUniqueOrThrow({
        where: { tenant_id: tenantId },
        select: { data_key: true, finger_key: true, master_key_id: true },
      });
      if (row.master_key_id === id || (next !== null && row.master_key_id === masterKeyId(next)))
        return { value: false, records: [] };
      const wrapped = { data_key: Buffer.from(row.data_key), finger_key: Buffer.from(row.finger_key) };
      const keys = opened({ current, before, next: null }, tenantId, wrapped);
      if (keys === null) return { value: null, records: [] };
      const anew = wrapTenantKeys(current, tenantId, keys);
      const { count } = await rows.tenant.updateMany({
        where: { tenant_id: tenantId, data_key: row.data_key },
        data: {
          data_key: new Uint8Array(anew.data_key),
          finger_key: new Uint8Array(anew.finger_key),
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

function opened(...args: Parameters<typeof unwrapTenantKeys>): ReturnType<typeof unwrapTenantKeys> | null {
  try {
    return unwrapTenantKeys(...args);
  } catch {
    return null;
  }
}
