// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (all or nothing): a delta applies completely or throws. Nothing is written here: the caller receives the
// new nodes, and no head names them before they are stored.
import type { Change, Delta, FileState } from '@writ/contract';
import { compareUtf8 } from './compare-utf8.ts';
import { ConflictError } from './conflict-error.ts';
import { encodingNode, isSameState, loadNode, stateOf, type NewBlob, type NodeReader } from './node.ts';
import type { NodeEntry } from './node-entry.ts';
import { joinPath, ROOT, segmentsOf, type WorkspacePath } from './path.ts';
import { partsOf, runWithPauses, type Steps } from './steps.ts';

export interface Applied {
  readonly root: string;
  /** nodes on the path to the changes, each once; existing ones may be among them */
  readonly nodes: readonly NewBlob[];
}

/** The change of a delta at a path, and those below it. */
interface Edit {
  change: Change | null;
  readonly below: Map<string, Edit>;
}

/** The state of a walk. */
interface WalkState {
  readonly reader: NodeReader;
  readonly nodes: Map<string, NewBlob>;
  readonly conflicts: Set<WorkspacePath>;
}

/**
 * Applies a parsed delta to the tree of a root. Reads only the nodes on the path to the changes. Throws ConflictError
 * (`workspace.conflict`), with all paths, if a `before` isn't the current state, a deleted directory still has entries,
 * or an entry is put below a path that is no directory.
 */
export async function applyDelta(reader: NodeReader, root: string, delta: Delta): Promise<Applied> {
  const gathered: WalkState = { reader, nodes: new Map(), conflicts: new Set() };
  const edits = await runWithPauses(editsOf(delta.changes), reader.pause);
  const node = await addNode(gathered, await rewrite(gathered, root, ROOT, edits));
  if (gathered.conflicts.size > 0) throw new ConflictError([...gathered.conflicts].sort(compareUtf8));
  return { root: node.sha256, nodes: [...gathered.nodes.values()] };
}

function* editsOf(changes: readonly Change[]): Steps<Map<string, Edit>> {
  const top: Edit = { change: null, below: new Map() };
  for (const part of partsOf(changes)) {
    for (const change of part) {
      let edit = top;
      for (const name of segmentsOf(change.path as WorkspacePath)) {
        const next: Edit = edit.below.get(name) ?? { change: null, below: new Map() };
        edit.below.set(name, next);
        edit = next;
      }
      if (edit.change || edit === top) throw new Error('a parsed delta has each path once, and not the root');
      edit.change = change;
    }
    yield;
  }
  return top.below;
}

/** The entries of a directory after the edits; without a directory, those of an empty one. */
async function rewrite(
  gathered: WalkState,
  node: string | null,
  at: WorkspacePath,
  edits: ReadonlyMap<string, Edit>,
): Promise<NodeEntry[]> {
  const { reader } = gathered;
  const existing = node === null ? [] : await loadNode(reader, node);
  const entries = await runWithPauses(byName(existing), reader.pause);
  for (const part of partsOf([...edits])) {
    // Directories of one part are read in the same turn, so a store receives one request for them.
    await Promise.all(
      part.map(([name, edit]) => {
        const current = entries.get(name) ?? null;
        const setEntry = (entry: NodeEntry | null): void => {
          if (entry) entries.set(name, entry);
          else entries.delete(name);
        };
        const path = joinPath(at, name);
        if (hasBelow(current, edit)) return rewriteDirectory(gathered, current, path, name, edit).then(setEntry);
        setEntry(rewriteEntry(gathered, current, path, name, edit, []));
        return undefined;
      }),
    );
    await reader.pause?.();
  }
  return [...entries.values()];
}

/** The entries of a directory by their names. */
export function* byName(entries: readonly NodeEntry[]): Steps<Map<string, NodeEntry>> {
  const named = new Map<string, NodeEntry>();
  for (const part of partsOf(entries)) {
    for (const entry of part) named.set(entry.name, entry);
    yield;
  }
  return named;
}

/** Answers whether anything exists, or will exist, below the entry. */
const hasBelow = (current: NodeEntry | null, edit: Edit): boolean =>
  current?.kind === 'dir' || edit.below.size > 0 || edit.change?.after?.kind === 'dir';

async function rewriteDirectory(
  gathered: WalkState,
  current: NodeEntry | null,
  path: WorkspacePath,
  name: string,
  edit: Edit,
): Promise<NodeEntry | null> {
  const below = await rewrite(gathered, current?.kind === 'dir' ? current.sha256 : null, path, edit.below);
  const entry = rewriteEntry(gathered, current, path, name, edit, below);
  return entry?.kind === 'dir' ? { ...entry, sha256: (await addNode(gathered, below)).sha256 } : entry;
}

/** The new entry at the path, given the entries below it. The caller adds the node of a directory. */
function rewriteEntry(
  gathered: WalkState,
  current: NodeEntry | null,
  path: WorkspacePath,
  name: string,
  edit: Edit,
  below: readonly NodeEntry[],
): NodeEntry | null {
  const existing = stateOf(current);
  if (edit.change && !isSameState(edit.change.before, existing)) gathered.conflicts.add(path);
  const after = edit.change ? edit.change.after : existing;
  if (after?.kind === 'dir') return { kind: 'dir', name, sha256: '', size: 0 };
  if (below.length > 0) gathered.conflicts.add(path);
  return after === null ? null : entryOf(name, after);
}

function entryOf(name: string, state: FileState): NodeEntry {
  const { kind, mode, sha256, size } = state;
  if (kind === 'dir' || sha256 === null) throw new Error('a parsed delta gives files and links their content');
  if (kind === 'symlink') return { kind, name, sha256, size };
  if (mode === null) throw new Error('a parsed delta gives files their mode');
  return { kind, mode, name, sha256, size };
}

async function addNode({ reader, nodes }: WalkState, entries: readonly NodeEntry[]): Promise<NewBlob> {
  const node = await runWithPauses(encodingNode(entries), reader.pause);
  nodes.set(node.sha256, node);
  return node;
}
