// SPDX-License-Identifier: Apache-2.0
// The table of paths from which programs start without an explicit request. Names are in lower case.
import type { LaterReader } from './later-contents.ts';

/**
 * The event that starts them. Sources that a person or a command runs explicitly (tests, Makefiles, build scripts) are
 * excluded, since reviewers read those.
 */
export type LaterStart = 'the folder is opened' | 'git is used' | 'dependencies are installed' | 'CI runs';

export interface LaterRule {
  readonly when: LaterStart;
  /** which part of the content decides; null where any content counts */
  readonly reader: LaterReader | null;
}

export const at = (when: LaterStart, reader: LaterReader | null = null): LaterRule => ({ when, reader });
export const [OPENED, GIT] = [at('the folder is opened'), at('git is used')];
const INSTALLED = at('dependencies are installed');
const MANIFEST = at('dependencies are installed', 'package');
/** Files that git runs, line by line. */
const HOOKS = at('git is used', 'lines');
const SETTINGS = at('the folder is opened', 'editor');
const [PIPELINE, DEPLOYED] = [at('CI runs', 'pipeline'), at('CI runs', 'deploy')];
const all = (names: readonly string[], place: LaterRule): [string, LaterRule][] => names.map((name) => [name, place]);
const extensions = (name: string, of: readonly string[]): string[] => of.map((extension) => `${name}.${extension}`);

/** Files that count in any directory. */
export const FILES: ReadonlyMap<string, LaterRule> = new Map([
  ...all(
    [
      '.envrc',
      '.devcontainer.json',
      '.mcp.json',
      '.gitpod.yml',
      '.exrc',
      '.nvimrc',
      '.nvim.lua',
      '.lazy.lua',
      '.dir-locals.el',
      '.dir-locals-2.el',
      '.vimrc',
      '_vimrc',
      '.gvimrc',
      '.lvimrc',
      '.local.vimrc',
      '.neoconf.json',
      '.rprofile',
      '.gdbinit',
      '.lldbinit',
      '.pdbrc',
      '.irbrc',
      '.pryrc',
      '.iex.exs',
      '.ghci',
      '.autoenv',
      '.autoenv.zsh',
      'devfile.yaml',
      '.devfile.yaml',
    ],
    OPENED,
  ),
  // Configuration of agents.
  ...all(
    ['opencode.json', 'opencode.jsonc', '.aider.conf.yml', '.aider.conf.yaml', 'crush.json', '.crush.json'],
    OPENED,
  ),
  ...all(['mise.toml', '.mise.toml', 'mise.local.toml', '.mise.local.toml'], at('the folder is opened', 'mise')),
  ...all(
    ['lefthook', '.lefthook', 'lefthook-local', '.lefthook-local'].flatMap((name) =>
      extensions(name, ['yml', 'yaml', 'toml', 'json']),
    ),
    HOOKS,
  ),
  ...all(extensions('.pre-commit-config', ['yml', 'yaml']), HOOKS),
  ...all(
    [
      '.lintstagedrc',
      ...extensions('.lintstagedrc', ['json', 'yaml', 'yml', 'js', 'cjs', 'mjs', 'ts', 'mts']),
      ...extensions('lint-staged.config', ['js', 'cjs', 'mjs', 'ts', 'mts']),
    ],
    HOOKS,
  ),
  ...all(
    [
      '.huskyrc',
      ...extensions('.huskyrc', ['json', 'yaml', 'yml', 'js', 'cjs']),
      ...extensions('husky.config', ['js', 'cjs']),
    ],
    HOOKS,
  ),
  ...all(
    ['simple-git-hooks', '.simple-git-hooks'].flatMap((name) => extensions(name, ['json', 'js', 'cjs', 'mjs'])),
    HOOKS,
  ),
  ...all(
    [
      '.overcommit.yml',
      'captainhook.json',
      'grumphp.yml',
      'grumphp.yml.dist',
      'prek.toml',
      'hk.pkl',
      '.hk.pkl',
      '.rusty-hook.toml',
    ],
    HOOKS,
  ),
  ...all(['package.json', 'package.json5', 'package.yaml'], MANIFEST),
  ...all(['.pnpmfile.cjs', '.pnpmfile.mjs', 'pnpmfile.js', 'binding.gyp'], INSTALLED),
  ['.npmrc', at('dependencies are installed', 'npmrc')],
  ...all(['.yarnrc', '.yarnrc.yml'], at('dependencies are installed', 'yarnrc')),
  ...all(['composer.json', '.bowerrc'], at('dependencies are installed', 'composer')),
  ['bunfig.toml', at('dependencies are installed', 'bunfig')],
  ['rush.json', at('dependencies are installed', 'editor')],
  ['pnpm-workspace.yaml', at('dependencies are installed', 'pnpm')],
  ...all(
    [
      '.gitlab-ci.yml',
      'jenkinsfile',
      'azure-pipelines.yml',
      'azure-pipelines.yaml',
      'bitbucket-pipelines.yml',
      '.travis.yml',
      '.drone.yml',
      '.drone.star',
      '.woodpecker.yml',
      '.woodpecker.yaml',
      'cloudbuild.yaml',
      'cloudbuild.yml',
      'appveyor.yml',
      '.appveyor.yml',
      '.cirrus.yml',
      '.cirrus.star',
      '.travis.yaml',
      '.drone.yaml',
      '.drone.jsonnet',
      '.cirrus.yaml',
      'circle.yml',
      'wercker.yml',
      'shippable.yml',
      '.scrutinizer.yml',
      'action.yml',
      'action.yaml',
      ...extensions('buildspec', ['yml', 'yaml']),
      ...extensions('.readthedocs', ['yml', 'yaml']),
      ...extensions('readthedocs', ['yml', 'yaml']),
      ...extensions('bitrise', ['yml', 'yaml']),
      ...extensions('codemagic', ['yml', 'yaml']),
      ...extensions('appspec', ['yml', 'yaml', 'json']),
      ...extensions('amplify', ['yml', 'yaml']),
      ...extensions('render', ['yml', 'yaml']),
      ...extensions('atlantis', ['yml', 'yaml']),
      '.build.yml',
      'heroku.yml',
      '.platform.app.yaml',
      'apprunner.yaml',
    ],
    PIPELINE,
  ),
  // Headers, redirects and regions in these files are ordinary settings.
  ...all(
    [
      'netlify.toml',
      'vercel.json',
      'now.json',
      'fly.toml',
      'railway.json',
      'railway.toml',
      'nixpacks.toml',
      'firebase.json',
      ...extensions('wrangler', ['toml', 'json', 'jsonc']),
    ],
    DEPLOYED,
  ),
  ['app.json', at('CI runs', 'heroku')],
  ['procfile', at('CI runs', 'procfile')],
]);

type Rest = readonly string[];
const under = (place: LaterRule) => (): LaterRule => place;
const only =
  (names: Readonly<Record<string, LaterRule>>) =>
  (rest: Rest): LaterRule | null =>
    names[rest.join('/')] ?? (rest.length > 1 ? (names[`${rest[0] ?? ''}/**`] ?? null) : null);

/** Directories that count anywhere, and what counts below them. */
export const DIRECTORIES: ReadonlyMap<string, (rest: Rest) => LaterRule | null> = new Map([
  ['.vscode', only({ 'tasks.json': OPENED, 'mcp.json': OPENED, 'settings.json': SETTINGS })],
  ['.theia', only({ 'tasks.json': OPENED, 'settings.json': SETTINGS })],
  ['.zed', only({ 'settings.json': SETTINGS })],
  ['.idea', only({ 'startup.xml': OPENED, 'watchertasks.xml': OPENED, 'tools/**': OPENED })],
  ['.idx', only({ 'dev.nix': OPENED })],
  ['.devcontainer', under(OPENED)],
  ['.claude', only({ 'settings.json': OPENED, 'settings.local.json': OPENED, 'hooks/**': OPENED })],
  ['.cursor', only({ 'mcp.json': OPENED, 'hooks.json': OPENED, 'environment.json': OPENED, 'hooks/**': OPENED })],
  ['.gemini', only({ 'settings.json': OPENED })],
  ['.codex', only({ 'config.toml': OPENED, 'hooks.json': OPENED })],
  ['.amazonq', only({ 'mcp.json': OPENED })],
  ['.roo', only({ 'mcp.json': OPENED })],
  ['.kiro', only({ 'settings/mcp.json': OPENED, 'hooks/**': OPENED })],
  [
    '.opencode',
    only({
      'plugin/**': OPENED,
      'plugins/**': OPENED,
      'tool/**': OPENED,
      'tools/**': OPENED,
      'opencode.json': OPENED,
      'opencode.jsonc': OPENED,
    }),
  ],
  ['.junie', only({ 'mcp/**': OPENED })],
  ['.continue', only({ 'config.yaml': OPENED, 'config.json': OPENED, 'config.ts': OPENED, 'mcpservers/**': OPENED })],
  ['.windsurf', only({ 'mcp.json': OPENED, 'mcp_config.json': OPENED, 'hooks.json': OPENED, 'hooks/**': OPENED })],
  ['.factory', only({ 'mcp.json': OPENED, 'settings.json': OPENED, 'hooks/**': OPENED })],
  ['.clinerules', only({ 'hooks/**': OPENED })],
  ...['.qwen', '.amp', '.augment', '.kilocode', '.trae'].map((name): [string, (rest: Rest) => LaterRule | null] => [
    name,
    only({ 'mcp.json': OPENED, 'settings.json': OPENED, 'hooks/**': OPENED }),
  ]),
  ['.vim', under(OPENED)],
  ['.nvim', under(OPENED)],
  ['.helix', only({ 'languages.toml': OPENED, 'config.toml': OPENED })],
  ['.lapce', only({ 'settings.toml': OPENED })],
  ['.fleet', only({ 'settings.json': SETTINGS })],
  ['.externaltoolbuilders', under(OPENED)],
  ['.mvn', only({ 'extensions.xml': OPENED, 'jvm.config': OPENED, 'maven.config': OPENED })],
  ['.mise', only({ 'config.toml': at('the folder is opened', 'mise') })],
  // Files that git ignores or that people read start nothing.
  ['.husky', (rest) => (['.gitignore', 'readme.md'].includes(rest.at(-1) ?? '') ? null : GIT)],
  ['.git-hooks', under(GIT)],
  ['.cargo-husky', only({ 'hooks/**': GIT })],
  ['common', only({ 'git-hooks/**': GIT })],
  ['.hg', only({ hgrc: GIT, 'hgrc-not-shared': GIT })],
  ['.sl', only({ config: GIT })],
  ['.jj', only({ 'repo/config.toml': GIT, 'workspace-config.toml': GIT })],
  ['.yarn', only({ 'releases/**': INSTALLED, 'plugins/**': INSTALLED })],
  ['.cargo', only({ config: at('the folder is opened', 'cargo'), 'config.toml': at('the folder is opened', 'cargo') })],
  ['.github', only({ 'workflows/**': PIPELINE, 'actions/**': PIPELINE, 'hooks/**': OPENED })],
  ['.gitlab', only({ 'ci/**': PIPELINE })],
  ['.forgejo', only({ 'workflows/**': PIPELINE, 'actions/**': PIPELINE })],
  ['.gitea', only({ 'workflows/**': PIPELINE, 'actions/**': PIPELINE })],
  ...[
    '.circleci',
    '.buildkite',
    '.woodpecker',
    '.semaphore',
    '.teamcity',
    '.builds',
    '.tekton',
    '.harness',
    '.azure-pipelines',
    '.azuredevops',
    'azure-pipelines',
    '.gitlab-ci',
    '.ebextensions',
    '.platform',
    '.do',
    '.spacelift',
    '.openshift',
  ].map((name): [string, () => LaterRule] => [name, under(PIPELINE)]),
]);

/** A rule for files that are recognized by a part of their name. */
export function byPartOfName(name: string): LaterRule | null {
  if (name.endsWith('.code-workspace') || name.endsWith('.sublime-project')) return SETTINGS;
  return name.endsWith('.gitlab-ci.yml') || name.startsWith('jenkinsfile.') || name.endsWith('.jenkinsfile')
    ? PIPELINE
    : null;
}

/** Whether a package that another one refers to starts something by this file, wherever it is. */
export const isPackageFile = (name: string): boolean => FILES.get(name)?.reader === 'package' || name === 'binding.gyp';
