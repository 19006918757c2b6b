// SPDX-License-Identifier: Apache-2.0
import type { Change, Delta } from '@writ/contract';
import { deltaOf } from './delta.ts';
import { isSameState, loadNode, stateOf, type NodeEntry, type NodeReader } from './node.ts';
import { joinPath, ROOT, type WorkspacePath } from './path.ts';
import { snapshotIdOf } from './snapshot.ts';

/** The delta that leads from one root to the other. Reads only directories whose hashes differ. */
export async function diff(reader: NodeReader, from: string, to: string): Promise<Delta> {
  return deltaOf(snapshotIdOf(from), await diffNodes(reader, from, to, ROOT));
}

async function diffNodes(reader: NodeReader, from: string | null, to: string | null, at: WorkspacePath): Promise<Change[]> {
  if (from === to) return [];
  const [before, after] = await Promise.all([entriesOf(reader, from), entriesOf(reader, to)]);
  const names = new Set([...before.keys(), ...after.keys()]);
  const changes = await Promise.all([...names].map((name) =>
    diffEntries(reader, before.get(name) ?? null, after.get(name) ?? null, joinPath(at, name))));
  return changes.flat();
}

async function diffEntries(reader: NodeReader, before: NodeEntry | null, after: NodeEntry | null, path: WorkspacePath): Promise<Change[]> {
  const own = { path, before: stateOf(before), after: stateOf(after) };
  const below = await diffNodes(reader, nodeOf(before), nodeOf(after), path);
  return isSameState(own.before, own.after) ? below : [own, ...below];
}

function nodeOf(entry: NodeEntry | null): string | null {
  return entry?.kind === 'dir' ? entry.sha256 : null;
}

async function entriesOf(reader: NodeReader, node: string | null): Promise<Map<string, NodeEntry>> {
  return new Map(node === null ? [] : (await loadNode(reader, node)).map((entry) => [entry.name, entry]));
}
