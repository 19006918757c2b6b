// SPDX-License-Identifier: Apache-2.0
import { EffortExceeded, type Effort } from './effort.ts';
import type { GitObject } from './git-object.ts';
import type { ObjectStore } from './object-store.ts';

const HASH_BYTES = 20;
/** Objects that one walk visits: its memory stays far below that of a thread. */
const VISITED_MAX = 400_000;
/** The cost of a name and its entry in a set, in steps. */
const NAME_STEPS = 4;

/** The names in an object, by the kinds of the named objects. */
export interface Named {
  readonly commits: readonly string[];
  readonly trees: readonly string[];
  readonly blobs: readonly string[];
  /** of a tag: the tagged object */
  readonly tagged: string | null;
}

const NOTHING: Named = { commits: [], trees: [], blobs: [], tagged: null };

/**
 * The names in an object; of an object that deviates from git's format, the names up to there.
 * @throws BeyondEffort
 */
export function namedBy(object: GitObject, effort: Effort): Named {
  if (object.type === 'commit') return namedByCommit(object.bytes);
  if (object.type === 'tag')
    return { ...NOTHING, tagged: /^object ([0-9a-f]{40})\n/.exec(object.bytes.toString('latin1', 0, 64))?.[1] ?? null };
  return object.type === 'tree' ? namedByTree(object.bytes, effort) : NOTHING;
}

function namedByCommit(bytes: Buffer): Named {
  const commits: string[] = [];
  const tree = /^tree ([0-9a-f]{40})\n/.exec(bytes.toString('latin1', 0, 64))?.[1];
  if (tree === undefined) return NOTHING;
  for (let at = 46; bytes.toString('latin1', at, at + 7) === 'parent '; at += 48)
    commits.push(bytes.toString('latin1', at + 7, at + 47));
  return { ...NOTHING, commits, trees: [tree] };
}

function namedByTree(bytes: Buffer, effort: Effort): Named {
  const [trees, blobs]: [string[], string[]] = [[], []];
  for (let at = 0; at < bytes.length;) {
    effort.spendSteps(NAME_STEPS);
    const end = bytes.indexOf(0, at);
    if (end < 0 || end + 1 + HASH_BYTES > bytes.length) break;
    const name = bytes.toString('hex', end + 1, end + 1 + HASH_BYTES);
    // `40000` is a directory, `160000` a commit of another repository.
    if (bytes[at] === 0x34) trees.push(name);
    else if (bytes.toString('latin1', at, at + 6) !== '160000') blobs.push(name);
    at = end + 1 + HASH_BYTES;
  }
  return { ...NOTHING, trees, blobs };
}

/** Callbacks of a walk. Each of them may end the walk by returning true. */
export interface Visitor {
  /** for a name without a verified object */
  readonly missing?: (name: string) => void;
  readonly passed?: (name: string) => boolean;
  /** for a content, which is not read */
  readonly blob?: (name: string) => boolean;
  /** false for a walk over commits and tags only */
  readonly withTrees: boolean;
}

/**
 * Walks from names to all reachable objects, near ones first, each once.
 * @throws BeyondEffort
 */
export function walkObjects(store: ObjectStore, from: Iterable<string>, effort: Effort, visitor: Visitor): void {
  const visited = new Set<string>();
  const rest: string[] = [];
  const add = (names: readonly string[]): void => {
    for (const name of names) {
      if (visited.has(name)) continue;
      effort.spendSteps(NAME_STEPS);
      visited.add(name);
      rest.push(name);
    }
    if (visited.size > VISITED_MAX) throw new EffortExceeded();
  };
  add([...from]);
  for (let at = 0; at < rest.length; at += 1) {
    const name = rest[at] ?? '';
    const object = store.read(name);
    if (object === null) {
      visitor.missing?.(name);
      continue;
    }
    if (visitor.passed?.(name) === true) return;
    if (object.type === 'blob') {
      if (visitor.blob?.(name) === true) return;
      continue;
    }
    const { commits, trees, blobs, tagged } = namedBy(object, effort);
    add(tagged === null ? [] : [tagged]);
    add(commits);
    if (!visitor.withTrees) continue;
    add(trees);
    for (const blob of blobs) {
      if (visited.has(blob)) continue;
      effort.spendSteps(NAME_STEPS);
      visited.add(blob);
      if (visitor.blob?.(blob) === true) return;
    }
  }
}
