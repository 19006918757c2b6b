// SPDX-License-Identifier: Apache-2.0
//
// What a call was given and what it returned is sealed under a key of the one it is about, and that key under the
// tenant's. Whoever erases the last call that a key seals takes the key away in the same transaction: then no copy of
// the content opens any more, wherever it was copied to.
//
// INVARIANT (one key a call): all that is kept of a call is under the key that it was admitted with.
import { createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';
import { Fault, type PermitMode } from '@writ/contract';
import { KEY_BYTES, openBytes, sealBytes, type ContentSeal } from '@writ/sealing';
import { LRUCache } from 'lru-cache';
import type { PayloadField } from './payload-field.ts';
import type { TenantCipher } from './tenant-cipher.ts';

/**
 * A call with the key that it was admitted with; null: it was admitted when there were none, and is under its tenant's.
 */
export interface KeyedCall {
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly payload_key: string | null;
}

/** The one that a call's content is about: a person where the caller named one, else the conversation. */
export type Holder = `subject:${string}` | `session:${string}`;

/** What an admission seals under, and brings along for as long as it isn't known to be stored. */
export interface CallKey {
  readonly key_id: string;
  /** under the tenant's key; null once it is stored */
  readonly wrapped: Buffer | null;
}

/**
 * Where the keys of calls are kept. Implementations MUST read within the tenant's row-level security, and MUST answer
 * null for what isn't there.
 */
export abstract class CallKeyStore {
  /** A key by its id, wrapped. */
  abstract findKey(tenantId: string, keyId: string): Promise<Buffer | null>;
  /** The key that a call was admitted with; undefined for a call that isn't there. */
  abstract keyOf(tenantId: string, operationId: string): Promise<string | null | undefined>;
}

/**
 * Tells sealed bytes that name their key from those of calls that are under their tenant's, which begin with a random
 * nonce.
 */
const MAGIC = Buffer.from('writ:ck1');
/** Random, 128 bits: they are drawn without asking anybody. */
const KEY_ID_BYTES = 16;
const HEADER_BYTES = MAGIC.length + KEY_ID_BYTES;

/** Keys at a time, some 200 bytes each. */
const KEYS_MAX = 10_000;
/**
 * Half of how long the database lets calls be admitted under a key (kernel.hold_payload_key): mostly it is this that
 * ends it.
 */
const ADMITS_MS = 12 * 60 * 60_000;
/** How long a key that another replica took away may stay in this one's memory. */
const REMEMBERED_MS = 10 * 60_000;

interface Drawn {
  readonly key_id: string;
  readonly wrapped: Buffer;
  stored: boolean;
}

/** Seals and opens the content of calls. */
export class CallVault {
  readonly #tenant: (tenantId: string) => Promise<TenantCipher>;
  readonly #store: CallKeyStore;
  readonly #drawn = new LRUCache<string, Drawn>({ max: KEYS_MAX, ttl: ADMITS_MS });
  readonly #clear = new LRUCache<string, KeyObject>({ max: KEYS_MAX, ttl: REMEMBERED_MS });
  readonly #keyOf = new LRUCache<string, { readonly key_id: string | null }>({ max: KEYS_MAX });

  constructor(tenant: (tenantId: string) => Promise<TenantCipher>, store: CallKeyStore) {
    this.#tenant = tenant;
    this.#store = store;
  }

  /**
   * The key to admit a call of the holder with. It is drawn here where this replica has none: nobody is asked, and each
   * replica has its own.
   * @throws Fault `not_found` for a tenant that isn't there
   */
  async keyFor(tenantId: string, holder: Holder): Promise<CallKey> {
    const box = await this.#tenant(tenantId);
    const place = `${tenantId}\n${holder}`;
    const known = this.#drawn.get(place);
    if (known !== undefined) {
      // In memory again, whether or not its row is there: if that is gone, the statement that admits says so.
      const memory = `${tenantId}\n${known.key_id}`;
      if (!this.#clear.has(memory))
        this.#clear.set(memory, createSecretKey(box.unwrapKey(known.key_id, known.wrapped)));
      return { key_id: known.key_id, wrapped: known.stored ? null : known.wrapped };
    }
    const [id, clear] = [randomBytes(KEY_ID_BYTES), randomBytes(KEY_BYTES)];
    const key_id = id.toString('base64url');
    const drawn = { key_id, wrapped: box.wrapKey(key_id, clear), stored: false };
    this.#drawn.set(place, drawn);
    this.#clear.set(`${tenantId}\n${key_id}`, createSecretKey(clear));
    return { key_id, wrapped: drawn.wrapped };
  }

  /** The key is durable: the next calls needn't bring it along. */
  stored(tenantId: string, holder: Holder, { key_id }: CallKey): void {
    const known = this.#drawn.get(`${tenantId}\n${holder}`);
    if (known?.key_id === key_id) known.stored = true;
  }

  /** No call is admitted under the key any more: the next one of the holder gets another. */
  retired(tenantId: string, holder: Holder, { key_id }: CallKey): void {
    const place = `${tenantId}\n${holder}`;
    if (this.#drawn.get(place)?.key_id === key_id) this.#drawn.delete(place);
  }

  /**
   * The key's id, then nonce ‖ ciphertext ‖ tag; opens only for the same tenant, call and field.
   * @throws Error where the call's key was taken away
   */
  async seal(
    { tenant_id, operation_id, payload_key }: KeyedCall,
    field: PayloadField,
    clear: Uint8Array,
  ): Promise<Buffer> {
    const box = await this.#tenant(tenant_id);
    if (payload_key === null) return box.seal(operation_id, field, clear);
    const key = await this.#keyBy(box, tenant_id, payload_key);
    if (key === null) throw gone(operation_id);
    return Buffer.concat([
      MAGIC,
      Buffer.from(payload_key, 'base64url'),
      sealBytes(key, clear, contextOf(tenant_id, operation_id, field)),
    ]);
  }

  /** As `seal`, for a call that is known by its id alone. @throws Fault `not_found` */
  async sealById(tenantId: string, operationId: string, field: PayloadField, clear: Uint8Array): Promise<Buffer> {
    const place = `${tenantId}\n${operationId}`;
    let known = this.#keyOf.get(place);
    if (known === undefined) {
      const key_id = await this.#store.keyOf(tenantId, operationId);
      if (key_id === undefined) throw new Fault('not_found');
      known = { key_id };
      this.#keyOf.set(place, known);
    }
    return await this.seal({ tenant_id: tenantId, operation_id: operationId, payload_key: known.key_id }, field, clear);
  }

  /**
   * Null where the key was taken away: the content was erased.
   * @throws Error where the bytes aren't what `seal` returned for these names
   */
  async open(tenantId: string, operationId: string, field: PayloadField, sealed: Buffer): Promise<Buffer | null> {
    const box = await this.#tenant(tenantId);
    if (!sealed.subarray(0, MAGIC.length).equals(MAGIC)) return box.open(operationId, field, sealed);
    const key = await this.#keyBy(box, tenantId, sealed.subarray(MAGIC.length, HEADER_BYTES).toString('base64url'));
    return key === null ? null : openBytes(key, sealed.subarray(HEADER_BYTES), contextOf(tenantId, operationId, field));
  }

  /**
   * As `open`, for a call that isn't over, whose key nobody can have taken.
   * @throws Error where it is gone all the same
   */
  async openLive(tenantId: string, operationId: string, field: PayloadField, sealed: Buffer): Promise<Buffer> {
    const clear = await this.open(tenantId, operationId, field, sealed);
    if (clear === null) throw gone(operationId);
    return clear;
  }

  /**
   * What seals and opens the contents that an attempt stores, under a key of that attempt alone: an executor that is
   * given it opens no other. Null where the call's key was taken away.
   * @throws Fault `not_found` for a tenant that isn't there
   */
  async contentSeal(
    { tenant_id, operation_id, payload_key }: KeyedCall,
    attempt: number,
    mode: PermitMode,
  ): Promise<(ContentSeal & { readonly key: Buffer }) | null> {
    const box = await this.#tenant(tenant_id);
    const info = `writ/content/v1\n${tenant_id}\n${operation_id}\n${attempt}\n${mode}`;
    const from = payload_key === null ? null : await this.#keyBy(box, tenant_id, payload_key);
    if (payload_key !== null && from === null) return null;
    const key = from === null ? box.deriveKey(info) : Buffer.from(hkdfSync('sha256', from, '', info, KEY_BYTES));
    return { key, tenantId: tenant_id, operationId: operation_id, attempt };
  }

  /** As `contentSeal`, for a call that isn't over. @throws Error where its key is gone all the same */
  async liveContentSeal(
    call: KeyedCall,
    attempt: number,
    mode: PermitMode,
  ): Promise<ContentSeal & { readonly key: Buffer }> {
    const seal = await this.contentSeal(call, attempt, mode);
    if (seal === null) throw gone(call.operation_id);
    return seal;
  }

  async #keyBy(box: TenantCipher, tenantId: string, keyId: string): Promise<KeyObject | null> {
    const place = `${tenantId}\n${keyId}`;
    const known = this.#clear.get(place);
    if (known !== undefined) return known;
    const wrapped = await this.#store.findKey(tenantId, keyId);
    if (wrapped === null) return null;
    const key = createSecretKey(box.unwrapKey(keyId, wrapped));
    this.#clear.set(place, key);
    return key;
  }
}

const gone = (operationId: string): Error =>
  new Error(`the key of operation \`${operationId}\` is gone, and it isn't over`);

const contextOf = (tenantId: string, operationId: string, field: PayloadField): string =>
  `writ/payload/v2\n${tenantId}\n${operationId}\n${field}`;
