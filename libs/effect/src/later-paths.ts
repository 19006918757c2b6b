// SPDX-License-Identifier: Apache-2.0
// Paths of programs that start without an explicit request. Names are matched one by one, as a file system that folds
// them does. A regular expression over attacker-controlled paths could take quadratic time.
import { isInstalledName } from './installed.ts';
import { isRegenerableName, namesOf } from './paths.ts';
import { at, byPartOfName, DIRECTORIES, FILES, GIT, isPackageFile, OPENED, type LaterRule } from './later-table.ts';

type Rest = readonly string[];

const GIT_DIRECTORY = '.git';

/** The entry at a path, with the fields that matter here. */
export interface LaterState {
  readonly kind: string;
  readonly mode: string | null;
}

/** The rule for a path whose content starts later; null for any other path. */
export function laterAt(path: string, state: LaterState): LaterRule | null {
  const raw = namesOf(path);
  const names = raw.map(foldedName);
  const isLink = state.kind === 'symlink';
  const git = names.lastIndexOf(GIT_DIRECTORY);
  if (git >= 0) return isMadeBelow(raw, git) ? null : isLink ? GIT : withinRepository(names.slice(git + 1), state);
  const inDirectory = ruleUnder(raw, names, isLink);
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

/** An installed package's own files run nowhere, and a generator's are regenerated. */
const isMadeBelow = (raw: Rest, end: number): boolean => raw.slice(0, end).some(isRegenerableName);

/**
 * A directory that counts may be inside another one: the innermost with a rule decides. A link leads to files that are
 * changed under other names.
 */
function ruleUnder(raw: Rest, names: Rest, isLink: boolean): LaterRule | null {
  const first = names.findIndex((name) => DIRECTORIES.has(name));
  // Regenerable directories inside a counted directory are no exception.
  if (first < 0 || isMadeBelow(raw, first)) return null;
  for (let index = names.length - 1; index >= first; index -= 1) {
    const below = DIRECTORIES.get(names[index] ?? '');
    if (below === undefined) continue;
    const rest = names.slice(index + 1);
    // The name is common: only its folder of hooks counts.
    if (names[index] === 'common' && rest[0] !== 'git-hooks') continue;
    if (isLink) return { ...(below(['workflows', 'x']) ?? below(['tasks.json']) ?? OPENED), reader: null };
    const place = rest.length === 0 ? null : below(rest);
    if (place !== null) return place;
  }
  return null;
}

/** @param rest below `.git`; empty for `.git` itself, which as a file leads to a repository elsewhere */
function withinRepository(rest: Rest, { kind, mode }: LaterState): LaterRule | null {
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
 * A submodule may have any name, so any `hooks` below `modules` may belong to one. Samples are disabled by their name.
 */
const isHook = (rest: Rest): boolean => rest.slice(0, -1).includes('hooks') && !(rest.at(-1) ?? '').endsWith('.sample');

/** A branch may be called `hooks/x`. Its file is never executable. */
const isReference = (rest: Rest): boolean =>
  rest.some((name, index) => ['heads', 'tags', 'remotes'].includes(name) && rest[index - 1] === 'refs');

/** Characters that HFS+ ignores in names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * A name as other file systems compare it: without case, final dots and spaces, and without NTFS's streams and short
 * names.
 */
export function foldedName(raw: string): string {
  const name = raw.normalize('NFKC').replaceAll(IGNORED, '').toLowerCase().split(':')[0] ?? '';
  let end = name.length;
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end -= 1;
  const cut = name.slice(0, end);
  return cut === 'git~1' ? GIT_DIRECTORY : cut;
}

/** The same by the path alone, without regard to the content. */
export function startsLater(path: string): boolean {
  const place = laterAt(path, { kind: 'file', mode: '755' });
  return place !== null && place.reader === null;
}
