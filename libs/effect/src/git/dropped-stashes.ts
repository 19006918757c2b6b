// SPDX-License-Identifier: Apache-2.0
//
// A stash that existed before a series began is work that a person put aside. Git forgets a dropped stash: only its
// entry led to its contents.
import { compareContents } from '../compare-contents.ts';
import { EffortExceeded, Effort } from './effort.ts';
import { objectName, type GitObject } from './git-object.ts';
import { ObjectStore, type ObjectFiles } from './object-store.ts';
import { namedBy, walkObjects } from './reachability.ts';
import { readReferences, type Files } from './references.ts';
import { readStagedNames } from './staged-names.ts';

/** Files of dropped stashes that are looked up: all further ones count as lost. */
const FILES_MAX = 2_000;
/** A file with less than this share of its words left is lost, as among the files of a workspace. */
const KEPT_SHARE = 0.2;
/** Files of one tree: a tree may contain the same directory many times. */
const TREE_FILES_MAX = 200_000;
/** The longest path of Linux. */
const PATH_BYTES_MAX = 4096;
/** Levels of directories. */
const DEPTH_MAX = 64;

/** A repository before and after an effect, with the files of its stashes in the workspace. */
export interface StashQuestion {
  /** references and logs of stashes when the series began */
  readonly start: Files;
  /** the same before the effect */
  readonly before: Files;
  /** all references and logs after the effect */
  readonly after: Files;
  readonly index: Uint8Array | null;
  /** the objects before the effect, and after it */
  readonly objects: ObjectFiles;
  /**
   * the contents at the paths of the first answer, relative to the directory of the repository; null in the first
   * query, which returns these paths
   */
  readonly workspace: Files | null;
  readonly now: number;
}

export interface StashAnswer {
  /** files that only dropped stashes hold; with `workspace`, only those that it lacks */
  readonly paths: readonly string[];
  /** false where something could not be read */
  readonly isComplete: boolean;
}

/**
 * Finds files that exist only in stashes that the effect dropped. The bytes are attacker-controlled: see
 * `historyChanges`.
 */
export function droppedStashes(question: StashQuestion): StashAnswer {
  const effort = new Effort();
  const files = new Map<string, string>();
  try {
    const stashes = (of: Files): ReadonlySet<string> => new Set(readReferences(of, question.now, effort).stashed);
    const [start, left] = [stashes(question.start), stashes(question.after)];
    const store = new ObjectStore(question.objects, effort);
    for (const name of stashes(question.before))
      if (start.has(name) && !left.has(name)) noteStash(store, effort, name, files);
    if (files.size > FILES_MAX) return { paths: [...files.keys()].slice(0, FILES_MAX), isComplete: false };
    const names = new Set(files.values());
    forgetReachable(question, store, effort, names);
    const paths = [...files].filter(([path, name]) => names.has(name) && !isInWorkspace(question, store, path, name));
    return { paths: paths.map(([path]) => path), isComplete: true };
  } catch (error) {
    if (!(error instanceof EffortExceeded)) throw error;
    return { paths: [...files.keys()], isComplete: false };
  }
}

/** A stash is a commit of the files; its parents are the base commit, the index, and the untracked files. */
function noteStash(store: ObjectStore, effort: Effort, name: string, into: Map<string, string>): void {
  const stash = commitOf(store, effort, name);
  const [base, index, untracked] = (stash?.commits ?? []).map((parent) => commitOf(store, effort, parent)?.trees[0]);
  const below = filesOf(store, effort, base);
  for (const tree of [index, stash?.trees[0], untracked])
    for (const [path, blob] of filesOf(store, effort, tree)) if (below.get(path) !== blob) into.set(path, blob);
}

function commitOf(store: ObjectStore, effort: Effort, name: string): ReturnType<typeof namedBy> | null {
  const object = store.read(name);
  return object?.type === 'commit' ? namedBy(object, effort) : null;
}

/**
 * The contents of a tree by their paths.
 * @throws BeyondEffort
 */
function filesOf(store: ObjectStore, effort: Effort, root: string | undefined): Map<string, string> {
  const files = new Map<string, string>();
  const look = (tree: GitObject | null, at: string, depth: number): void => {
    if (tree?.type !== 'tree') return;
    if (depth > DEPTH_MAX || at.length > PATH_BYTES_MAX) throw new EffortExceeded();
    for (let from = 0; from < tree.bytes.length;) {
      effort.spendSteps(4);
      const [space, end] = [tree.bytes.indexOf(0x20, from), tree.bytes.indexOf(0, from)];
      if (space < 0 || end < space || end + 21 > tree.bytes.length) return;
      if (end - space > PATH_BYTES_MAX || files.size > TREE_FILES_MAX) throw new EffortExceeded();
      const mode = tree.bytes.toString('latin1', from, space);
      const path = at + tree.bytes.toString('utf8', space + 1, end);
      const name = tree.bytes.toString('hex', end + 1, end + 21);
      from = end + 21;
      if (mode === '40000') look(store.read(name), `${path}/`, depth + 1);
      else if (mode !== '160000') files.set(path, name);
    }
  };
  if (root !== undefined) look(store.read(root), '', 0);
  return files;
}

/** Removes contents that are reachable from references, logs, other stashes or the index. */
function forgetReachable(
  { after, index, now }: StashQuestion,
  store: ObjectStore,
  effort: Effort,
  names: Set<string>,
): void {
  if (index !== null) readStagedNames(index, effort, (_, name) => names.delete(name));
  if (names.size === 0) return;
  const { tips, logged, stashed } = readReferences(after, now, effort);
  walkObjects(store, [...stashed, ...tips.values(), ...logged], effort, {
    withTrees: true,
    blob: (name) => names.delete(name) && names.size === 0,
  });
}

/** Answers whether the workspace has the content at its path, apart from permitted changes. */
function isInWorkspace({ workspace }: StashQuestion, store: ObjectStore, path: string, name: string): boolean {
  const bytes = workspace?.get(path);
  if (bytes === undefined) return false;
  if (objectName('blob', Buffer.from(bytes)) === name) return true;
  const stashed = store.read(name);
  return stashed === null || compareContents(stashed.bytes, bytes).kept >= KEPT_SHARE;
}
