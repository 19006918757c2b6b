// SPDX-License-Identifier: Apache-2.0
import { logIdOf, RECORD_PAYLOAD_TYPE, type TenantId } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import type { KeySet } from '@writ/receipt';
import { encodeBase64, verifyEnvelope } from '@writ/signing';
import type { LeafRow } from './rows.ts';

interface Statement { predicate?: Record<string, unknown> }

/** Depth of a record's JSON: a statement, its predicate, a list in it, with room. */
const DEPTH_MAX = 16;

/**
 * What is wrong with a row: its signature, its statement, or a column that doesn't say what the signed bytes say. The columns are copies for
 * finding records; the bytes are the record.
 */
export function leafFindings(row: LeafRow, index: number, logId: string, keys: KeySet): string[] {
  const findings: string[] = [];
  const expect = (isRight: boolean, what: string): void => { if (!isRight) findings.push(`leaf ${row.leaf_index}: ${what}`); };
  expect(row.leaf_index === String(index), `stands where leaf ${index} must`);
  let said: Record<string, unknown>;
  try {
    const envelope = { payloadType: RECORD_PAYLOAD_TYPE, payload: encodeBase64(row.payload), signatures: [{ keyid: row.keyid, sig: encodeBase64(row.sig) }] };
    const verifiers = new Map([...keys.recordKeys].map(([keyid, key]) => [keyid, key.verifier]));
    said = (parseIJson(verifyEnvelope(envelope, verifiers, RECORD_PAYLOAD_TYPE), { depthMax: DEPTH_MAX }) as Statement).predicate ?? {};
  } catch (error) {
    return [...findings, `leaf ${row.leaf_index}: ${error instanceof Error ? error.message : String(error)}`];
  }
  for (const column of ['tenant_id', 'record_id', 'kind', 'operation_id', 'phase'] as const) {
    expect(row[column] === (said[column] ?? null), `column \`${column}\` doesn't say what the record says`);
  }
  expect(row.recorded_at === String(said['recorded_at']), 'column `recorded_at` doesn\'t say what the record says');
  expect(said['log_id'] === logId && logIdOf(row.tenant_id as TenantId) === logId, 'the record is of another log');
  expect(said['kernel_key_id'] === row.keyid, 'the record names another key than signed it');
  return findings;
}
