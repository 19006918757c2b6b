// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { Fault } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { openBytes, sealBytes, type MasterKeys } from '@writ/nest-kit';
import { unwrapTenantKeys, type TenantKeys, type WrappedKeys } from './wrapped-keys.ts';

/** The columns of kernel.payload that are encrypted; bound into the ciphertext, so that one can't be read as another. */
export type PayloadField = 'args' | 'salt' | 'result' | 'staged' | 'requests' | 'announced';

/** What values are sealed as: given to a session, by approval and name; stored, by name and version. */
export type ValueKind = 'session-value' | 'secret';

/** 64 bits: a tenant has a handful of keys in its life. */
const KEY_ID_CHARS = 16;
/** Keys unwrapped at a time: 64 bytes each, for as many tenants as one replica sees in a while. */
const TENANTS_MAX = 10_000;

/**
 * Where a tenant's wrapped keys are kept. Implementations MUST answer null for a tenant that isn't there, and MUST read within that
 * tenant's row-level security.
 */
export abstract class WrappedKeyStore {
  abstract find(tenantId: string): Promise<WrappedKeys | null>;
}

/** Encrypts what may be erased, and fingerprints arguments, under keys of the tenant that only the master key opens. */
export class TenantVault {
  readonly #master: MasterKeys;
  readonly #store: WrappedKeyStore;
  readonly #keys = new LRUCache<string, TenantKeys>({ max: TENANTS_MAX });

  constructor(master: MasterKeys, store: WrappedKeyStore) {
    this.#master = master;
    this.#store = store;
  }

  /** The tenant's box, from its keys. @throws Fault `not_found` for a tenant that isn't there. */
  async of(tenantId: string): Promise<TenantBox> {
    let keys = this.#keys.get(tenantId);
    if (keys === undefined) {
      const wrapped = await this.#store.find(tenantId);
      if (wrapped === null) throw new Fault('not_found');
      keys = unwrapTenantKeys(this.#master, tenantId, wrapped);
      this.#keys.set(tenantId, keys);
    }
    return new TenantBox(tenantId, keys);
  }
}

/** One tenant's encryption and fingerprints; synchronous, for use between two statements. */
export class TenantBox {
  readonly #tenantId: string;
  readonly #keys: TenantKeys;

  constructor(tenantId: string, keys: TenantKeys) {
    this.#tenantId = tenantId;
    this.#keys = keys;
  }

  /** nonce ‖ ciphertext ‖ tag; opens only for the same tenant, operation and field. */
  seal(operationId: string, field: PayloadField, clear: Uint8Array): Buffer {
    return sealBytes(this.#keys.data, clear, this.#context(operationId, field));
  }

  /** @throws Error where the bytes aren't what `seal` returned for these names. */
  open(operationId: string, field: PayloadField, sealed: Buffer): Buffer {
    return openBytes(this.#keys.data, sealed, this.#context(operationId, field));
  }

  /** As `seal`, for a value of a name: opens only for the same tenant, kind, and names in this order. */
  sealValue(kind: ValueKind, names: readonly string[], clear: Uint8Array): Buffer {
    return sealBytes(this.#keys.data, clear, this.#valueContext(kind, names));
  }

  /** @throws Error where the bytes aren't what `sealValue` returned for these names. */
  openValue(kind: ValueKind, names: readonly string[], sealed: Buffer): Buffer {
    return openBytes(this.#keys.data, sealed, this.#valueContext(kind, names));
  }

  /** Tells which data key sealed something, and nothing about the key. */
  get keyId(): string {
    return createHmac('sha256', this.#keys.data).update('writ/key-id/v1').digest('hex').slice(0, KEY_ID_CHARS);
  }

  /** HMAC-SHA-256 of the RFC 8785 bytes of the arguments: equal for equal arguments, and tells nothing without the key. */
  fingerprint(canonicalArgs: Uint8Array): Buffer {
    return createHmac('sha256', this.#keys.finger).update(canonicalArgs).digest();
  }

  #valueContext(kind: ValueKind, names: readonly string[]): string {
    return `writ/${kind}/v1\n${this.#tenantId}\n${names.join('\n')}`;
  }

  #context(operationId: string, field: PayloadField): string {
    return `writ/payload/v1\n${this.#tenantId}\n${operationId}\n${field}`;
  }
}
