// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { MasterKeys } from '@writ/sealing';
import { CallKeyStore, CallVault } from './call-vault.ts';
import { TenantCipher } from './tenant-cipher.ts';
import { unwrapTenantKeys, type WrappedKeys } from './wrapped-keys.ts';

/** Keys unwrapped at a time: 64 bytes each, for as many tenants as one replica sees in a while. */
const TENANTS_MAX = 10_000;

/**
 * Where a tenant's wrapped keys are kept. Implementations MUST answer null for a tenant that isn't there, and MUST read
 * within that tenant's row-level security.
 */
export abstract class WrappedKeyStore extends CallKeyStore {
  abstract find(tenantId: string): Promise<WrappedKeys | null>;
}

/** Encrypts what may be erased, and fingerprints arguments, under keys of the tenant that only the master key opens. */
export class TenantVault {
  readonly #master: MasterKeys;
  readonly #store: WrappedKeyStore;
  readonly #boxes = new LRUCache<string, TenantCipher>({ max: TENANTS_MAX });

  /** What calls were given and returned, which is under keys of those whom it is about. */
  readonly calls: CallVault;

  constructor(master: MasterKeys, store: WrappedKeyStore) {
    this.#master = master;
    this.#store = store;
    this.calls = new CallVault((tenantId) => this.of(tenantId), store);
  }

  /** The tenant's box, from its keys. @throws Fault `not_found` for a tenant that isn't there. */
  async of(tenantId: string): Promise<TenantCipher> {
    const known = this.#boxes.get(tenantId);
    if (known !== undefined) return known;
    const wrapped = await this.#store.find(tenantId);
    if (wrapped === null) throw new Fault('not_found');
    const box = new TenantCipher(tenantId, unwrapTenantKeys(this.#master, tenantId, wrapped));
    this.#boxes.set(tenantId, box);
    return box;
  }
}
