// SPDX-License-Identifier: Apache-2.0
import { tenantIdOf, type Id } from '@writ/contract';
import { encodeFrontier, isSameHash, rootOfFrontier, type Frontier } from '@writ/merkle';
import type { KeySet } from '@writ/receipt';
import { parseCheckpoint, verifyNote } from '@writ/signing';
import type { Findings } from './findings.ts';
import type { RootRow } from './rows.ts';

/** The tenant in every row of a log. */
export const tenantOf = (logId: string): string => tenantIdOf(logId as Id<'log'>);

/**
 * Compares a stored root, its frontier and its checkpoint with those of the leaves. Returns whether the checkpoint is
 * correct and signed by a key that was revoked since.
 */
export function checkRoot(logId: string, row: RootRow, frontier: Frontier, keys: KeySet, findings: Findings): boolean {
  const where = `root ${row.tree_size}`;
  const root = rootOfFrontier(frontier);
  findings.demand(row.tenant_id === tenantOf(logId), where, `\`tenant_id\` is \`${row.tenant_id}\``);
  findings.demand(frontier.size === row.tree_size, where, `states ${row.tree_size} leaves, there are ${frontier.size}`);
  findings.demand(isSameHash(root, row.root), where, 'is not the root of the leaves');
  findings.demand(
    Buffer.compare(encodeFrontier(frontier), row.frontier) === 0,
    where,
    'has a frontier that is not that of the leaves',
  );
  return row.note !== null && checkCheckpoint(logId, { ...row, note: row.note }, root, keys, findings);
}

/**
 * Nothing relies on a revoked key's signature: the root comes from the leaves. So its checkpoint is harmless where it
 * agrees with the leaves. Any other checkpoint by the key is what a thief would insert.
 */
function checkCheckpoint(
  logId: string,
  row: RootRow & { note: string },
  root: Uint8Array,
  keys: KeySet,
  findings: Findings,
): boolean {
  const where = `checkpoint ${row.tree_size}`;
  const before = findings.count;
  findings.demand(row.note_tenant_id === tenantOf(logId), where, `\`tenant_id\` is \`${String(row.note_tenant_id)}\``);
  try {
    const { text, signedBy } = verifyNote(row.note, [...keys.logKeys, ...keys.revokedLogKeys]);
    const checkpoint = parseCheckpoint(text);
    const signers = signedBy.filter(({ name }) => checkpoint.origin === `${name}/${logId}`);
    const isRevoked = signers.length > 0 && signers.every((key) => keys.revokedLogKeys.includes(key));
    const by = isRevoked ? ', by a key revoked since' : '';
    findings.demand(signers.length > 0, where, `is of \`${checkpoint.origin}\`, or by another deployment's key`);
    findings.demand(checkpoint.treeSize === row.tree_size, where, `signs a tree of ${checkpoint.treeSize} leaves${by}`);
    findings.demand(isSameHash(checkpoint.root, root), where, `signs another root than that of the leaves${by}`);
    return isRevoked && findings.count === before;
  } catch (error) {
    findings.add(where, `is signed by no known key: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
