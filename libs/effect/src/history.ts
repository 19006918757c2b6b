// SPDX-License-Identifier: Apache-2.0
import type { Change } from '@writ/contract';
import type { EffectContents } from './contents.ts';
import { files } from './finding.ts';
import { changedRepositories, ByteBudget, type GitDirectory } from './git-directory.ts';
import type { HistoryAnswer, HistoryQuestion } from './git/history-changes.ts';
import type { CountedPaths } from './paths.ts';

export interface HistoryWays {
  readonly contents: EffectContents;
  /** selects the objects to verify where there are many */
  readonly key: Uint8Array;
  /** when the effect is examined, in milliseconds */
  readonly now: number;
}

/** The answer where the repository could not be read within bounds of time and memory. */
const UNREAD: HistoryAnswer = { losses: ['changes more of git than can be read'], wants: null };

/**
 * Finds what an effect removes from the history of repositories: one phrase for each loss. A repository must keep its
 * head, objects and references. Objects are written once. Objects that references and logs reached must stay, and stay
 * reachable.
 */
export async function historyLosses(
  changes: readonly Change[],
  paths: CountedPaths,
  ways: HistoryWays,
): Promise<readonly string[]> {
  const phrases: string[] = [];
  for (const git of await changedRepositories(changes, ways.contents)) {
    if (paths.isRegenerable(`${git.root}/HEAD`)) continue;
    phrases.push(...(await lossesOf(git, ways)).map((loss) => `${loss} in \`${git.root}\``));
  }
  return phrases;
}

async function lossesOf(git: GitDirectory, ways: HistoryWays): Promise<readonly string[]> {
  const { goneParts, rewritten, readsOtherReferences, isGathered } = git.parts;
  if (goneParts.length > 0) return [`deletes the repository (\`${goneParts.join('`, `')}\`)`];
  if (rewritten > 0) return [`rewrites ${files(rewritten)} of objects`];
  if (readsOtherReferences) return ['changes references of a kind that is not read'];
  return isGathered ? (await answer(git, ways)).losses : UNREAD.losses;
}

/** Above this size, references and logs are long; those of most effects are a few lines. */
const SHORT_BYTES_MAX = 1024 * 1024;

async function answer(git: GitDirectory, ways: HistoryWays): Promise<HistoryAnswer> {
  const changed = { ...(await git.changedReferences()), indexes: await git.goneIndexes() };
  const sizes = [changed.before, changed.after, changed.indexes].flatMap((states) =>
    [...states.values()].map(({ size }) => size),
  );
  const isStoreLess = git.parts.goneLoose.length + changed.indexes.size > 0;
  if (sizes.length === 0 && !isStoreLess) return { losses: [], wants: null };
  const reading = new HistoryReading(git, ways, changed);
  const isShort = !isStoreLess && sizes.reduce((sum, size) => sum + size, 0) <= SHORT_BYTES_MAX;
  return (isShort ? await reading.first() : null) ?? (await ways.contents.alone(() => reading.whole()));
}

type Changed = Awaited<ReturnType<GitDirectory['changedReferences']>> & {
  readonly indexes: Awaited<ReturnType<GitDirectory['goneIndexes']>>;
};

/**
 * Collects more data only where the answer needs it: most effects add commits, and the logs that they changed prove
 * that.
 */
class HistoryReading {
  readonly #git: GitDirectory;
  readonly #ways: HistoryWays;
  readonly #changed: Changed;

  constructor(git: GitDirectory, ways: HistoryWays, changed: Changed) {
    [this.#git, this.#ways, this.#changed] = [git, ways, changed];
  }

  /** The answer from the changes alone; null where they don't suffice. */
  async first(): Promise<HistoryAnswer | null> {
    const known = await this.#known(new ByteBudget(this.#ways.contents));
    if (known === null) return UNREAD;
    const reported = await this.#ways.contents.gitHistory({ ...known, rest: null, objects: null });
    return reported === null ? UNREAD : reported.wants === null ? reported : null;
  }

  async whole(): Promise<HistoryAnswer> {
    const { contents } = this.#ways;
    const gathered = new ByteBudget(contents);
    const known = await this.#known(gathered);
    const all = known === null ? null : await this.#git.references(gathered);
    if (known === null || all === null) return UNREAD;
    const rest = new Map([...all].filter(([inner]) => !known.before.has(inner) && !known.after.has(inner)));
    if (known.gone.loose.length + known.gone.indexes.length > 0) {
      const index = await this.#git.index();
      if (index !== null && !known.after.has('index'))
        for (const each of await gathered.read(new Map([['index', index]]))) rest.set(...each);
    } else {
      const reported = await contents.gitHistory({ ...known, rest, objects: null });
      if (reported === null || reported.wants === null) return reported ?? UNREAD;
    }
    return (await contents.gitHistory({ ...known, rest, objects: await this.#git.objects(gathered) })) ?? UNREAD;
  }

  /** The changes; null where they are too long. */
  async #known(gathered: ByteBudget): Promise<Omit<HistoryQuestion, 'rest' | 'objects'> | null> {
    const { key, now } = this.#ways;
    const { before, after, indexes } = this.#changed;
    const [old, fresh] = [await gathered.read(before), await gathered.read(after)];
    const gone = await gathered.read(indexes);
    if (old.size < before.size || fresh.size < after.size || gone.size < indexes.size) return null;
    return {
      before: old,
      after: fresh,
      gone: { loose: this.#git.parts.goneLoose, indexes: [...gone.values()] },
      key,
      now,
    };
  }
}
