// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, RECORD_PAYLOAD_TYPE } from '@writ/contract';
import type { AuditRecord } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import { sealEnvelope } from '@writ/signing';
import type { Envelope, Signer } from '@writ/signing';
import { demand } from './run-check.ts';
import { statementOf } from './statement.ts';

export interface SealedRecord {
  /**
   * The statement's bytes: the leaf of the log. Callers MUST store and send these and MUST NOT serialise the record
   * again.
   */
  readonly payloadBytes: Uint8Array;
  readonly envelope: Envelope;
}

/**
 * Serialises a record and signs the bytes, once. `digest` as in `statementOf`.
 *
 * @throws Fault `record.too_large` beyond 16 KiB; ReceiptError for a record that every verifier would refuse: a bug of
 * the caller.
 */
export function sealRecord(record: AuditRecord, signer: Signer, digest?: string): SealedRecord {
  demand(
    'record_key',
    record.kernel_key_id === signer.keyid,
    'the record names another key than the one that signs it',
  );
  const payloadBytes = canonicalBytes(statementOf(record, digest));
  if (payloadBytes.length > LIMITS.recordBytes.max) throw new Fault('record.too_large');
  return { payloadBytes, envelope: sealEnvelope(RECORD_PAYLOAD_TYPE, payloadBytes, signer) };
}
