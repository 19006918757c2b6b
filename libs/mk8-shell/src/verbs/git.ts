// SPDX-License-Identifier: Apache-2.0
//
// git, run so that nothing in a repository or in a user's settings makes it run a program.
// INVARIANT (no programs): hooks, monitors, filters, pagers, editors, helpers and other protocols are off for every
// command. For drivers in a repository's own settings git has no such switch, so these keep git from starting at all.
import { isProtectedBranch } from '../rules/match-template.ts';
import type { StepContext } from '../run/step-context.ts';
import { refused } from '../run/step-error.ts';

/** Overrides every configuration file. */
const SETTINGS: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=true',
  'core.sshCommand=false',
  'core.askPass=',
  'core.attributesFile=/dev/null',
  'core.symlinks=false',
  'credential.helper=',
  'diff.external=',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'protocol.https.allow=always',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'init.templateDir=',
  'init.defaultBranch=feature/init',
  'http.followRedirects=false',
  'pull.rebase=false',
  'push.default=simple',
  'push.recurseSubmodules=no',
  'rerere.enabled=false',
  'user.useConfigOnly=false',
  // A workspace whose files look like a bare repository would count as one, with unchecked settings.
  'safe.bareRepository=explicit',
];

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_PAGER: 'cat',
  PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_ALLOW_PROTOCOL: 'https',
  GIT_SSH_COMMAND: 'false',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_MERGE_AUTOEDIT: 'no',
  GIT_AUTHOR_NAME: 'mk8.shell',
  GIT_AUTHOR_EMAIL: 'mk8-shell@localhost',
  GIT_COMMITTER_NAME: 'mk8.shell',
  GIT_COMMITTER_EMAIL: 'mk8-shell@localhost',
  LC_ALL: 'C.UTF-8',
};

/** Options that disable drivers of attributes, where an operation has such options. */
const GUARDS: Readonly<Record<string, readonly string[]>> = {
  diff: ['--no-ext-diff', '--no-textconv'],
  log: ['--no-ext-diff', '--no-textconv'],
  init: ['--initial-branch=feature/init'],
  commit: ['--no-verify'],
  merge: [],
  push: ['--no-verify', '--no-recurse-submodules'],
  pull: ['--no-rebase', '--no-recurse-submodules'],
  clone: ['--no-recurse-submodules', '--no-local'],
};

/** The process of a git command. `argv` begins with `git` and fits a template. */
export function gitCommand([, operation = '', ...rest]: readonly string[]): {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
} {
  return {
    argv: [
      'git',
      '--no-pager',
      ...SETTINGS.flatMap((setting) => ['-c', setting]),
      operation,
      ...(GUARDS[operation] ?? []),
      ...rest,
    ],
    env: ENVIRONMENT,
  };
}

/** Settings of a repository that start nothing and connect nowhere. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  core: [
    'repositoryformatversion',
    'filemode',
    'bare',
    'logallrefupdates',
    'ignorecase',
    'precomposeunicode',
    'symlinks',
    'autocrlf',
    'eol',
    'safecrlf',
    'quotepath',
  ],
  remote: ['url', 'fetch', 'tagopt'],
  branch: ['remote', 'merge', 'rebase', 'description'],
  user: ['name', 'email'],
  init: ['defaultbranch'],
  pull: ['ff', 'rebase'],
  push: ['default'],
};
const CONFIG_BYTES_MAX = 256 * 1024;

/**
 * @throws StepError where the repository has settings that could make git run a program, or connect to a URL outside
 * the sandbox's list
 */
export async function requireCleanRepository({ files, sandbox: { cwd, rules } }: StepContext): Promise<void> {
  for (const folder of foldersUp(cwd)) {
    const git = folder === '' ? '.git' : `${folder}/.git`;
    const facts = await files.stat(git);
    if (facts === null) continue;
    if (facts.kind !== 'directory')
      throw refused('`.git` is no directory: repositories that lie elsewhere are not used');
    if ((await files.stat(`${git}/config.worktree`)) !== null)
      throw refused('the repository has settings of a worktree, which are not used');
    if ((await files.stat(`${git}/commondir`)) !== null)
      throw refused("the repository shares another one's settings, which are not used");
    if ((await files.stat(`${git}/config`)) === null) return;
    const fault = settingsFault(
      new TextDecoder().decode(await files.bytes(`${git}/config`, CONFIG_BYTES_MAX)),
      rules.urls,
    );
    if (fault !== null) throw refused(`the repository's settings ${fault}`);
    return;
  }
}

/** From the working directory up to the workspace: git looks for its directory in the same way. */
const foldersUp = (cwd: string): string[] => {
  const segments = cwd === '' ? [] : cwd.split('/');
  return Array.from({ length: segments.length + 1 }, (_, n) => segments.slice(0, segments.length - n).join('/'));
};

/**
 * The setting of a configuration that could start a program or connect elsewhere, or null. A text that can't be parsed
 * is refused. `urls`: permitted URLs of remotes; null where another check covers them.
 */
export function settingsFault(config: string, urls: ReadonlySet<string> | null): string | null {
  let section = '';
  for (const raw of config.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const opened = /^\[\s*([A-Za-z0-9-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]$/.exec(line);
    if (opened !== null) {
      section = opened[1]?.toLowerCase() ?? '';
      continue;
    }
    const [, key = '', value = ''] = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line) ?? [];
    if (key === '' || line.endsWith('\\') || !(HARMLESS[section] ?? []).includes(key.toLowerCase()))
      return `hold \`${section}.${key === '' ? '?' : key}\`, which is not known to be harmless`;
    if (
      urls !== null &&
      section === 'remote' &&
      key.toLowerCase() === 'url' &&
      !urls.has(value.trim().replace(/^"(.*)"$/, '$1'))
    )
      return "name a remote that is not of the sandbox's list";
  }
  return null;
}

/** @throws StepError while HEAD is on a protected branch, or can't be determined */
export async function requireUnprotectedHead({ files, sandbox: { cwd } }: StepContext): Promise<void> {
  for (const folder of foldersUp(cwd)) {
    const head = folder === '' ? '.git/HEAD' : `${folder}/.git/HEAD`;
    if ((await files.stat(head)) === null) continue;
    const branch = /^ref: refs\/heads\/(\S+)\s*$/.exec(
      new TextDecoder().decode(await files.bytes(head, CONFIG_BYTES_MAX)),
    )?.[1];
    if (branch === undefined) throw refused('HEAD is on no branch: switch to a feature, bugfix or hotfix branch first');
    if (isProtectedBranch(branch))
      throw refused(
        `HEAD is on the protected branch \`${branch}\`: switch to a feature, bugfix or hotfix branch first`,
      );
    return;
  }
}
