// SPDX-License-Identifier: Apache-2.0
// Paths at which programs stand that start without anybody asking for them. Names are told one by one, as a file system that folds them does: an
// expression over paths that somebody else chose can take quadratic time.
import { isRegenerableName, namesOf } from './paths.ts';
import type { LaterReader } from './later-contents.ts';

/** What starts them. Sources that a person or a command asks for (tests, Makefiles, build scripts) are not among them: reviewers read those. */
export type LaterStart = 'the folder is opened' | 'git is used' | 'dependencies are installed' | 'CI runs';

export interface LaterPlace {
  readonly when: LaterStart;
  /** what in the content decides; null where any content does */
  readonly reader: LaterReader | null;
}

const at = (when: LaterStart, reader: LaterReader | null = null): LaterPlace => ({ when, reader });
const [OPENED, GIT, INSTALLED, PIPELINE] = [at('the folder is opened'), at('git is used'), at('dependencies are installed'), at('CI runs', 'pipeline')];
const all = (names: readonly string[], place: LaterPlace): [string, LaterPlace][] => names.map((name) => [name, place]);
const extensions = (name: string, of: readonly string[]): string[] => of.map((extension) => `${name}.${extension}`);

/** Files that count in any directory. */
const FILES: ReadonlyMap<string, LaterPlace> = new Map([
  ...all(['.envrc', '.devcontainer.json', '.mcp.json', '.gitpod.yml', '.exrc', '.nvimrc', '.nvim.lua', '.lazy.lua', '.dir-locals.el', '.dir-locals-2.el'], OPENED),
  ...all(['mise.toml', '.mise.toml', 'mise.local.toml', '.mise.local.toml'], at('the folder is opened', 'mise')),
  ...all(['lefthook', '.lefthook', 'lefthook-local', '.lefthook-local'].flatMap((name) => extensions(name, ['yml', 'yaml', 'toml', 'json'])), at('git is used', 'lines')),
  ...all(extensions('.pre-commit-config', ['yml', 'yaml']), at('git is used', 'lines')),
  ...all(['.lintstagedrc', ...extensions('.lintstagedrc', ['json', 'yaml', 'yml', 'js', 'cjs', 'mjs', 'ts', 'mts']),
    ...extensions('lint-staged.config', ['js', 'cjs', 'mjs', 'ts', 'mts'])], at('git is used', 'lines')),
  ...all(['.huskyrc', ...extensions('.huskyrc', ['json', 'yaml', 'yml', 'js', 'cjs']), ...extensions('husky.config', ['js', 'cjs'])], at('git is used', 'lines')),
  ...all(['simple-git-hooks', '.simple-git-hooks'].flatMap((name) => extensions(name, ['json', 'js', 'cjs', 'mjs'])), at('git is used', 'lines')),
  ...all(['.overcommit.yml', 'captainhook.json', 'grumphp.yml', 'grumphp.yml.dist'], at('git is used', 'lines')),
  ['package.json', at('dependencies are installed', 'package')],
  ...all(['.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpmfile.js', 'binding.gyp'], INSTALLED),
  ['.npmrc', at('dependencies are installed', 'npmrc')],
  ...all(['.yarnrc', '.yarnrc.yml'], at('dependencies are installed', 'yarnrc')),
  ['pnpm-workspace.yaml', at('dependencies are installed', 'pnpm')],
  ...all(['.gitlab-ci.yml', 'jenkinsfile', 'azure-pipelines.yml', 'azure-pipelines.yaml', 'bitbucket-pipelines.yml', '.travis.yml', '.drone.yml', '.drone.star',
    '.woodpecker.yml', '.woodpecker.yaml', 'cloudbuild.yaml', 'cloudbuild.yml', 'appveyor.yml', '.appveyor.yml', '.cirrus.yml', '.cirrus.star'], PIPELINE),
]);

type Rest = readonly string[];
const under = (place: LaterPlace) => (): LaterPlace => place;
const only = (names: Readonly<Record<string, LaterPlace>>) => (rest: Rest): LaterPlace | null => names[rest.join('/')] ?? (rest.length > 1 ? names[`${rest[0] ?? ''}/**`] ?? null : null);

/** Directories that count anywhere, and what counts below them. */
const DIRECTORIES: ReadonlyMap<string, (rest: Rest) => LaterPlace | null> = new Map([
  ['.vscode', only({ 'tasks.json': OPENED, 'mcp.json': OPENED, 'settings.json': at('the folder is opened', 'editor') })],
  ['.theia', only({ 'tasks.json': OPENED, 'settings.json': at('the folder is opened', 'editor') })],
  ['.zed', only({ 'settings.json': at('the folder is opened', 'editor') })],
  ['.idea', only({ 'startup.xml': OPENED })],
  ['.idx', only({ 'dev.nix': OPENED })],
  ['.devcontainer', under(OPENED)],
  ['.claude', only({ 'settings.json': OPENED, 'settings.local.json': OPENED, 'hooks/**': OPENED })],
  ['.cursor', only({ 'mcp.json': OPENED, 'hooks.json': OPENED, 'environment.json': OPENED, 'hooks/**': OPENED })],
  ['.gemini', only({ 'settings.json': OPENED })],
  ['.codex', only({ 'config.toml': OPENED, 'hooks.json': OPENED })],
  ['.amazonq', only({ 'mcp.json': OPENED })],
  ['.roo', only({ 'mcp.json': OPENED })],
  ['.kiro', only({ 'settings/mcp.json': OPENED, 'hooks/**': OPENED })],
  ['.opencode', only({ 'plugin/**': OPENED, 'plugins/**': OPENED, 'opencode.json': OPENED, 'opencode.jsonc': OPENED })],
  ['.mise', only({ 'config.toml': at('the folder is opened', 'mise') })],
  // What git leaves out, and what people read, starts nothing.
  ['.husky', (rest) => (['.gitignore', 'readme.md'].includes(rest.at(-1) ?? '') ? null : GIT)],
  ['.yarn', only({ 'releases/**': INSTALLED, 'plugins/**': INSTALLED })],
  ['.cargo', only({ config: at('the folder is opened', 'cargo'), 'config.toml': at('the folder is opened', 'cargo') })],
  ['.github', only({ 'workflows/**': PIPELINE, 'actions/**': PIPELINE })],
  ['.gitlab', only({ 'ci/**': PIPELINE })],
  ['.forgejo', only({ 'workflows/**': PIPELINE, 'actions/**': PIPELINE })],
  ['.gitea', only({ 'workflows/**': PIPELINE, 'actions/**': PIPELINE })],
  ...['.circleci', '.buildkite', '.woodpecker', '.semaphore', '.teamcity'].map((name): [string, () => LaterPlace] => [name, under(PIPELINE)]),
]);

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
  const first = git >= 0 ? git : names.findIndex((name) => DIRECTORIES.has(name));
  const decisive = first >= 0 ? first : names.length - 1;
  // An installed package's own files run nowhere. What is made again says nothing of what lies within a decisive directory.
  if (raw.slice(0, decisive).some(isRegenerableName)) return null;
  if (git >= 0) return isLink ? GIT : withinRepository(names.slice(git + 1), state);
  const inDirectory = first < 0 ? null : placeUnder(names, first, isLink);
  if (inDirectory !== null) return inDirectory;
  const file = FILES.get(names.at(-1) ?? '');
  if (file === undefined) return names.at(-1)?.endsWith('.code-workspace') === true ? at('the folder is opened', 'editor') : null;
  return isLink ? { ...file, reader: null } : file;
}

/** A directory that counts may stand in another one: the innermost that speaks does. A link leads to files that are changed under other names. */
function placeUnder(names: Rest, first: number, isLink: boolean): LaterPlace | null {
  for (let index = names.length - 1; index >= first; index -= 1) {
    const below = DIRECTORIES.get(names[index] ?? '');
    if (below === undefined) continue;
    const rest = names.slice(index + 1);
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

/** A submodule may be called anything, so any `hooks` below `modules` may be its. Samples are switched off by their name. */
const isHook = (rest: Rest): boolean => rest.slice(0, -1).includes('hooks') && !(rest.at(-1) ?? '').endsWith('.sample');

/** A branch may be called `hooks/x`. Its file is never executable. */
const isReference = (rest: Rest): boolean => rest.some((name, index) => ['heads', 'tags', 'remotes'].includes(name) && rest[index - 1] === 'refs');

/** Characters that HFS+ leaves out of names. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** A name as the file systems of other people compare it: without case, final dots and spaces, and the streams and short names of NTFS. */
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
