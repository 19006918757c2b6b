// SPDX-License-Identifier: Apache-2.0
import type { FileState, FsRoot } from '@writ/contract';
import type { BlobReader } from '@writ/blobs';
import { scopeOf } from '@writ/capability';
import { comparePaths, parentsOf, type SandboxEntry, type SandboxPatch, type PresentFiles } from '@writ/sandbox';
import { isWithin, parsePath, ROOT, walk, type NodeEntry, type WorkspacePath } from '@writ/workspace';

type Roots = readonly (readonly FsRoot[])[];
/** path → what stands there */
export type Tree = ReadonlyMap<string, NodeEntry>;

/**
 * Where to walk: the outermost read roots of the first token; what the others don't reach is left out entry by entry.
 */
function startsOf(fs: Roots): WorkspacePath[] {
  const paths = new Set(
    (fs[0] ?? []).filter((root) => root.read).map((root) => (root.path === '' ? ROOT : parsePath(root.path))),
  );
  return [...paths].filter((path) => ![...paths].some((other) => other !== path && isWithin(other, path)));
}

/** The entries of the snapshot that the call may read, and therefore all that is sent into its container. */
export async function readableTree(reader: BlobReader, root: string, fs: Roots): Promise<Tree> {
  const scopes = fs.map((roots) => scopeOf(roots, 'read'));
  const tree = new Map<string, NodeEntry>();
  for await (const { path, entry } of walk(reader, root, { prefixes: startsOf(fs) })) {
    if (scopes.every((isReadable) => isReadable(path))) tree.set(path, entry);
  }
  return tree;
}

/** Files fetched in one round trip to the store, and held at once. */
const FETCH = 64;

/** The readable entries with their contents, each directory before what it holds. */
export async function* sandboxEntries(reader: BlobReader, tree: Tree): AsyncGenerator<SandboxEntry> {
  const all = [...tree];
  for (let at = 0; at < all.length; at += FETCH) {
    const some = all.slice(at, at + FETCH);
    const contents = await Promise.all(
      some.map(([, entry]) => (entry.kind === 'dir' ? undefined : reader(entry.sha256))),
    );
    for (const [i, [path, entry]] of some.entries()) yield sandboxEntry(path, entry, contents[i] ?? new Uint8Array());
  }
}

function sandboxEntry(path: string, entry: NodeEntry, bytes: Uint8Array): SandboxEntry {
  if (entry.kind === 'file') return { path, kind: 'file', mode: entry.mode, bytes, sha256: entry.sha256 };
  return entry.kind === 'dir'
    ? { path, kind: 'dir', mode: null }
    : { path, kind: 'symlink', mode: null, target: Buffer.from(bytes).toString('utf8') };
}

/**
 * What makes of the files that stand in a container those of the tree: what goes, the deepest first, then what comes,
 * directories before what is in them.
 */
export async function* sandboxPatches(
  reader: BlobReader,
  tree: Tree,
  standing: PresentFiles,
): AsyncGenerator<SandboxPatch> {
  const implied = new Set([...tree.keys()].flatMap(parentsOf).filter((path) => !tree.has(path)));
  const going = [...standing.paths()].filter((path) => !tree.has(path) && !implied.has(path));
  for (const path of going.toSorted((a, b) => comparePaths(b, a))) yield { path, kind: 'gone' };
  for (const path of implied) if (standing.at(path)?.kind !== 'dir') yield { path, kind: 'dir', mode: null };
  const coming = new Map(
    [...tree].filter(([path, entry]) => !isSame(standing.at(path), entry)).toSorted(([a], [b]) => comparePaths(a, b)),
  );
  yield* sandboxEntries(reader, coming);
}

function isSame(state: FileState | null, entry: NodeEntry): boolean {
  if (state === null || state.kind !== entry.kind) return false;
  return (
    entry.kind === 'dir' || (state.sha256 === entry.sha256 && (entry.kind !== 'file' || state.mode === entry.mode))
  );
}
