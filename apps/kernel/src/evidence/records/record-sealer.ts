// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { Fault, LIMITS, type AuditRecord } from '@writ/contract';
import type { UnsealedRecord } from './compose-record.ts';

/** The subjects of the record's statement. The root that a commit led to is read from the record itself. */
export interface RecordSubjects {
  /** hex SHA-256 of the action decided on; null computes it from the record's own fields */
  readonly actionDigest: string | null;
  /** `snap_…` of the workspace after a commit, as the record's `new_snapshot_id` */
  readonly newRoot: string | null;
}

/** A record as it travels to the ledger: bytes that are never serialised again. */
export interface SealedRecord {
  readonly record_id: string;
  readonly tenant_id: string;
  /** the in-toto Statement */
  readonly payload: Buffer;
  readonly keyid: string;
  /** Ed25519 over the DSSE pre-authentication encoding of `payload` */
  readonly sig: Buffer;
  /** hex SHA-256 of `payload`; a later record that refers to this one as a decision carries it */
  readonly digest: string;
}

/**
 * The record key. Implementations MUST sign exactly the bytes that they return, MUST write the statement as
 * libs/receipt specifies, and MUST NOT let the key leave. Callers MUST store both in the transaction whose change of
 * state the record describes.
 */
export abstract class RecordSeal {
  abstract readonly keyid: string;
  abstract seal(
    record: AuditRecord,
    subjects: RecordSubjects,
  ): { readonly payload: Uint8Array; readonly sig: Uint8Array };
}

/** Makes the bytes of a record, once. */
export class RecordSealer {
  readonly #seal: RecordSeal;

  constructor(seal: RecordSeal) {
    this.#seal = seal;
  }

  /**
   * The signed record. Pure but for the key.
   * @throws Fault `record.too_large` past 16 KiB: what can't be recorded doesn't happen.
   */
  seal(record: UnsealedRecord, subjects: RecordSubjects): SealedRecord {
    const { payload, sig } = this.#seal.seal({ ...record, kernel_key_id: this.#seal.keyid }, subjects);
    if (payload.byteLength > LIMITS.recordBytes.max) throw new Fault('record.too_large');
    return {
      record_id: record.record_id,
      tenant_id: record.tenant_id,
      payload: asBuffer(payload),
      keyid: this.#seal.keyid,
      sig: asBuffer(sig),
      digest: createHash('sha256').update(payload).digest('hex'),
    };
  }
}

/** The driver sends a Buffer as bytes, and any other array as a list. */
const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
