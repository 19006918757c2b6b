// SPDX-License-Identifier: Apache-2.0
//
// The arguments and the result of a call are sealed under a key of its holder, and that key under the tenant's. The
// transaction that erases the last call under a key also deletes the key. No copy of the content can be opened from
// then on, wherever it was copied to.
//
// INVARIANT (one key a call): everything that is stored of a call is under the key that it was admitted with.
import { createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { Fault, type PermitMode } from '@writ/contract';
import { KEY_BYTES, openBytes, sealBytes, UnopenableError, type ContentSeal } from '@writ/sealing';
import { LRUCache } from 'lru-cache';
import type { PayloadField } from './payload-field.ts';
import type { TenantCipher } from './tenant-cipher.ts';

/**
 * A call with the key that it was admitted with; null: it was admitted before calls had keys, and is under its tenant's
 * key.
 */
export interface KeyedCall {
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly payload_key: string | null;
}

/** Whom a call's content is about: a person where the caller named one, else the conversation. */
export type Holder = `subject:${string}` | `session:${string}`;

/** The key that an admission seals under. It comes along wrapped until it is known to be stored. */
export interface CallKey {
  readonly key_id: string;
  /** under the tenant's key; null once it is stored */
  readonly wrapped: Buffer | null;
}

/**
 * The store of the keys of calls. Implementations MUST read within the tenant's row-level security, and MUST return
 * null for a key that isn't there.
 */
export abstract class CallKeyStore {
  /** A key by its id, wrapped. */
  abstract findKey(tenantId: string, keyId: string): Promise<Buffer | null>;
  /** The key that a call was admitted with; undefined for a call that isn't there. */
  abstract keyOf(tenantId: string, operationId: string): Promise<string | null | undefined>;
}

/**
 * Marks sealed bytes that name their key. Those of calls under their tenant's key begin with a random nonce instead.
 */
const MAGIC = Buffer.from('writ:ck1');
/** Random, 128 bits: replicas generate them without coordination. */
const KEY_ID_BYTES = 16;
const HEADER_BYTES = MAGIC.length + KEY_ID_BYTES;

/** Keys in memory at once, some 200 bytes each. */
const KEYS_MAX = 10_000;
/** Half of how long the database admits calls under a key (kernel.hold_payload_key): mostly this bound ends it. */
const ADMITS_MS = 12 * 60 * 60_000;
/** How long a key that another replica deleted may stay in this one's memory. */
const REMEMBERED_MS = 10 * 60_000;

interface GeneratedKey {
  readonly key_id: string;
  readonly wrapped: Buffer;
  stored: boolean;
}

/** Seals and opens the content of calls. */
export class CallVault {
  readonly #cipherFor: (tenantId: string) => Promise<TenantCipher>;
  readonly #store: CallKeyStore;
  readonly #admissionKeys = new LRUCache<string, GeneratedKey>({ max: KEYS_MAX, ttl: ADMITS_MS });
  readonly #clearKeys = new LRUCache<string, KeyObject>({ max: KEYS_MAX, ttl: REMEMBERED_MS });
  readonly #keyIdByCall = new LRUCache<string, { readonly key_id: string | null }>({ max: KEYS_MAX });

  constructor(cipherFor: (tenantId: string) => Promise<TenantCipher>, store: CallKeyStore) {
    this.#cipherFor = cipherFor;
    this.#store = store;
  }

  /**
   * The key to admit a call of the holder with. This replica generates it where it has none, without coordination: each
   * replica has its own key.
   * @throws Fault `not_found` for a tenant that isn't there
   */
  async keyFor(tenantId: string, holder: Holder): Promise<CallKey> {
    const cipher = await this.#cipherFor(tenantId);
    const cacheKey = `${tenantId}\n${holder}`;
    const cached = this.#admissionKeys.get(cacheKey);
    if (cached !== undefined) {
      // Caches the clear key again, whether or not its row is there: if the row is gone, the statement that admits is
      // refused.
      const clearCacheKey = `${tenantId}\n${cached.key_id}`;
      if (!this.#clearKeys.has(clearCacheKey))
        this.#clearKeys.set(clearCacheKey, createSecretKey(cipher.unwrapKey(cached.key_id, cached.wrapped)));
      return { key_id: cached.key_id, wrapped: cached.stored ? null : cached.wrapped };
    }
    const [id, clear] = [randomBytes(KEY_ID_BYTES), randomBytes(KEY_BYTES)];
    const key_id = id.toString('base64url');
    const generated = { key_id, wrapped: cipher.wrapKey(key_id, clear), stored: false };
    this.#admissionKeys.set(cacheKey, generated);
    this.#clearKeys.set(`${tenantId}\n${key_id}`, createSecretKey(clear));
    return { key_id, wrapped: generated.wrapped };
  }

  /** Notes that the key is durable: the next calls needn't bring it along. */
  markStored(tenantId: string, holder: Holder, { key_id }: CallKey): void {
    const cached = this.#admissionKeys.get(`${tenantId}\n${holder}`);
    if (cached?.key_id === key_id) cached.stored = true;
  }

  /** Notes that no call is admitted under the key any more: the next one of the holder gets another. */
  markRetired(tenantId: string, holder: Holder, { key_id }: CallKey): void {
    const cacheKey = `${tenantId}\n${holder}`;
    if (this.#admissionKeys.get(cacheKey)?.key_id === key_id) this.#admissionKeys.delete(cacheKey);
  }

  /**
   * The key's id, then nonce ‖ ciphertext ‖ tag; opens only for the same tenant, call and field.
   * @throws Error where the call's key was deleted
   */
  async seal(
    { tenant_id, operation_id, payload_key }: KeyedCall,
    field: PayloadField,
    clear: Uint8Array,
  ): Promise<Buffer> {
    const cipher = await this.#cipherFor(tenant_id);
    if (payload_key === null) return cipher.seal(operation_id, field, clear);
    const key = await this.#loadKey(cipher, tenant_id, payload_key);
    if (key === null) throw keyGoneError(operation_id);
    return Buffer.concat([
      MAGIC,
      Buffer.from(payload_key, 'base64url'),
      sealBytes(key, clear, contextOf(tenant_id, operation_id, field)),
    ]);
  }

  /** As `seal`, for a call of which only the id is at hand. @throws Fault `not_found` */
  async sealById(tenantId: string, operationId: string, field: PayloadField, clear: Uint8Array): Promise<Buffer> {
    const cacheKey = `${tenantId}\n${operationId}`;
    let cached = this.#keyIdByCall.get(cacheKey);
    if (cached === undefined) {
      const key_id = await this.#store.keyOf(tenantId, operationId);
      if (key_id === undefined) throw new Fault('not_found');
      cached = { key_id };
      this.#keyIdByCall.set(cacheKey, cached);
    }
    return await this.seal(
      { tenant_id: tenantId, operation_id: operationId, payload_key: cached.key_id },
      field,
      clear,
    );
  }

  /**
   * Null where the key was deleted: the content was erased.
   * @throws UnopenableError where the bytes aren't what `seal` returned for these names
   */
  async open(tenantId: string, operationId: string, field: PayloadField, sealed: Buffer): Promise<Buffer | null> {
    const cipher = await this.#cipherFor(tenantId);
    if (!sealed.subarray(0, MAGIC.length).equals(MAGIC)) return cipher.open(operationId, field, sealed);
    const key = await this.#loadKey(
      cipher,
      tenantId,
      sealed.subarray(MAGIC.length, HEADER_BYTES).toString('base64url'),
    );
    return key === null ? null : openBytes(key, sealed.subarray(HEADER_BYTES), contextOf(tenantId, operationId, field));
  }

  /**
   * As `open`, for a call that isn't over: its key can't have been deleted.
   * @throws UnopenableError where it is gone all the same
   */
  async openLive(tenantId: string, operationId: string, field: PayloadField, sealed: Buffer): Promise<Buffer> {
    const clear = await this.open(tenantId, operationId, field, sealed);
    if (clear === null) throw keyGoneError(operationId);
    return clear;
  }

  /**
   * Seals and opens the contents that an attempt stores, under a key of that attempt alone: an executor that receives
   * it opens no other. Null where the call's key was deleted.
   * @throws Fault `not_found` for a tenant that isn't there
   */
  async contentSeal(
    { tenant_id, operation_id, payload_key }: KeyedCall,
    attempt: number,
    mode: PermitMode,
  ): Promise<(ContentSeal & { readonly key: Buffer }) | null> {
    const cipher = await this.#cipherFor(tenant_id);
    const info = `writ/content/v1\n${tenant_id}\n${operation_id}\n${attempt}\n${mode}`;
    const from = payload_key === null ? null : await this.#loadKey(cipher, tenant_id, payload_key);
    if (payload_key !== null && from === null) return null;
    const key = from === null ? cipher.deriveKey(info) : Buffer.from(hkdfSync('sha256', from, '', info, KEY_BYTES));
    return { key, tenantId: tenant_id, operationId: operation_id, attempt };
  }

  /** As `contentSeal`, for a call that isn't over. @throws Error where its key is gone all the same */
  async liveContentSeal(
    call: KeyedCall,
    attempt: number,
    mode: PermitMode,
  ): Promise<ContentSeal & { readonly key: Buffer }> {
    const seal = await this.contentSeal(call, attempt, mode);
    if (seal === null) throw keyGoneError(call.operation_id);
    return seal;
  }

  async #loadKey(cipher: TenantCipher, tenantId: string, keyId: string): Promise<KeyObject | null> {
    const cacheKey = `${tenantId}\n${keyId}`;
    const cached = this.#clearKeys.get(cacheKey);
    if (cached !== undefined) return cached;
    const wrapped = await this.#store.findKey(tenantId, keyId);
    if (wrapped === null) return null;
    const key = createSecretKey(cipher.unwrapKey(keyId, wrapped));
    this.#clearKeys.set(cacheKey, key);
    return key;
  }
}

const keyGoneError = (operationId: string): Error =>
  new UnopenableError(`the key of operation \`${operationId}\` is gone, and it isn't over`);

const contextOf = (tenantId: string, operationId: string, field: PayloadField): string =>
  `writ/payload/v2\n${tenantId}\n${operationId}\n${field}`;
