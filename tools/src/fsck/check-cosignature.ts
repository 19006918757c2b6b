// SPDX-License-Identifier: Apache-2.0
import { parseNote, verifyCosignatures, type NoteKey } from '@writ/signing';
import { tenantOf } from './check-root.ts';
import type { Findings } from './findings.ts';
import type { CosignatureRow } from './rows.ts';

/**
 * Compares a stored cosignature's columns with its line, and verifies the line if its witness's key is given. Without
 * the key it is only parsed: each verifier decides which witnesses count.
 */
export function checkCosignature(
  logId: string,
  row: CosignatureRow,
  witnesses: readonly NoteKey[],
  findings: Findings,
): void {
  const { tree_size, tenant_id, witness, key_hash, line, note } = row;
  const where = `cosignature ${tree_size} by ${witness}`;
  findings.demand(tenant_id === tenantOf(logId), where, `\`tenant_id\` is \`${tenant_id}\``);
  if (note === null) return findings.add(where, 'is of no stored checkpoint');
  try {
    const before = parseNote(note);
    const { text, signatures } = parseNote(note + line);
    const last = signatures.at(-1);
    findings.demand(
      text === before.text && signatures.length === before.signatures.length + 1,
      where,
      'is not one line below its checkpoint',
    );
    findings.demand(
      last?.name === witness && last.keyHash === key_hash,
      where,
      `is by \`${String(last?.name)}+${String(last?.keyHash)}\`, and stored as by \`${witness}+${key_hash}\``,
    );
    verifyCosignatures(note + line, witnesses);
  } catch (error) {
    findings.add(
      where,
      `can't be read, or isn't the witness's: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
