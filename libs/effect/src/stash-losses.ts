// SPDX-License-Identifier: Apache-2.0
import type { Change, FileState } from '@writ/contract';
import { files } from './finding.ts';
import { changedRepositories, ByteBudget, type GitDirectory } from './git-directory.ts';
import type { StashAnswer } from './git/dropped-stashes.ts';
import type { HistoryWays } from './history.ts';
import type { CountedPaths } from './paths.ts';
import type { EffectWindow } from './window.ts';

/** The files in which git keeps the list of stashes. */
const STASH_FILES = ['refs/stash', 'logs/refs/stash', 'packed-refs'];

type States = ReadonlyMap<string, FileState>;

/**
 * Finds what an effect loses of stashes that existed before its series began: one phrase for each repository. A stash
 * of the series itself is not a person's, and files that it removed from the workspace are judged there.
 */
export async function stashLosses(
  changes: readonly Change[],
  window: EffectWindow,
  paths: CountedPaths,
  ways: HistoryWays,
): Promise<readonly string[]> {
  if (!changes.some(isOfStashes)) return [];
  const after = new Map(changes.map((change) => [change.path, change.after]));
  const phrases: string[] = [];
  for (const git of await changedRepositories(changes, ways.contents)) {
    const above = /^(|.*\/)\.git$/.exec(git.root)?.[1];
    if (above === undefined || paths.isRegenerable(`${git.root}/HEAD`)) continue;
    const lost = await ways.contents.alone(() => new StashReading(git, above, ways).lost(after, window, paths));
    if (lost === null) phrases.push(`drops more of stashes than can be read in \`${git.root}\``);
    else if (lost > 0) phrases.push(`drops ${files(lost)} that only a stash held in \`${git.root}\``);
  }
  return phrases;
}

const isOfStashes = ({ path, before }: Change): boolean =>
  before !== null && /(?:^|\/)(?:(?:logs\/)?refs\/stash|packed-refs)$/.test(path);

class StashReading {
  readonly #git: GitDirectory;
  readonly #above: string;
  readonly #ways: HistoryWays;
  readonly #gathered: ByteBudget;

  constructor(git: GitDirectory, above: string, ways: HistoryWays) {
    [this.#git, this.#above, this.#ways] = [git, above, ways];
    this.#gathered = new ByteBudget(ways.contents);
  }

  /** How many counted files are lost; null where not all could be read. */
  async lost(
    after: ReadonlyMap<string, FileState | null>,
    window: EffectWindow,
    paths: CountedPaths,
  ): Promise<number | null> {
    const { contents, now } = this.#ways;
    const states = await Promise.all(
      STASH_FILES.map(async (inner) => {
        const path = `${this.#git.root}/${inner}`;
        const state = await contents.before(path);
        return { inner, state, atStart: window.atStart(path, state) };
      }),
    );
    const start = await this.#gathered.read(known(states.map(({ inner, atStart }) => [inner, atStart])));
    // There was no stash when the series began.
    if (!start.has('refs/stash') && !start.has('packed-refs') && !start.has('logs/refs/stash')) return 0;
    const before = await this.#gathered.read(known(states.map(({ inner, state }) => [inner, state])));
    const references = await this.#git.references(this.#gathered);
    if (references === null) return null;
    const index = await this.#git.index();
    const staged = index === null ? undefined : (await this.#gathered.read(new Map([['index', index]]))).get('index');
    const objects = await this.#git.objects(this.#gathered, true);
    const question = { start, before, after: references, index: staged ?? null, objects, workspace: null, now };
    const held = await contents.droppedStashes(question);
    if (held === null || !held.isComplete) return null;
    if (held.paths.length === 0) return 0;
    const workspace = await this.#gathered.read(await this.#statesOf(held.paths, after));
    const lost = await contents.droppedStashes({ ...question, workspace });
    return lost?.isComplete === true ? countedOf(lost, this.#above, paths) : null;
  }

  async #statesOf(paths: readonly string[], after: ReadonlyMap<string, FileState | null>): Promise<States> {
    const states: [string, FileState | null][] = [];
    for (const path of paths) {
      const full = `${this.#above}${path}`;
      const state = after.get(full);
      states.push([path, state === undefined ? await this.#ways.contents.before(full) : state]);
    }
    return known(states);
  }
}

const known = (states: readonly (readonly [string, FileState | null])[]): States =>
  new Map(states.filter((each): each is [string, FileState] => each[1] !== null));
const countedOf = ({ paths }: StashAnswer, above: string, counted: CountedPaths): number =>
  paths.filter((path) => counted.isCounted(`${above}${path}`)).length;
