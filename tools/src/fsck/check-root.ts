// SPDX-License-Identifier: Apache-2.0
import { tenantIdOf, type Id } from '@writ/contract';
import { encodeFrontier, isSameHash, rootOfFrontier, type Frontier } from '@writ/merkle';
import type { KeySet } from '@writ/receipt';
import { parseCheckpoint, verifyNote } from '@writ/signing';
import type { Findings } from './findings.ts';
import type { RootRow } from './rows.ts';

/** The tenant that every row of a log is of. */
export const tenantOf = (logId: string): string => tenantIdOf(logId as Id<'log'>);

/**
 * Compares a stored root, its frontier and its checkpoint with what the leaves give. Answers whether the checkpoint is
 * by a key that was revoked since, and good all the same.
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
 * A revoked key's signature vouches for nothing, and nothing here rests on it: the root comes from the leaves. So a
 * checkpoint by such a key that says what they give does no harm, and one that says anything else is what a thief would
 * put there.
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
