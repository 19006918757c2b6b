// SPDX-License-Identifier: Apache-2.0
import type { Change, FileState } from '@writ/contract';
import { inTurns, type Turns } from './in-turns.ts';
import { namesOf, type CountedPaths } from './paths.ts';

/** A change of an entry that had a content: a file or a symbolic link. */
export interface FileChange {
  readonly path: string;
  readonly before: FileState & { readonly sha256: string };
  /** null for a deleted entry, or one that became a directory */
  readonly after: (FileState & { readonly sha256: string }) | null;
}

/** A new entry at its path. */
export interface NewFile {
  readonly path: string;
  readonly after: FileState & { readonly sha256: string };
}

/** The changes of an effect, classified by what they mean for counted files. */
export interface ChangedFiles {
  /** counted files that are gone from their path, and whose content is nowhere else */
  readonly deleted: readonly FileChange[];
  /** counted files that are gone from their path, and whose content is at another one now */
  readonly moved: readonly Move[];
  /** counted files with another content, whose former content is nowhere else */
  readonly modified: readonly FileChange[];
  /** counted files with another content, whose former content is at another path now */
  readonly copied: readonly FileChange[];
  /** counted files at new paths, whose content comes from no other file */
  readonly created: readonly NewFile[];
}

export interface Move {
  readonly from: FileChange;
  readonly to: NewFile;
}

const hasContent = (state: FileState | null): state is FileState & { readonly sha256: string } =>
  state !== null && state.sha256 !== null;

/** Classifies the changes of a delta. Each path counts as the destination of at most one lost content. */
export async function changedFiles(
  changes: readonly Change[],
  paths: CountedPaths,
  turns: Turns,
): Promise<ChangedFiles> {
  const [gone, rewritten, fresh]: [FileChange[], FileChange[], NewFile[]] = [[], [], []];
  for await (const some of inTurns(changes, turns)) {
    for (const { path, before, after } of some.filter((change) => paths.isCounted(change.path))) {
      if (hasContent(after) && before?.sha256 !== after.sha256) fresh.push({ path, after });
      if (!hasContent(before)) continue;
      if (!hasContent(after)) gone.push({ path, before, after: null });
      else if (before.sha256 !== after.sha256) rewritten.push({ path, before, after });
    }
  }
  const places = new NewPaths(fresh);
  const moved = gone.flatMap((from) => places.claim(from) ?? []);
  const copied = rewritten.flatMap((from) => places.claim(from) ?? []).map(({ from }) => from);
  const [found, existed] = [
    new Set([...moved.map(({ from }) => from), ...copied]),
    new Set(rewritten.map(({ path }) => path)),
  ];
  return {
    deleted: gone.filter((each) => !found.has(each)),
    moved,
    copied,
    modified: rewritten.filter((each) => !found.has(each)),
    created: places.left().filter(({ path }) => !existed.has(path)),
  };
}

/** Candidates that are searched for one with the same name: a thousand copies of one content are all alike. */
const NEAREST = 16;

/** The new paths of contents. */
class NewPaths {
  readonly #byContent: Map<string, NewFile[]>;

  constructor(fresh: readonly NewFile[]) {
    this.#byContent = Map.groupBy(fresh, ({ after }) => after.sha256);
  }

  /**
   * A path that has the content, and is then used up; one with the same last name where there is one. An empty content
   * has no path, since it is everywhere.
   */
  claim(from: FileChange): Move | null {
    const places = this.#byContent.get(from.before.sha256);
    if (from.before.size === 0 || places === undefined || places.length === 0) return null;
    const first = Math.max(0, places.length - NEAREST);
    const same = places.slice(first).findIndex(({ path }) => lastName(path) === lastName(from.path));
    const [to] = places.splice(same < 0 ? -1 : first + same, 1);
    return to === undefined ? null : { from, to };
  }

  left(): readonly NewFile[] {
    return [...this.#byContent.values()].flat();
  }
}

/** The last name of a path. */
export const lastName = (path: string): string => namesOf(path).at(-1) ?? '';

/**
 * Pairs of files with the same last name and about the same size, of which one may be the moved other. Each new file is
 * used once.
 */
export function namesakes(deleted: readonly FileChange[], created: readonly NewFile[]): readonly Move[] {
  const byName = Map.groupBy(created, ({ path }) => lastName(path));
  return deleted.flatMap((from) => {
    const places = byName.get(lastName(from.path)) ?? [];
    const at = places
      .slice(0, NEAREST)
      .findIndex(({ after }) => after.size >= from.before.size / 2 && after.size <= from.before.size * 2);
    const to = at < 0 ? undefined : places.splice(at, 1)[0];
    return to === undefined ? [] : [{ from, to }];
  });
}

/** The extension of a path's last name, lower case; empty where it has none. */
export function extensionOf(path: string): string {
  const name = lastName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}
