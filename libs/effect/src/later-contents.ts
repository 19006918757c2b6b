// SPDX-License-Identifier: Apache-2.0
// Parts of a file that start programs without an explicit request. All of it is attacker-controlled: each reader takes
// time in proportion to the text.
import { programsIn } from './git-config.ts';
import { isLocalPackage, leadsToInstalled } from './installed.ts';
import { keyOf, keysWith, linesWith, type Starters } from './later-lines.ts';
import { pipelineChanges, startingLines } from './pipeline-lines.ts';

/** How a content is read. */
export type LaterReader =
  | 'package'
  | 'git-config'
  | 'gitfile'
  | 'commondir'
  | 'npmrc'
  | 'yarnrc'
  | 'pnpm'
  | 'cargo'
  | 'mise'
  | 'editor'
  | 'lines'
  | 'pipeline'
  | 'composer'
  | 'bunfig'
  | 'deploy'
  | 'heroku'
  | 'procfile';

/** A longer content is not read; its change is a finding. */
export const LATER_BYTES_MAX = 256 * 1024;

/** Two contents of one path: null for none. */
export interface LaterContents {
  readonly reader: LaterReader;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array;
}

/** The first few names for a person, and their total number. */
export interface LaterNames {
  readonly names: readonly string[];
  readonly count: number;
}

/** Programs that start now and did not before. */
export interface LaterStarters extends LaterNames {
  /** removed entries that may have restricted what starts */
  readonly removed: LaterNames;
}

const NAMES_MAX = 5;
const NAME_CHARS_MAX = 60;

/** Finds the starters of a content that the former one did not have. Takes time in proportion to both. */
export function newStarters({ reader, before, after }: LaterContents): LaterStarters {
  const [was, is] = [before === null ? null : textOf(before, reader), textOf(after, reader)];
  if (reader === 'pipeline') {
    const { added, removed } = pipelineChanges(was ?? '', is);
    return { ...named(added.map(keyOf)), removed: named(removed.map(keyOf)) };
  }
  const read = READERS[reader];
  const had: Starters = was === null ? new Map() : read(was);
  const has = read(is);
  const removed =
    reader === 'deploy' && has.size > 0 ? without(had, has).filter(([entry]) => RESTRICTS.test(entry)) : [];
  return { ...named(without(has, had).map(nameOf)), removed: named(removed.map(nameOf)) };
}

const without = (all: Starters, others: Starters): [string, string][] =>
  [...all].filter(([entry]) => !others.has(entry));
const nameOf = ([, name]: readonly [string, string]): string => name;
/** Settings that restrict deployments. */
const RESTRICTS = /ignore|deploy|branch|approv|protect/i;

const named = (all: readonly string[]): LaterNames => ({
  names: [...new Set(all.map((name) => name.slice(0, NAME_CHARS_MAX)))]
    .filter((name) => name !== '')
    .slice(0, NAMES_MAX),
  count: all.length,
});

const BOM = '\ufeff';
/**
 * Byte by byte, so that different contents stay different texts. A manifest is JSON, whose names are compared as npm
 * does.
 */
function textOf(bytes: Uint8Array, reader: LaterReader): string {
  const text = Buffer.from(bytes).toString(reader === 'package' ? 'utf8' : 'latin1');
  return text.startsWith(BOM) ? text.slice(1) : text;
}

const READERS: Readonly<Record<Exclude<LaterReader, 'pipeline'>, (text: string) => Starters>> = {
  package: packageStarters,
  'git-config': (text) =>
    REFERENCE.test(text)
      ? new Map()
      : new Map([...programsIn(text)].map((entry) => [entry, entry.split('=')[0] ?? ''])),
  gitfile: (text) =>
    text.length <= GITFILE_CHARS_MAX && OWN_GITDIR.test(text) ? new Map() : new Map([[text, 'gitdir']]),
  commondir: (text) => (text.trim() === '../..' ? new Map() : new Map([[text, 'commondir']])),
  // npm expands environment variables in names as well.
  npmrc: linesWith(
    /script|shell|node-options|init-module|globalconfig|userconfig|registry|editor|browser|viewer|pnpmfile|^(?:"?git|prefix)|^[^=]*\$\{/i,
  ),
  yarnrc: linesWith(/yarn-?path|plugins|path:|spec:|script|shell|use-yarnrc|inject|enable|unsafe|!!/i, 'yaml'),
  pnpm: linesWith(
    /build|built|dangerously|pnpmfile|configdependencies|shell|script|nodeoptions|verify|!!|node_modules|vendor|venv|site-packages|^- *["']?(?:\.\/)?\*/i,
    'yaml',
  ),
  cargo: linesWith(
    /rustc|rustdoc|wrapper|runner|linker|link-|flags|backend|credential|alias|^\[?\s*["']?env\b|path|preload|include|registry|replace/i,
    'toml',
  ),
  mise: linesWith(
    /hooks?|exec|source|_\.|^\[?_|file|tasks?|run|enter|leave|script|plugins|options|preload|path|bash_env|prompt_command|shell/i,
    'toml',
  ),
  // Keys whose values are programs, their arguments or their environment.
  editor: keysWith(
    new RegExp(
      'path|shell|execut|interpreter|command|cmd|args|profile|env|runtime|runon|binary|server|task|trust|allow|launch|tools|alternate|sdk' +
        '|\\.home|hook|plugin|script',
      'i',
    ),
  ),
  composer: composerStarters,
  bunfig: linesWith(/preload|script|registry|security|scanner|path|shell|plugin|loader|define|trusted/i, 'toml'),
  deploy: keysWith(
    /command|cmd|release|hook|build|plugin|ignore|cron|run|script|exec|entrypoint|process|image|docker|deploy|env|function|branch/i,
    'toml',
  ),
  heroku: keysWith(/^(?:scripts|buildpacks|addons|formation|environments|hooks|image)$/i),
  procfile: linesWith(/^["']?release\b/i),
  lines: (text) => new Map([...startingLines(text)].map((line) => [line, keyOf(line)])),
};

/**
 * The beginning of a reference, or of its log: a branch may be called `config`. As a configuration, git stops there.
 */
const REFERENCE = /^[0-9a-f]{40}(?:[0-9a-f]{24})?(?:\n?$| [0-9a-f]{40})/;
/** The longest path. */
const GITFILE_CHARS_MAX = 4_096;
/**
 * As `git worktree` and `git submodule` write it: the directory is inside a repository, where these rules apply as
 * well.
 */
const OWN_GITDIR = /^gitdir: [^\n]*(?:^|[/\\ ])\.git[/\\](?:worktrees|modules)[/\\][^\n]+\n?$/;

/** Scripts that npm, pnpm and Yarn run when a dependent project is installed. */
const LIFECYCLE = new Set([
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
  'postprepare',
  'dependencies',
  'predependencies',
  'postdependencies',
  'pnpm:devpreinstall',
  'heroku-prebuild',
  'heroku-postbuild',
  'heroku-cleanup',
  'gcp-build',
  'vercel-build',
  'now-build',
]);
/** Manifest keys of tools that manage git's hooks, or what hooks run. */
const HOOK_TOOLS = [
  'husky',
  'simple-git-hooks',
  'lint-staged',
  'pre-commit',
  'pre-push',
  'gitHooks',
  'ghooks',
  'yorkie',
  // Packages whose scripts an installation may run.
  'trustedDependencies',
  'allowScripts',
  'allowBuilds',
  'dependenciesMeta',
  'pnpm',
] as const;
const DEPENDENCIES = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'overrides',
  'resolutions',
] as const;
const MENTIONS =
  /install|prepare|prepublish|dependencies"? *:|husky|hooks|lint-staged|pre-commit|pre-push|trusted|allow|built|-build/i;

function packageStarters(text: string): Starters {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    // Some tool may still read it, for instance with merge markers in it.
    return linesWith(MENTIONS)(text);
  }
  const { scripts, packageManager, workspaces, ...rest } = asRecord(manifest);
  const found = new Map<string, string>();
  for (const [name, script] of Object.entries(asRecord(scripts)))
    if (LIFECYCLE.has(name.toLowerCase())) found.set(`scripts.${name}=${JSON.stringify(script)}`, name);
  for (const tool of HOOK_TOOLS) if (rest[tool] !== undefined) found.set(`${tool}=${JSON.stringify(rest[tool])}`, tool);
  for (const pattern of [workspaces, asRecord(workspaces)['packages']].flat()) {
    if (typeof pattern === 'string' && leadsToInstalled(pattern)) found.set(`workspaces=${pattern}`, 'workspaces');
  }
  for (const key of DEPENDENCIES) {
    for (const [name, address] of Object.entries(asRecord(rest[key]))) {
      if (typeof address === 'string' && isLocalPackage(address) && leadsToInstalled(address))
        found.set(`${key}.${name}=${address}`, name);
    }
  }
  // A package manager from a URL is a program from there.
  if (typeof packageManager === 'string' && packageManager.includes('://'))
    found.set(`packageManager=${packageManager}`, 'packageManager');
  return found;
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

/** Composer's events, and the settings that let packages take part in them. */
const EVENT = /^(?:pre-|post-|command$|init$)/i;
function composerStarters(text: string): Starters {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return linesWith(/script|pre-|post-|plugin|hook|repositories/i)(text);
  }
  const { scripts, config, extra, repositories } = asRecord(manifest);
  const entries = [
    ...Object.entries(asRecord(scripts)).filter(([name]) => EVENT.test(name) || LIFECYCLE.has(name.toLowerCase())),
    ...Object.entries({
      'allow-plugins': asRecord(config)['allow-plugins'],
      hooks: asRecord(extra)['hooks'],
      repositories,
    }).filter(([, value]) => value !== undefined),
  ];
  return new Map(entries.map(([name, value]) => [`${name}=${JSON.stringify(value)}`, name]));
}
