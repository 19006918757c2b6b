// SPDX-License-Identifier: Apache-2.0
import type { Change } from '@writ/contract';
import type { EffectContents } from './contents.ts';
import type { ContentFacts } from './content-facts.ts';
import type { TakenFile } from './git/kept-contents.ts';
import { changedRepositories, ByteBudget, type GitDirectory } from './git-directory.ts';

/** A file that an effect changed or deleted, with the facts about its contents. */
export interface Suspect {
  readonly path: string;
  readonly facts: Pick<ContentFacts, 'blobBefore' | 'blobAfter'> | null;
}

/**
 * Decides whether git made changes and keeps the former contents. Three conditions must hold: the same effect or its
 * series changed the index or a reference; the path agrees with the index; and the former content is staged, or in a
 * commit that is reachable afterwards. So a checkout, a rebase or a stash loses nothing, and content that was never
 * committed is lost.
 *
 * INVARIANT (the repository is as it is now): what git keeps is read from the base of this effect with its own changes,
 * also where the files of a series are judged. Content that was reachable after an earlier effect may be unreachable
 * now.
 */
export class GitRetention {
  readonly #changes: readonly Change[];
  readonly #contents: EffectContents;
  readonly #now: number;
  readonly #used: ReadonlySet<string>;

  /**
   * @param changes of this effect alone
   * @param used own directories of repositories whose index or references earlier effects of the series changed
   */
  constructor(
    changes: readonly Change[],
    contents: EffectContents,
    now: number,
    used: ReadonlySet<string> = new Set(),
  ) {
    [this.#changes, this.#contents, this.#now, this.#used] = [changes, contents, now, used];
  }

  /** The suspects that git keeps. */
  async kept<T extends Suspect>(suspects: readonly T[]): Promise<ReadonlySet<T>> {
    const kept = new Set<T>();
    if (suspects.length === 0) return kept;
    const repositories = (await changedRepositories(this.#changes, this.#contents, this.#used)).filter(
      ({ root, parts }) =>
        /(?:^|\/)\.git$/.test(root) && (this.#used.has(root) || parts.index !== null || parts.references.size > 0),
    );
    // The longest first: a file belongs to the innermost repository.
    const roots = repositories
      .map((git) => ({ git, above: git.root.slice(0, -'.git'.length) }))
      .sort((a, b) => b.above.length - a.above.length);
    const byRoot = Map.groupBy(suspects, ({ path }) => roots.find(({ above }) => path.startsWith(above)));
    for (const [root, some] of byRoot) {
      if (root === undefined) continue;
      const taken = some.map(({ path, facts }) => ({
        path: path.slice(root.above.length),
        before: facts?.blobBefore ?? '',
        after: facts?.blobAfter ?? null,
      }));
      const answers = await this.#contents.alone(() => this.#query(root.git, taken));
      some.forEach((each, at) => {
        if (answers?.[at] === true) kept.add(each);
      });
    }
    return kept;
  }

  async #query(git: GitDirectory, taken: readonly TakenFile[]): Promise<readonly boolean[] | null> {
    const gathered = new ByteBudget(this.#contents);
    const state = await git.index();
    const index = state === null ? undefined : (await gathered.read(new Map([['index', state]]))).get('index');
    const references = index === undefined ? null : await git.references(gathered);
    if (index === undefined || references === null) return null;
    return await this.#contents.keptByGit({
      index,
      references,
      objects: await git.objects(gathered),
      taken,
      now: this.#now,
    });
  }
}
