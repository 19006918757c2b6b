// SPDX-License-Identifier: Apache-2.0
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { KEY_BYTES, openBytes, sealBytes } from '@writ/sealing';
import type { PayloadField } from './payload-field.ts';
import type { TenantKeys } from './wrapped-keys.ts';

/**
 * The kinds of sealed values: given to a session, by approval and name; stored, by name and version; of a connection,
 * by server, person and connection.
 */
export type ValueKind = 'session-value' | 'secret' | 'mcp-connection';

/** 64 bits: a tenant has a handful of keys in its life. */
const KEY_ID_CHARS = 16;

/** One tenant's encryption and fingerprints; synchronous, for use between two statements. */
export class TenantCipher {
  readonly #tenantId: string;
  readonly #data: KeyObject;
  readonly #finger: KeyObject;

  constructor(tenantId: string, { data, finger }: TenantKeys) {
    this.#tenantId = tenantId;
    [this.#data, this.#finger] = [createSecretKey(data), createSecretKey(finger)];
  }

  /**
   * Seals content of a call that was admitted before calls had keys: nonce ‖ ciphertext ‖ tag; opens only for the same
   * tenant, operation and field.
   */
  seal(operationId: string, field: PayloadField, clear: Uint8Array): Buffer {
    return sealBytes(this.#data, clear, this.#context(operationId, field));
  }

  /** @throws Error where the bytes aren't what `seal` returned for these names. */
  open(operationId: string, field: PayloadField, sealed: Buffer): Buffer {
    return openBytes(this.#data, sealed, this.#context(operationId, field));
  }

  /** Wraps the key of calls that has this id: opens only for the same tenant and id. */
  wrapKey(keyId: string, clear: Buffer): Buffer {
    return sealBytes(this.#data, clear, this.#keyContext(keyId));
  }

  /** @throws Error where the bytes aren't what `wrapKey` returned for this id. */
  unwrapKey(keyId: string, wrapped: Buffer): Buffer {
    return openBytes(this.#data, wrapped, this.#keyContext(keyId));
  }

  /** A key for content outside the database, of a call that was admitted before calls had keys. */
  deriveKey(info: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#data, '', info, KEY_BYTES));
  }

  /** The key for the recordings of an audio device. No other device of any tenant has it. */
  audioKey(deviceId: string): Buffer {
    return this.deriveKey(`writ/audio-device/v1\n${deviceId}`);
  }

  /** As `seal`, for a named value: opens only for the same tenant, kind, and names in this order. */
  sealValue(kind: ValueKind, names: readonly string[], clear: Uint8Array): Buffer {
    return sealBytes(this.#data, clear, this.#valueContext(kind, names));
  }

  /** @throws Error where the bytes aren't what `sealValue` returned for these names. */
  openValue(kind: ValueKind, names: readonly string[], sealed: Buffer): Buffer {
    return openBytes(this.#data, sealed, this.#valueContext(kind, names));
  }

  /** Identifies the data key that sealed something, and reveals nothing about the key. */
  get keyId(): string {
    return createHmac('sha256', this.#data).update('writ/key-id/v1').digest('hex').slice(0, KEY_ID_CHARS);
  }

  /**
   * HMAC-SHA-256 of the RFC 8785 bytes of the arguments: equal for equal arguments, and reveals nothing without the
   * key.
   */
  fingerprint(canonicalArgs: Uint8Array): Buffer {
    return createHmac('sha256', this.#finger).update(canonicalArgs).digest();
  }

  #keyContext(keyId: string): string {
    return `writ/call-key/v1\n${this.#tenantId}\n${keyId}`;
  }

  #valueContext(kind: ValueKind, names: readonly string[]): string {
    return `writ/${kind}/v1\n${this.#tenantId}\n${names.join('\n')}`;
  }

  #context(operationId: string, field: PayloadField): string {
    return `writ/payload/v1\n${this.#tenantId}\n${operationId}\n${field}`;
  }
}
