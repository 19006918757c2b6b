// SPDX-License-Identifier: Apache-2.0
import type { Change, Delta } from '@writ/contract';
import { byName } from './apply-delta.ts';
import { orderingDelta } from './delta.ts';
import { isSameState, loadNode, stateOf, type NodeReader } from './node.ts';
import type { NodeEntry } from './node-entry.ts';
import { joinPath, ROOT, type WorkspacePath } from './path.ts';
import { snapshotIdOf } from './snapshot.ts';
import { partsOf, runWithPauses } from './steps.ts';

/** The delta from one root to the other. Reads only directories whose hashes differ. */
export async function diff(reader: NodeReader, from: string, to: string): Promise<Delta> {
  const changes: Change[] = [];
  await diffNodes({ reader, changes }, from, to, ROOT);
  return await runWithPauses(orderingDelta(snapshotIdOf(from), changes), reader.pause);
}

/** The state of a walk; changes have no order. */
interface WalkState {
  readonly reader: NodeReader;
  readonly changes: Change[];
}

async function diffNodes(
  gathered: WalkState,
  from: string | null,
  to: string | null,
  at: WorkspacePath,
): Promise<void> {
  if (from === to) return;
  const { reader } = gathered;
  const [before, after] = await Promise.all([entriesOf(reader, from), entriesOf(reader, to)]);
  const names = new Set(before.keys());
  for (const name of after.keys()) names.add(name);
  for (const part of partsOf([...names])) {
    // Directories of one part are read in the same turn, so a store receives one request for them.
    await Promise.all(
      part.map((name) => diffEntries(gathered, before.get(name) ?? null, after.get(name) ?? null, joinPath(at, name))),
    );
    await reader.pause?.();
  }
}

function diffEntries(
  gathered: WalkState,
  before: NodeEntry | null,
  after: NodeEntry | null,
  path: WorkspacePath,
): Promise<void> | undefined {
  const own = { path, before: stateOf(before), after: stateOf(after) };
  if (!isSameState(own.before, own.after)) gathered.changes.push(own);
  const [from, to] = [nodeOf(before), nodeOf(after)];
  return from === to ? undefined : diffNodes(gathered, from, to, path);
}

function nodeOf(entry: NodeEntry | null): string | null {
  return entry?.kind === 'dir' ? entry.sha256 : null;
}

async function entriesOf(reader: NodeReader, node: string | null): Promise<Map<string, NodeEntry>> {
  return await runWithPauses(byName(node === null ? [] : await loadNode(reader, node)), reader.pause);
}
