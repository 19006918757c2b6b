// SPDX-License-Identifier: Apache-2.0
import { LIMITS, RECORD_PAYLOAD_TYPE, type AuditRecord } from '@writ/contract';
import { canonicalBytes, parseIJson } from '@writ/digest';
import { statementOf, type KeySet } from '@writ/receipt';
import { encodeBase64, verifyEnvelope } from '@writ/signing';
import type { Findings } from './findings.ts';
import type { LeafRow } from './rows.ts';

/** Deeper than any record, whose lists and objects contain only scalars. */
const STATEMENT_DEPTH = 16;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The record that the kernel signed, or why there is none. */
function verifyRecord({ payload, keyid, sig }: LeafRow, keys: KeySet): AuditRecord {
  const verifiers = new Map([...keys.recordKeys].map(([id, { verifier }]) => [id, verifier]));
  const envelope = {
    payloadType: RECORD_PAYLOAD_TYPE,
    payload: encodeBase64(payload),
    signatures: [{ keyid, sig: encodeBase64(sig) }],
  };
  const signed = verifyEnvelope(envelope, verifiers, RECORD_PAYLOAD_TYPE);
  const { predicate, subject } = parseIJson(signed, { depthMax: STATEMENT_DEPTH }) as unknown as {
    predicate: AuditRecord;
    subject: { digest: { sha256: string } }[];
  };
  // Serialised again from its parsed form, it must have the same bytes: then it is a consistent record in the canonical
  // form.
  const again = canonicalBytes(statementOf(predicate, subject[0]?.digest.sha256));
  if (Buffer.compare(again, signed) !== 0) throw new Error('the statement is not written as records are');
  return predicate;
}

function isKeyValid({ keyid }: LeafRow, { recorded_at }: AuditRecord, keys: KeySet): boolean {
  const key = keys.recordKeys.get(keyid);
  return key !== undefined && (key.notBefore ?? -Infinity) <= recorded_at && recorded_at <= (key.notAfter ?? Infinity);
}

/**
 * Checks one stored record: the kernel's signature, the record's own consistency, and every column that was copied from
 * it.
 *
 * @returns the record, or null if the row has no signed record
 */
export function checkLeaf(logId: string, row: LeafRow, keys: KeySet, findings: Findings): AuditRecord | null {
  const where = `leaf ${row.leaf_index}`;
  let record: AuditRecord;
  try {
    record = verifyRecord(row, keys);
  } catch (error) {
    findings.add(where, `holds no record that a known key signed: ${messageOf(error)}`);
    return null;
  }
  findings.demand(row.payload.length <= LIMITS.recordBytes.max, where, `has a record of ${row.payload.length} bytes`);
  findings.demand(record.log_id === logId, where, `is a record of the log \`${record.log_id}\``);
  findings.demand(record.kernel_key_id === row.keyid, where, 'is signed by another key than the record names');
  findings.demand(isKeyValid(row, record, keys), where, 'was recorded when its key was not valid');
  for (const column of ['tenant_id', 'record_id', 'kind', 'operation_id', 'phase', 'recorded_at'] as const) {
    findings.demand(
      row[column] === record[column],
      where,
      `\`${column}\` is \`${String(row[column])}\`, the record says \`${String(record[column])}\``,
    );
  }
  return record;
}
