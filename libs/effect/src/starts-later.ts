// SPDX-License-Identifier: Apache-2.0
import type { Change, FileState } from '@writ/contract';
import type { EffectContents } from './contents.ts';
import { inTurns } from './in-turns.ts';
import type { EffectFinding } from './finding.ts';
import { hooksPathsIn } from './git-config.ts';
import { LATER_BYTES_MAX, type LaterNames, type LaterReader, type LaterStarters } from './later-contents.ts';
import { foldedName, laterAt } from './later-paths.ts';
import type { LaterStart } from './later-table.ts';
import { isRegenerableName, namesOf } from './paths.ts';
import type { EffectSettings } from './settings.ts';

/** Files that are read for one effect. Any further file is a finding without being read. */
const READS_MAX = 1_000;
/** As many as a person reads; the list of changes holds all. */
const PHRASES_MAX = 5;

/**
 * Finds programs that an effect sets up to start without an explicit request: when a folder is opened, when git is
 * used, when dependencies are installed, or in CI with other people's rights. A deleted file starts nothing.
 */
export async function startsLater(
  changes: readonly Change[],
  { runs_later: { mode } }: EffectSettings,
  contents: EffectContents,
): Promise<EffectFinding | null> {
  const finder = new LaterFinder(changes, contents);
  for await (const some of inTurns(changes, contents)) for (const change of some) await finder.look(change);
  const found = await finder.found();
  return found.length === 0 ? null : { rule: 'effect.runs_later', mode, size: found.length, message: listed(found) };
}

type State = (path: string) => Promise<FileState | null>;

/** Files of a directory of hooks that are examined: git has some thirty kinds of hooks. */
const HOOKS_MAX = 1_000;

class LaterFinder {
  readonly #contents: EffectContents;
  readonly #after: ReadonlyMap<string, FileState | null>;
  readonly #found: string[] = [];
  /** directories that may be repositories without a `.git`, with their changes */
  readonly #bare = new Map<string, string[]>();
  readonly #hooksPaths = new Map<string, Promise<readonly string[]>>();
  #reads = 0;
  #unread = 0;

  constructor(changes: readonly Change[], contents: EffectContents) {
    this.#contents = contents;
    this.#after = new Map(changes.map(({ path, after }) => [path, after]));
  }

  async look({ path, before, after }: Change): Promise<void> {
    if (after === null) return;
    this.#noteBare(path);
    if (after.kind === 'dir') return;
    const place = laterAt(path, after);
    if (place !== null) return await this.#add(path, place, before, after);
    if (await this.#isConfiguredHook(path)) this.#found.push(`writes \`${path}\`, which runs when ${GIT}`);
  }

  /** The findings, in the order of the changes; repositories without a `.git` come last. */
  async found(): Promise<readonly string[]> {
    for (const [directory, paths] of this.#bare) await this.#addBare(directory, paths);
    return this.#unread === 0 ? this.#found : [...this.#found, `changes ${this.#unread} more files that are not read`];
  }

  async #add(
    path: string,
    { when, reader }: { readonly when: LaterStart; readonly reader: LaterReader | null },
    before: FileState | null,
    after: FileState,
  ): Promise<void> {
    if (reader === null) {
      const what = after.kind === 'symlink' ? 'makes a link of' : 'writes';
      this.#found.push(`${what} \`${path}\`, which runs when ${when}`);
      return;
    }
    if (after.sha256 === null || after.size > LATER_BYTES_MAX)
      this.#found.push(`changes \`${path}\` to what is not read, and what runs when ${when}`);
    else if (this.#reads >= READS_MAX) this.#unread += 1;
    else {
      this.#reads += 1;
      // A former content that is not read counts as empty: everything in the present one is new.
      const old = before?.kind === 'file' && before.size <= LATER_BYTES_MAX ? before.sha256 : null;
      const starters = await this.#contents.starters(reader, old, after.sha256);
      if (starters === null) this.#found.push(`changes \`${path}\` to what is not read, and what runs when ${when}`);
      else if (starters.count + starters.removed.count > 0)
        this.#found.push(`${phraseOf(path, starters)}, which runs when ${when}`);
    }
  }

  /**
   * Git recognizes a repository by its content, whatever the directory's name, in the working directory and above it.
   */
  #noteBare(path: string): void {
    const names = namesOf(path);
    const folded = names.map(foldedName);
    if (folded.includes('.git') || names.some(isRegenerableName)) return;
    const last = folded.at(-1) ?? '';
    const hooks = folded.indexOf('hooks');
    const from = ['head', 'config', 'commondir', 'objects', 'refs'].includes(last)
      ? names.length - 1
      : hooks >= 0 && hooks < names.length - 1
        ? hooks
        : -1;
    if (from < 0) return;
    const directory = names.slice(0, from).join('/');
    this.#bare.set(directory, [...(this.#bare.get(directory) ?? []), path]);
  }

  async #addBare(directory: string, paths: readonly string[]): Promise<void> {
    if (!(await isRepository(directory, (path) => this.#stateAfter(path)))) return;
    const wasOne = await isRepository(directory, (path) => this.#contents.before(path));
    const inside = (name: string): string => (directory === '' ? name : `${directory}/${name}`);
    if ((await this.#stateAfter(inside('commondir'))) !== null && (!wasOne || paths.includes(inside('commondir')))) {
      this.#found.push(
        `makes \`${directory}\` a repository that takes its configuration from elsewhere, which runs when ${GIT}`,
      );
    }
    const config = await this.#stateAfter(inside('config'));
    if (config !== null && (!wasOne || paths.includes(inside('config')))) {
      const before = wasOne ? await this.#contents.before(inside('config')) : null;
      const place =
        config.kind === 'file' ? ({ when: GIT, reader: 'git-config' } as const) : { when: GIT, reader: null };
      await this.#add(inside('config'), place, before, config);
    }
    const hooks = wasOne
      ? paths.filter((path) => path.startsWith(inside('hooks/')))
      : await this.#hooksOf(inside('hooks'));
    for (const path of hooks.filter((each) => !each.endsWith('.sample')))
      this.#found.push(`writes \`${path}\`, which runs when ${GIT}`);
  }

  async #hooksOf(directory: string): Promise<readonly string[]> {
    const before = (await this.#contents.filesBefore(directory, HOOKS_MAX)).files.map(({ path }) => path);
    const changed = [...this.#after.keys()].filter((path) => path.startsWith(`${directory}/`));
    const states = await Promise.all(
      [...new Set([...before, ...changed])].map(async (path) => [path, await this.#stateAfter(path)] as const),
    );
    return states.flatMap(([path, state]) => (state === null || state.kind === 'dir' ? [] : [path]));
  }

  /** Whether a repository above is configured to use the directory of a file for its hooks. */
  async #isConfiguredHook(path: string): Promise<boolean> {
    const names = namesOf(path);
    if (!HOOKS.has(foldedName(names.at(-1) ?? ''))) return false;
    const directory = names.slice(0, -1).join('/');
    for (let depth = 0; depth < names.length; depth += 1) {
      const root = names.slice(0, depth).join('/');
      if (
        (await this.#hooksPathsOf(root)).some(
          (hooks) => hooks === directory || (isElsewhere(hooks) && hooks.endsWith(`/${directory}`)),
        )
      )
        return true;
    }
    return false;
  }

  #hooksPathsOf(root: string): Promise<readonly string[]> {
    const known = this.#hooksPaths.get(root) ?? this.#readHooksPaths(root);
    this.#hooksPaths.set(root, known);
    return known;
  }

  async #readHooksPaths(root: string): Promise<readonly string[]> {
    const prefix = root === '' ? '' : `${root}/`;
    const config = await this.#stateAfter(`${prefix}.git/config`);
    if (config?.kind !== 'file' || config.sha256 === null || config.size > LATER_BYTES_MAX) return [];
    return hooksPathsIn(Buffer.from(await this.#contents.read(config.sha256)).toString('latin1')).map((value) =>
      resolved(root, value),
    );
  }

  async #stateAfter(path: string): Promise<FileState | null> {
    const changed = this.#after.get(path);
    return changed === undefined ? await this.#contents.before(path) : changed;
  }
}

const GIT: LaterStart = 'git is used';
/** Names under which git starts a program of the directory of hooks (githooks). */
const HOOKS = new Set([
  'applypatch-msg',
  'pre-applypatch',
  'post-applypatch',
  'pre-commit',
  'pre-merge-commit',
  'prepare-commit-msg',
  'commit-msg',
  'post-commit',
  'pre-rebase',
  'post-checkout',
  'post-merge',
  'pre-push',
  'pre-receive',
  'update',
  'proc-receive',
  'post-receive',
  'post-update',
  'reference-transaction',
  'push-to-checkout',
  'pre-auto-gc',
  'post-rewrite',
  'sendemail-validate',
  'fsmonitor-watchman',
  'p4-changelist',
  'p4-prepare-changelist',
  'p4-post-changelist',
  'p4-pre-submit',
  'post-index-change',
]);

async function isRepository(directory: string, state: State): Promise<boolean> {
  const inside = (name: string): Promise<FileState | null> => state(directory === '' ? name : `${directory}/${name}`);
  const head = await inside('HEAD');
  if (head === null || head.kind === 'dir') return false;
  if ((await inside('commondir')) !== null) return true;
  return (await inside('objects')) !== null && (await inside('refs')) !== null;
}

/** The path of the workspace and the owner of the home directory are unknown here. */
const isElsewhere = (value: string): boolean => /^[/~%]/.test(value);

/**
 * A path of a configuration, from the root of the workspace. A path that leads out of it gives none; an absolute one
 * stays unchanged.
 */
function resolved(root: string, value: string): string {
  if (isElsewhere(value)) return value;
  const names: string[] = root === '' ? [] : [...namesOf(root)];
  for (const name of value.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names.join('/');
}

function phraseOf(path: string, { removed, ...added }: LaterStarters): string {
  const parts = [
    ...(added.count === 0 ? [] : [namesShown(added, 'sets', 'adds')]),
    ...(removed.count === 0 ? [] : [namesShown(removed, 'removes', 'removes')]),
  ];
  return `${parts.join(' and ')} in \`${path}\``;
}

function namesShown({ names, count }: LaterNames, verb: string, verbOfEntries: string): string {
  const shown = names.map((name) => `\`${name}\``).join(', ');
  return shown === ''
    ? `${verbOfEntries} ${count} entries`
    : `${verb} ${shown}${count > names.length ? ' and more' : ''}`;
}

/** The first of many phrases, for a person. */
export const listed = (phrases: readonly string[]): string =>
  [
    ...phrases.slice(0, PHRASES_MAX),
    ...(phrases.length > PHRASES_MAX ? [`${phrases.length - PHRASES_MAX} more`] : []),
  ].join(', ');
