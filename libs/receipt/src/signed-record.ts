// SPDX-License-Identifier: Apache-2.0
//
// Parses a payload after its signature was verified, and checks the key's validity: the same for a receipt and for a
// leaf of a log.
import { predicateTypeOf } from '@writ/contract';
import type { AuditRecord } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import type { KeySet, RecordKey } from './key-set.ts';
import { demand, within } from './run-check.ts';
import { parseStatement, requireRecord, requireSubjects } from './statement.ts';
import type { Subject } from './statement.ts';

/** Deeper than any record, which has lists and objects of scalars only. */
const STATEMENT_DEPTH = 16;

export interface SignedRecord {
  readonly record: AuditRecord;
  readonly subject: readonly Subject[];
}

/**
 * Parses the record in a payload. Callers MUST have verified the signature over exactly these bytes.
 *
 * @throws ReceiptError `statement`, `record`, `predicate_type` or `subject`
 */
export function readRecord(payload: Uint8Array): SignedRecord {
  const { subject, predicateType, predicate } = parseStatement(
    within('statement', () => parseIJson(payload, { depthMax: STATEMENT_DEPTH })),
  );
  const record = requireRecord(predicate);
  demand(
    'predicate_type',
    predicateType === predicateTypeOf(record.kind),
    'the predicate type is of another kind than the record',
  );
  requireSubjects(subject, record);
  return { record, subject };
}

/**
 * The key that signed a record, known and valid when the record was made. Callers decide what a revocation means.
 *
 * @throws ReceiptError `record_key` or `key_validity`
 */
export function requireSigningKey(record: AuditRecord, keyid: string, keys: KeySet): RecordKey {
  demand('record_key', record.kernel_key_id === keyid, 'the record names another key than the one that signed it');
  const key = keys.recordKeys.get(keyid) as RecordKey; // known, or its signature would not have been verified
  const isValid =
    (key.notBefore ?? -Infinity) <= record.recorded_at && record.recorded_at <= (key.notAfter ?? Infinity);
  demand('key_validity', isValid, 'the key was not valid when the record was made');
  return key;
}
