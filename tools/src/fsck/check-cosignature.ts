// SPDX-License-Identifier: Apache-2.0
import { parseNote } from '@writ/signing';
import { tenantOf } from './check-root.ts';
import type { Findings } from './findings.ts';
import type { CosignatureRow } from './rows.ts';

/**
 * Compares what is stored of a cosignature with its line. Whether the witness made it is not asked: whose word counts is for each verifier to say, and one that doesn't
 * hold makes his verification fail.
 */
export function checkCosignature(logId: string, { tree_size, tenant_id, witness, key_hash, line, note }: CosignatureRow, findings: Findings): void {
  const where = `cosignature ${tree_size} by ${witness}`;
  findings.demand(tenant_id === tenantOf(logId), where, `\`tenant_id\` is \`${tenant_id}\``);
  if (note === null) return findings.add(where, 'is of no stored checkpoint');
  try {
    const before = parseNote(note);
    const { text, signatures } = parseNote(note + line);
    const last = signatures.at(-1);
    findings.demand(text === before.text && signatures.length === before.signatures.length + 1, where, 'is not one line below its checkpoint');
    findings.demand(last?.name === witness && last.keyHash === key_hash, where, `is by \`${String(last?.name)}+${String(last?.keyHash)}\`, and stored as by \`${witness}+${key_hash}\``);
  } catch (error) {
    findings.add(where, `can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}
