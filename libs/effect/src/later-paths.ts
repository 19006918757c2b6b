// SPDX-License-Identifier: Apache-2.0
// Paths at which programs stand that start without anybody asking for them. Names are told one by one, as a file system
// that folds them does: an expression over paths that somebody else chose can take quadratic time.
import { isInstalledName } from './installed.ts';
import { isRegenerableName, namesOf } from './paths.ts';
import { at, byPartOfName, DIRECTORIES, FILES, GIT, isPackageFile, OPENED, type LaterPlace } from './later-table.ts';

type Rest = readonly string[];

const GIT_DIRECTORY = '.git';

/** What stands at a path, as far as it matters here. */
export interface LaterState {
  readonly kind: string;
  readonly mode: string | null;
}

/** A place where what is written starts later; null for any other path. */
export function laterAt(path: string, state: LaterState): LaterPlace | null {
  const raw = namesOf(path);
  const names = raw.map(foldedName);
  const isLink = state.kind === 'symlink';
  const git = names.lastIndexOf(GIT_DIRECTORY);
  if (git >= 0) return isMadeBelow(raw, git) ? null : isLink ? GIT : withinRepository(names.slice(git + 1), state);
  const inDirectory = placeUnder(raw, names, isLink);
  if (inDirectory !== null) return inDirectory;
  const name = names.at(-1) ?? '';
  const file = FILES.get(name) ?? byPartOfName(name);
  if (
    file === null ||
    (isPackageFile(name) ? names.slice(0, -1).some(isInstalledName) : isMadeBelow(raw, names.length - 1))
  )
    return null;
  return isLink ? { ...file, reader: null } : file;
}

/** An installed package's own files run nowhere, and a generator's are made again. */
const isMadeBelow = (raw: Rest, end: number): boolean => raw.slice(0, end).some(isRegenerableName);

/**
 * A directory that counts may stand in another one: the innermost that speaks does. A link leads to files that are
 * changed under other names.
 */
function placeUnder(raw: Rest, names: Rest, isLink: boolean): LaterPlace | null {
  const first = names.findIndex((name) => DIRECTORIES.has(name));
  // What is made again says nothing of what lies within a decisive directory.
  if (first < 0 || isMadeBelow(raw, first)) return null;
  for (let index = names.length - 1; index >= first; index -= 1) {
    const below = DIRECTORIES.get(names[index] ?? '');
    if (below === undefined) continue;
    const rest = names.slice(index + 1);
    // An ordinary name, too: only the folder of hooks in it counts.
    if (names[index] === 'common' && rest[0] !== 'git-hooks') continue;
    if (isLink) return { ...(below(['workflows', 'x']) ?? below(['tasks.json']) ?? OPENED), reader: null };
    const place = rest.length === 0 ? null : below(rest);
    if (place !== null) return place;
  }
  return null;
}

/** @param rest below `.git`; empty for `.git` itself, which as a file leads to a repository elsewhere */
function withinRepository(rest: Rest, { kind, mode }: LaterState): LaterPlace | null {
  if (rest.length === 0) return kind === 'file' ? at('git is used', 'gitfile') : null;
  const isNested = rest[0] === 'modules' || rest[0] === 'worktrees';
  if (rest.length > 1 && !isNested && rest[0] !== 'hooks') return null;
  const [last, before] = [rest.at(-1) ?? '', rest.at(-3)];
  if (isHook(rest) && !(isNested && isReference(rest) && mode !== '755')) return GIT;
  if (last === 'config' || last === 'config.worktree') return at('git is used', 'git-config');
  if (last !== 'commondir') return null;
  return before === 'worktrees' ? at('git is used', 'commondir') : GIT;
}

/**
 * A submodule may be called anything, so any `hooks` below `modules` may be its. Samples are switched off by their
 * name.
 */
const isHook = (rest: Rest): boolean => rest.slice(0, -1).includes('hooks') && !(rest.at(-1) ?? '').endsWith('.sample');

/** A branch may be called `hooks/x`. Its file is never executable. */
const isReference = (rest: Rest): boolean =>
  rest.some((name, index) => ['heads', 'tags', 'remotes'].includes(name) && rest[index - 1] === 'refs');

/** Characters that HFS+ leaves out of names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * A name as the file systems of other people compare it: without case, final dots and spaces, and the streams and short
 * names of NTFS.
 */
export function foldedName(raw: string): string {
  const name = raw.normalize('NFKC').replaceAll(IGNORED, '').toLowerCase().split(':')[0] ?? '';
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  const cut = name.slice(0, end);
  return cut === 'git~1' ? GIT_DIRECTORY : cut;
}

/** The same by the path alone: what the content would have to tell is left out. */
export function startsLater(path: string): boolean {
  const place = laterAt(path, { kind: 'file', mode: '755' });
  return place !== null && place.reader === null;
}
