// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (a copy is not theirs): a file that now has the content of another file is lost, however many words both
// share, unless it had nearly the same content before.
import type { Change } from '@writ/contract';
import { lastName, type ChangedFiles, type FileChange } from './changed-files.ts';
import type { EffectContents } from './contents.ts';
import { inTurns, type Turns } from './in-turns.ts';
import type { CountedPaths } from './paths.ts';

/** A file that has this share of the longer content in common with its former one, in order, is still the same file. */
export const OWN_SHARE = 0.75;

/** Contents that several files have now and that had different ones before. Files that were equal may stay equal. */
export async function sharedContents(
  { modified, copied }: Pick<ChangedFiles, 'modified' | 'copied'>,
  turns: Turns,
): Promise<ReadonlySet<string>> {
  const before = new Map<string, string>();
  const shared = new Set<string>();
  for await (const some of inTurns([...modified, ...copied], turns)) {
    for (const {
      before: { sha256 },
      after,
    } of some) {
      if (after === null) continue;
      const other = before.get(after.sha256);
      if (other === undefined) before.set(after.sha256, sha256);
      else if (other !== sha256) shared.add(after.sha256);
    }
  }
  return shared;
}

/** Answers which contents are in files that an effect did not change. */
export class UnchangedFiles {
  readonly #changes: readonly Change[];
  readonly #paths: CountedPaths;
  readonly #contents: EffectContents;

  constructor(changes: readonly Change[], paths: CountedPaths, contents: EffectContents) {
    this.#changes = changes;
    this.#paths = paths;
    this.#contents = contents;
  }

  /**
   * The changes that turned a file into a copy of another one with another name. A file of the same name is a template,
   * or a restored backup. Reads the whole workspace.
   */
  async copiedBy(files: readonly FileChange[]): Promise<ReadonlySet<FileChange>> {
    const byContent = Map.groupBy(files, ({ after }) => after?.sha256 ?? '');
    const changed = new Set<string>();
    for await (const some of inTurns(this.#changes, this.#contents)) for (const { path } of some) changed.add(path);
    const [copies, namesakes] = [new Set<FileChange>(), new Set<FileChange>()];
    await this.#contents.count(
      (path, sha256) => {
        const same = sha256 === null ? undefined : byContent.get(sha256);
        if (same === undefined || changed.has(path) || !this.#paths.isCounted(path)) return false;
        for (const file of same) (lastName(path) === lastName(file.path) ? namesakes : copies).add(file);
        return true;
      },
      (directory) => this.#paths.isSkipped(directory),
    );
    return new Set([...copies].filter((file) => !namesakes.has(file)));
  }
}
