// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { loadNode, type NodeReader } from './node.ts';
import type { NodeEntry } from './node-entry.ts';
import { isWithin, joinPath, ROOT, segmentsOf, type WorkspacePath } from './path.ts';
import { quote } from './quote.ts';
import { partsOf } from './steps.ts';

export interface FoundEntry {
  readonly path: WorkspacePath;
  readonly entry: NodeEntry;
}

export interface WalkOptions {
  /** only entries at or below one of these; all by default */
  readonly prefixes?: readonly WorkspacePath[];
  /** levels below the root; all by default */
  readonly depth?: number;
  /** whether to descend into a directory; always by default */
  readonly shouldEnter?: (path: WorkspacePath) => boolean;
}

/**
 * The entry at a path, or null if there is none. Links are not followed: see `resolveLinks`. The root is a directory
 * without a name.
 */
export async function lookup(reader: NodeReader, root: string, path: WorkspacePath): Promise<NodeEntry | null> {
  let entry: NodeEntry | null = { kind: 'dir', name: '', sha256: root, size: 0 };
  for (const name of segmentsOf(path)) {
    if (entry?.kind !== 'dir') return null;
    entry = (await loadNode(reader, entry.sha256)).find((child) => child.name === name) ?? null;
  }
  return entry;
}

/**
 * The entries below a directory, `depth` levels deep, each directory before its entries. Faults: `file.not_found`,
 * `file.kind`.
 */
export async function list(
  reader: NodeReader,
  root: string,
  path: WorkspacePath,
  depth: number,
): Promise<FoundEntry[]> {
  const top = await lookup(reader, root, path);
  if (top === null) throw new Fault('file.not_found', `there is no ${quote(path)}`);
  if (top.kind !== 'dir') throw new Fault('file.kind', `${quote(path)} is no directory`);
  const found: FoundEntry[] = [];
  for await (const each of descend(reader, top.sha256, path, { depth })) found.push(each);
  return found;
}

/**
 * All entries of the tree, each directory before its entries, names in the order of their bytes. Reads a directory's
 * children at once.
 */
export function walk(reader: NodeReader, root: string, options: WalkOptions = {}): AsyncGenerator<FoundEntry> {
  return descend(reader, root, ROOT, options);
}

async function* descend(
  reader: NodeReader,
  node: string,
  at: WorkspacePath,
  options: WalkOptions,
): AsyncGenerator<FoundEntry> {
  yield* descendInto(reader, loadNode(reader, node), at, options);
}

async function* descendInto(
  reader: NodeReader,
  node: Promise<readonly NodeEntry[]>,
  at: WorkspacePath,
  options: WalkOptions,
): AsyncGenerator<FoundEntry> {
  const depth = options.depth ?? Infinity;
  if (depth < 1) return;
  const entries = await node;
  for (const part of partsOf(entries)) {
    const wanted = wantedOf(part, at, options.prefixes);
    // Directories of one part are read in the same turn, so a store receives one request for them.
    const below = new Map<string, Promise<readonly NodeEntry[]>>();
    if (depth > 1) {
      for (const { path, entry } of wanted)
        if (entry.kind === 'dir' && options.shouldEnter?.(path) !== false)
          below.set(path, startLoading(reader, entry.sha256));
    }
    for (const { path, entry, isWanted } of wanted) {
      if (isWanted) yield { path, entry };
      const child = below.get(path);
      if (child) yield* descendInto(reader, child, path, { ...options, depth: depth - 1 });
    }
    await reader.pause?.();
  }
}

/** The entries at, above or below one of the prefixes, and whether they are at or below one. */
function wantedOf(
  entries: readonly NodeEntry[],
  at: WorkspacePath,
  prefixes: WalkOptions['prefixes'],
): (FoundEntry & { readonly isWanted: boolean })[] {
  return entries.flatMap((entry) => {
    const path = joinPath(at, entry.name);
    const isWanted = !prefixes || prefixes.some((prefix) => isWithin(prefix, path));
    return isWanted || prefixes.some((prefix) => isWithin(path, prefix)) ? [{ path, entry, isWanted }] : [];
  });
}

/** Starts to load. A failure shows when it is awaited, and not at all if the walk ended before. */
function startLoading(reader: NodeReader, sha256: string): Promise<readonly NodeEntry[]> {
  const node = loadNode(reader, sha256);
  node.catch(() => undefined);
  return node;
}
