// SPDX-License-Identifier: Apache-2.0
import type { FileState, ScopeRoot } from '@writ/contract';
import type { BlobReader } from '@writ/blobs';
import { scopeOf } from '@writ/capability';
import { comparePaths, parentsOf, type SandboxEntry, type SandboxPatch, type PresentFiles } from '@writ/sandbox';
import { isWithin, parsePath, ROOT, walk, type NodeEntry, type WorkspacePath } from '@writ/workspace';

type Roots = readonly (readonly ScopeRoot[])[];
/** path → its entry */
export type Tree = ReadonlyMap<string, NodeEntry>;

/**
 * Where the walk starts: the outermost read roots of the first token. Entries that other tokens don't grant are left
 * out one by one.
 */
function startsOf(fs: Roots): WorkspacePath[] {
  const paths = new Set(
    (fs[0] ?? []).filter((root) => root.read).map((root) => (root.path === '' ? ROOT : parsePath(root.path))),
  );
  return [...paths].filter((path) => ![...paths].some((other) => other !== path && isWithin(other, path)));
}

/** The entries of the snapshot that the call may read. Only these are sent into its container. */
export async function readableTree(reader: BlobReader, root: string, fs: Roots): Promise<Tree> {
  const scopes = fs.map((roots) => scopeOf(roots, 'read'));
  const tree = new Map<string, NodeEntry>();
  for await (const { path, entry } of walk(reader, root, { prefixes: startsOf(fs) })) {
    if (scopes.every((isReadable) => isReadable(path))) tree.set(path, entry);
  }
  return tree;
}

/** Files that are fetched in one round trip to the store and held at the same time. */
const FETCH_BATCH_FILES = 64;

/** The readable entries with their contents, each directory before its entries. */
export async function* sandboxEntries(reader: BlobReader, tree: Tree): AsyncGenerator<SandboxEntry> {
  const all = [...tree];
  for (let at = 0; at < all.length; at += FETCH_BATCH_FILES) {
    const batch = all.slice(at, at + FETCH_BATCH_FILES);
    const contents = await Promise.all(
      batch.map(([, entry]) => (entry.kind === 'dir' ? undefined : reader(entry.sha256))),
    );
    for (const [i, [path, entry]] of batch.entries()) yield sandboxEntry(path, entry, contents[i] ?? new Uint8Array());
  }
}

function sandboxEntry(path: string, entry: NodeEntry, bytes: Uint8Array): SandboxEntry {
  if (entry.kind === 'file') return { path, kind: 'file', mode: entry.mode, bytes, sha256: entry.sha256 };
  return entry.kind === 'dir'
    ? { path, kind: 'dir', mode: null }
    : { path, kind: 'symlink', mode: null, target: Buffer.from(bytes).toString('utf8') };
}

/**
 * The patches that turn the files in a container into those of the tree: first deletions, the deepest first, then
 * additions, directories before their entries.
 */
export async function* sandboxPatches(
  reader: BlobReader,
  tree: Tree,
  present: PresentFiles,
): AsyncGenerator<SandboxPatch> {
  const implied = new Set([...tree.keys()].flatMap(parentsOf).filter((path) => !tree.has(path)));
  const deletions = [...present.paths()].filter((path) => !tree.has(path) && !implied.has(path));
  for (const path of deletions.toSorted((a, b) => comparePaths(b, a))) yield { path, kind: 'gone' };
  for (const path of implied) if (present.at(path)?.kind !== 'dir') yield { path, kind: 'dir', mode: null };
  const additions = new Map(
    [...tree].filter(([path, entry]) => !isSame(present.at(path), entry)).toSorted(([a], [b]) => comparePaths(a, b)),
  );
  yield* sandboxEntries(reader, additions);
}

function isSame(state: FileState | null, entry: NodeEntry): boolean {
  if (state === null || state.kind !== entry.kind) return false;
  return (
    entry.kind === 'dir' || (state.sha256 === entry.sha256 && (entry.kind !== 'file' || state.mode === entry.mode))
  );
}
