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
 * The store of a tenant's wrapped keys. Implementations MUST return null for a tenant that isn't there, and MUST read
 * within that tenant's row-level security.
 */
export abstract class WrappedKeyStore extends CallKeyStore {
  abstract find(tenantId: string): Promise<WrappedKeys | null>;
}

/** Encrypts what may be erased, and fingerprints arguments, under keys of the tenant that only the master key opens. */
export class TenantVault {
  readonly #master: MasterKeys;
  readonly #store: WrappedKeyStore;
  readonly #ciphers = new LRUCache<string, TenantCipher>({ max: TENANTS_MAX });

  /** Seals the arguments and results of calls, under keys of those whom they are about. */
  readonly calls: CallVault;

  constructor(master: MasterKeys, store: WrappedKeyStore) {
    this.#master = master;
    this.#store = store;
    this.calls = new CallVault((tenantId) => this.cipherFor(tenantId), store);
  }

  /** The tenant's cipher, from its keys. @throws Fault `not_found` for a tenant that isn't there. */
  async cipherFor(tenantId: string): Promise<TenantCipher> {
    const cached = this.#ciphers.get(tenantId);
    if (cached !== undefined) return cached;
    const wrapped = await this.#store.find(tenantId);
    if (wrapped === null) throw new Fault('not_found');
    const cipher = new TenantCipher(tenantId, unwrapTenantKeys(this.#master, tenantId, wrapped));
    this.#ciphers.set(tenantId, cipher);
    return cipher;
  }
}
