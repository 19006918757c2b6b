// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (all or nothing): a delta applies whole or throws. Nothing is written here: the new nodes are handed to the
// caller, and no head names them before they are stored.
import type { Change, Delta, FileState } from '@writ/contract';
import { compareUtf8 } from './compare-utf8.ts';
import { ConflictError } from './conflict-error.ts';
import { encoding, isSameState, loadNode, stateOf, type NewBlob, type NodeReader } from './node.ts';
import type { NodeEntry } from './node-entry.ts';
import { joinPath, ROOT, segmentsOf, type WorkspacePath } from './path.ts';
import { partsOf, runWithPauses, type Steps } from './steps.ts';

export interface Applied {
  readonly root: string;
  /** nodes on the way to what changed, each once; those that were there before may be among them */
  readonly nodes: readonly NewBlob[];
}

/** What a delta does at a path and below it. */
interface Edit {
  change: Change | null;
  readonly below: Map<string, Edit>;
}

/** What the walk gathers. */
interface Gathered {
  readonly reader: NodeReader;
  readonly nodes: Map<string, NewBlob>;
  readonly conflicts: Set<WorkspacePath>;
}

/**
 * Applies a parsed delta to the tree of a root. Reads only the nodes on the way to what changes. Throws ConflictError
 * (`workspace.conflict`), naming all paths, where a `before` isn't what stands there, a directory that is to go still
 * holds something, or something is put below what is no directory.
 */
export async function applyDelta(reader: NodeReader, root: string, delta: Delta): Promise<Applied> {
  const gathered: Gathered = { reader, nodes: new Map(), conflicts: new Set() };
  const edits = await runWithPauses(editing(delta.changes), reader.pause);
  const node = await keep(gathered, await rewrite(gathered, root, ROOT, edits));
  if (gathered.conflicts.size > 0) throw new ConflictError([...gathered.conflicts].sort(compareUtf8));
  return { root: node.sha256, nodes: [...gathered.nodes.values()] };
}

function* editing(changes: readonly Change[]): Steps<Map<string, Edit>> {
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

/** The entries of a directory after the edits; of none where there was no directory. */
async function rewrite(
  gathered: Gathered,
  node: string | null,
  at: WorkspacePath,
  edits: ReadonlyMap<string, Edit>,
): Promise<NodeEntry[]> {
  const { reader } = gathered;
  const standing = node === null ? [] : await loadNode(reader, node);
  const entries = await runWithPauses(byName(standing), reader.pause);
  for (const part of partsOf([...edits])) {
    // Directories of one part are read at the same moment: a store is asked for them at once.
    await Promise.all(
      part.map(([name, edit]) => {
        const current = entries.get(name) ?? null;
        const put = (entry: NodeEntry | null): void => {
          if (entry) entries.set(name, entry);
          else entries.delete(name);
        };
        const path = joinPath(at, name);
        if (hasBelow(current, edit)) return rewriteDirectory(gathered, current, path, name, edit).then(put);
        put(rewriteEntry(gathered, current, path, name, edit, []));
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

/** Whether anything stands, or is to stand, below the entry. */
const hasBelow = (current: NodeEntry | null, edit: Edit): boolean =>
  current?.kind === 'dir' || edit.below.size > 0 || edit.change?.after?.kind === 'dir';

async function rewriteDirectory(
  gathered: Gathered,
  current: NodeEntry | null,
  path: WorkspacePath,
  name: string,
  edit: Edit,
): Promise<NodeEntry | null> {
  const below = await rewrite(gathered, current?.kind === 'dir' ? current.sha256 : null, path, edit.below);
  const entry = rewriteEntry(gathered, current, path, name, edit, below);
  return entry?.kind === 'dir' ? { ...entry, sha256: (await keep(gathered, below)).sha256 } : entry;
}

/** What stands at the path then, with what stands below it. The node of a directory is put in by the caller. */
function rewriteEntry(
  gathered: Gathered,
  current: NodeEntry | null,
  path: WorkspacePath,
  name: string,
  edit: Edit,
  below: readonly NodeEntry[],
): NodeEntry | null {
  const standing = stateOf(current);
  if (edit.change && !isSameState(edit.change.before, standing)) gathered.conflicts.add(path);
  const after = edit.change ? edit.change.after : standing;
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

async function keep({ reader, nodes }: Gathered, entries: readonly NodeEntry[]): Promise<NewBlob> {
  const node = await runWithPauses(encoding(entries), reader.pause);
  nodes.set(node.sha256, node);
  return node;
}
