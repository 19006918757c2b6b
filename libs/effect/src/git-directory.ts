// SPDX-License-Identifier: Apache-2.0
//
// Collects the files of repositories for readers in worker threads. This module never parses a file.
import type { Change, FileState } from '@writ/contract';
import type { EffectContents } from './contents.ts';
import { inTurns } from './in-turns.ts';
import { isReferenceFile, type Files } from './git/references.ts';
import type { ObjectFiles } from './git/object-store.ts';
import { withinGit } from './git-paths.ts';

/**
 * Bytes that are sent to a worker thread at once. A content that only longer files of git keep counts as lost, so a
 * person must approve.
 */
export const GIT_BYTES_MAX = 64 * 1024 * 1024;
/** Files of one repository that are collected: git packs loose objects when there are some 6,700. */
const FILES_MAX = 20_000;

const LOOSE = /^objects\/([0-9a-f]{2})\/([0-9a-f]{38})$/;
const PACK_INDEX = /^objects\/pack\/[^/]+\.idx$/;
const STORED = /^objects\/(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/[^/]+\.(?:idx|pack))$/;
/** Git recognizes a repository by these names. */
const PARTS = new Set(['HEAD', 'objects', 'refs']);

type States = ReadonlyMap<string, FileState>;
type StoredFile = FileState & { readonly sha256: string };

const isFile = (state: FileState | null | undefined): state is StoredFile =>
  state?.kind === 'file' && state.sha256 !== null;

/** The budget of bytes to collect for one query. */
export class ByteBudget {
  readonly #contents: Pick<EffectContents, 'readMany'>;
  #left = GIT_BYTES_MAX;

  constructor(contents: Pick<EffectContents, 'readMany'>) {
    this.#contents = contents;
  }

  /** The bytes of the files that fit into the budget, the shortest first. */
  async read(states: States): Promise<Map<string, Uint8Array>> {
    const fitting = [...states]
      .filter((each): each is [string, StoredFile] => isFile(each[1]))
      .sort((a, b) => a[1].size - b[1].size)
      .filter(([, { size }]) => {
        if (size > this.#left) return false;
        this.#left -= size;
        return true;
      });
    const bytes = await this.#contents.readMany(fitting.map(([, { sha256 }]) => sha256));
    return new Map(
      fitting.flatMap(([path, { sha256 }]) => {
        const found = bytes.get(sha256);
        return found === undefined ? [] : [[path, found]];
      }),
    );
  }
}

/** The changes of an effect in a repository's own directory, classified. Paths are relative to it. */
class ChangedParts {
  readonly references = new Map<string, Change>();
  /** the entry that replaces an object's file now */
  readonly stored = new Map<string, FileState | null>();
  readonly goneLoose: string[] = [];
  /** for deleted packs, and packs whose index was deleted: the former index */
  readonly goneIndexes = new Map<string, FileState>();
  readonly goneParts: string[] = [];
  index: Change | null = null;
  rewritten = 0;
  readsOtherReferences = false;

  note(inner: string, change: Change): void {
    const { before, after } = change;
    if (STORED.test(inner)) this.#noteStored(inner, change);
    else if (isReferenceFile(inner) && !inner.endsWith('.lock')) this.references.set(inner, change);
    else if (inner === 'index') this.index = change;
    else if (inner.startsWith('reftable/')) this.readsOtherReferences ||= isFile(before);
    if (PARTS.has(inner) && before !== null && after === null) this.goneParts.push(inner);
  }

  /** false where there are more files than are collected */
  get isGathered(): boolean {
    return Math.max(this.references.size, this.goneLoose.length, this.goneIndexes.size) <= FILES_MAX;
  }

  #noteStored(inner: string, { before, after }: Change): void {
    this.stored.set(inner, isFile(after) ? after : null);
    if (!isFile(before)) return;
    if (isFile(after)) this.rewritten += Number(before.sha256 !== after.sha256);
    else if (PACK_INDEX.test(inner)) this.goneIndexes.set(inner, before);
    else this.goneLoose.push(...looseName(inner));
  }
}

/** The own directory of a repository, before and after an effect. */
export class GitDirectory {
  readonly root: string;
  readonly parts: ChangedParts;
  readonly #contents: EffectContents;

  constructor(root: string, parts: ChangedParts, contents: EffectContents) {
    [this.root, this.parts, this.#contents] = [root, parts, contents];
  }

  /** The index after the effect. */
  async index(): Promise<FileState | null> {
    const { index } = this.parts;
    return index === null ? await this.#contents.before(`${this.root}/index`) : index.after;
  }

  /** The indexes of deleted packs, and deleted indexes. */
  async goneIndexes(): Promise<States> {
    const found = new Map(this.parts.goneIndexes);
    for (const [inner, after] of this.parts.stored) {
      const index = indexOf(inner);
      if (after !== null || !inner.endsWith('.pack') || found.has(index)) continue;
      const state = await this.#contents.before(`${this.root}/${index}`);
      if (isFile(state)) found.set(index, state);
    }
    return found;
  }

  /**
   * References and logs that changed, before and after, and the index. Packed references are included where a reference
   * changed: a new file may override one of them.
   */
  async changedReferences(): Promise<{ readonly before: States; readonly after: States }> {
    const { references, index } = this.parts;
    const isPacked = references.size > 0 && !references.has('packed-refs');
    const packed = isPacked ? await this.#contents.before(`${this.root}/packed-refs`) : null;
    const all = [...references].concat(index === null ? [] : [['index', index]]);
    return {
      before: statesOf([['packed-refs', packed], ...all.map(([inner, { before }]) => [inner, before] as const)]),
      after: statesOf([['packed-refs', packed], ...all.map(([inner, { after }]) => [inner, after] as const)]),
    };
  }

  /** All references and logs after the effect; null where there are more than are collected. */
  async references(budget: ByteBudget): Promise<Files | null> {
    const changed = new Map([...this.parts.references].map(([inner, { after }]) => [inner, after]));
    const tops = await Promise.all(
      ['HEAD', 'packed-refs'].map(async (inner) => {
        const state = changed.get(inner);
        return [inner, state === undefined ? await this.#contents.before(`${this.root}/${inner}`) : state] as const;
      }),
    );
    const below = await Promise.all(['refs', 'logs', 'worktrees'].map((each) => this.#filesAfter(each, changed)));
    const all = [...statesOf(tops), ...below.flatMap(({ states }) => [...states])];
    const states = new Map(all.filter(([inner]) => isReferenceFile(inner)));
    const files = await budget.read(states);
    return below.some(({ isComplete }) => !isComplete) || files.size < states.size ? null : files;
  }

  /**
   * All objects after the effect, as far as they fit: indexes of packs come first, then loose objects and short packs.
   *
   * @param withGone also those that the effect deleted
   */
  async objects(budget: ByteBudget, withGone = false): Promise<ObjectFiles> {
    const changed = [...this.parts.stored].filter(([, after]) => !withGone || after !== null);
    const { states, isComplete } = await this.#filesAfter('objects', new Map(changed));
    const loose = only(states, (inner) => LOOSE.test(inner));
    const indexes = only(states, (inner) => PACK_INDEX.test(inner) && states.has(packOf(inner)));
    const indexBytes = await budget.read(indexes);
    const packs = only(states, (inner) => inner.endsWith('.pack') && indexBytes.has(indexOf(inner)));
    const bytes = await budget.read(new Map([...loose, ...packs]));
    return {
      loose: new Map(
        [...loose.keys()].flatMap((inner) => looseName(inner).map((name) => [name, bytes.get(inner) ?? null])),
      ),
      packs: [...indexBytes].map(([inner, index]) => ({ index, pack: bytes.get(packOf(inner)) ?? null })),
      isComplete: isComplete && indexBytes.size === indexes.size,
    };
  }

  async #filesAfter(directory: string, changed: ReadonlyMap<string, FileState | null>): Promise<FilesAfter> {
    if (changed.size > FILES_MAX) return { states: new Map(), isComplete: false };
    const { files, isComplete } = await this.#contents.filesBefore(`${this.root}/${directory}`, FILES_MAX);
    const states = new Map(files.map(({ path, state }) => [path.slice(this.root.length + 1), state]));
    for (const [inner, after] of changed) {
      if (!inner.startsWith(`${directory}/`)) continue;
      if (isFile(after)) states.set(inner, after);
      else states.delete(inner);
    }
    return { states: statesOf([...states]), isComplete };
  }
}

interface FilesAfter {
  readonly states: States;
  readonly isComplete: boolean;
}

const packOf = (index: string): string => index.replace(/idx$/, 'pack');
const indexOf = (pack: string): string => pack.replace(/pack$/, 'idx');
const looseName = (inner: string): string[] => {
  const [, first, rest] = LOOSE.exec(inner) ?? [];
  return first === undefined || rest === undefined ? [] : [first + rest];
};

const statesOf = (all: readonly (readonly [string, FileState | null])[]): States =>
  new Map(all.filter((each): each is [string, StoredFile] => isFile(each[1])));
const only = (states: States, is: (inner: string) => boolean): States =>
  new Map([...states].filter(([inner]) => is(inner)));

/** Answers whether a change may make an object unreachable for git. New objects and configuration can't. */
export function mayMakeUnreachable({ path, before }: Change): boolean {
  const inner = withinGit(path)?.inner ?? '';
  return (
    inner === 'index' ||
    isReferenceFile(inner) ||
    inner.startsWith('reftable/') ||
    (before !== null && (PARTS.has(inner) || STORED.test(inner)))
  );
}

/** The repositories that contain changes, by their own directories, and those of `further` directories. */
export async function changedRepositories(
  changes: readonly Change[],
  contents: EffectContents,
  further: Iterable<string> = [],
): Promise<GitDirectory[]> {
  const repositories = new Map<string, ChangedParts>([...further].map((root) => [root, new ChangedParts()]));
  for await (const some of inTurns(changes, contents)) {
    for (const change of some) {
      const place = withinGit(change.path);
      if (place === null) continue;
      const parts = repositories.get(place.root) ?? new ChangedParts();
      repositories.set(place.root, parts);
      parts.note(place.inner, change);
    }
  }
  return [...repositories].map(([root, parts]) => new GitDirectory(root, parts, contents));
}
