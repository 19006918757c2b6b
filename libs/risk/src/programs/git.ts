// SPDX-License-Identifier: Apache-2.0
import { field, isExact, type Field, type Source } from '../shell/field.ts';
import { has, parseOptions, type Options } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, NOTHING } from '../shell/source.ts';
import { absolute } from '../zones.ts';
import { noteDeletions } from './delete.ts';
import { noteOwnScratch } from './write.ts';

const GLOBAL_VALUES = ['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env'];
/** Settings whose value git runs. */
const RUN_BY_GIT =
  /^(?:core\.(?:editor|pager|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|alias\.\S+|pager\.\S+|sequence\.editor|diff\.external|interactive\.difffilter|gpg\.(?:\w+\.)?program|sendemail\.\w*cmd|uploadpack\.packobjectshook|remote\.\S+\.(?:uploadpack|receivepack)|\S*\.(?:cmd|textconv|clean|smudge|process|helper|command|driver))$/i;
/** Values of such settings that switch something on or off, or name the usual programs. */
const USUAL_SETTING =
  /^(?:|true|false|yes|no|on|off|0|1|cat|less|more|delta|diff-so-fancy|store|cache|osxkeychain|manager|manager-core|libsecret|vim|vi|nano|code --wait|less -\S+)$/;

/** Subcommands that pass such an option on to the programs that they start. */
const STARTS_OTHERS = new Set(['submodule', 'bisect', 'rebase', 'filter-branch', 'difftool', 'grep']);

type Subcommand = (args: readonly Field[], shell: Shell) => Source | undefined;

const git: Reading = ({ args }, shell) => {
  const options = parseOptions(args, GLOBAL_VALUES, true);
  for (const { text } of options.allValues.get('-c') ?? [])
    noteGitSetting(text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1), shell);
  const [name, ...rest] = options.operands;
  const subcommand = name && Object.hasOwn(SUBCOMMANDS, name.text) ? SUBCOMMANDS[name.text] : undefined;
  // git then shows a page of its manual.
  if (!subcommand || (!STARTS_OTHERS.has(name?.text ?? '') && rest.some(({ text }) => text === '--help')))
    return ANYTHING;
  const directory = options.values.get('-C');
  if (!directory) return subcommand(rest, shell) ?? ANYTHING;
  const before = shell.scope.cwds;
  shell.scope.cwds = before.map((cwd) => absolute(directory.text, cwd));
  const output = subcommand(rest, shell) ?? ANYTHING;
  shell.scope.cwds = before;
  return output;
};

/** Notes the programs that a setting makes git start. */
export function noteGitSetting(key: string, value: string, shell: Shell): void {
  // A directory of hooks within the project is ordinary; others are foreign.
  if (/^core\.hookspath$/i.test(key) && /^[/~\uE000-\uE004]/.test(value))
    shell.act('persistence', `git config ${key}`, value);
  if (!RUN_BY_GIT.test(key) || USUAL_SETTING.test(value)) return;
  if (!key.toLowerCase().startsWith('alias.')) shell.script(value, NOTHING);
  else if (value.startsWith('!')) shell.script(value.slice(1), NOTHING);
  else shell.script(`git ${value}`, NOTHING);
}

const loses = (form: string, subject: Options, shell: Shell, kind: 'work_loss' | 'history_loss' = 'work_loss'): void =>
  shell.act(kind, `git ${form}`, subject.operands.map(({ text }) => text).join(' '));

/** Answers whether a path argument may name more than one file. */
const isBroad = ({ text, glob }: Field): boolean =>
  glob ||
  /[*?]/.test(text) ||
  text.endsWith('/') ||
  /^(\.|:\/?|\.\/|\.\.)$/.test(text) ||
  !/\.[A-Za-z0-9]+$|(^|\/)[A-Z][A-Za-z]*file$/.test(text);

const push: Subcommand = (args, shell) => {
  transfers(args, shell);
  const options = parseOptions(args, ['-o', '--push-option', '--receive-pack', '--repo']);
  const forced =
    has(options, '-f', '--force', '--force-with-lease', '--mirror', '--prune') ||
    options.operands.slice(1).some(({ text }) => text.startsWith('+'));
  const deletes = has(options, '-d', '--delete') || options.operands.slice(1).some(({ text }) => /^\+?:./.test(text));
  const where = options.operands.map(({ text }) => text).join(' ');
  if (forced) shell.act('shared_history_loss', 'git push --force', where);
  if (deletes) shell.act('shared_history_loss', 'git push --delete', where);
  return undefined;
};

/** Records a branch that the command itself created: commits that only it has are the command's own. */
function noteBranch(name: Field | undefined, shell: Shell): void {
  if (name !== undefined && isExact(name.text)) shell.scope.branches.set(name.text, true);
}

const branch: Subcommand = (args, shell) => {
  const options = parseOptions(args, ['-u', '--set-upstream-to']);
  const isOwn = options.operands.length > 0 && options.operands.every(({ text }) => shell.scope.branches.has(text));
  if (has(options, '-f', '--force') || (has(options, '-D') && !isOwn))
    loses('branch -D', options, shell, 'history_loss');
  else if (!['-D', '-d', '--delete', '-m', '-M', '--move', '-c', '-C', '--copy'].some((flag) => has(options, flag)))
    noteBranch(options.operands[0], shell);
  return undefined;
};

const checkout: Subcommand = (args, shell) => {
  const options = parseOptions(args, ['-b', '-B', '--orphan', '--conflict']);
  noteBranch(options.values.get('-b'), shell);
  if (has(options, '-f', '--force')) loses('checkout --force', options, shell);
  // With two operands the first is a commit and the others are paths.
  else if (
    options.afterDashes.some(isBroad) ||
    options.operands.slice(1).some(isBroad) ||
    options.operands.some(({ text, glob }) => glob || /^(\.|\.\/|:\/|\*)$/.test(text))
  )
    loses('checkout', options, shell);
  return undefined;
};

const restore: Subcommand = (args, shell) => {
  const options = parseOptions(args, ['-s', '--source']);
  const keepsFiles = has(options, '-S', '--staged') && !has(options, '-W', '--worktree');
  if (!keepsFiles && options.operands.some(isBroad)) loses('restore', options, shell);
  return undefined;
};

const clean: Subcommand = (args, shell) => {
  const options = parseOptions(args, ['-e', '--exclude']);
  if (!has(options, '-f', '--force') || has(options, '-n', '--dry-run')) return undefined;
  // Only regenerable files: an ordinary deletion of them.
  const isMadeAgain =
    options.operands.length > 0 &&
    options.operands.every((path) => shell.zones(path).every((zone) => zone === 'regenerable'));
  if (isMadeAgain) noteDeletions('git clean', options.operands, true, shell);
  else loses('clean', options, shell);
  return undefined;
};

const rm: Subcommand = (args, shell) => {
  const options = parseOptions(args);
  if (!has(options, '--cached', '-n', '--dry-run'))
    noteDeletions(
      'git rm',
      options.operands.map((path) => ({ ...path, glob: path.glob || /[*?[]/.test(path.text) })),
      has(options, '-r'),
      shell,
    );
  return undefined;
};

/** A subcommand that loses something with one of the flags, or with these first words. */
const losesWith =
  (
    form: string,
    kind: 'work_loss' | 'history_loss',
    flags: readonly string[],
    words: readonly string[] = [],
  ): Subcommand =>
  (args, shell) => {
    const options = parseOptions(args);
    if (has(options, ...flags) || words.includes(options.operands[0]?.text ?? '')) loses(form, options, shell, kind);
    return undefined;
  };

/** A subcommand that passes the rest, or the value of an option, to a shell. */
const runs =
  (flags: readonly string[], words: readonly string[] = []): Subcommand =>
  (args, shell) => {
    const options = parseOptions(args, flags, words.length > 0);
    for (const flag of flags) for (const { text } of options.allValues.get(flag) ?? []) shell.script(text, NOTHING);
    const command = words.includes(options.operands[0]?.text ?? '')
      ? parseOptions(options.operands.slice(1), [], true).operands
      : [];
    // One word is a line for a shell, several are a program and its arguments.
    if (command.length === 1 && command[0]) shell.script(command[0].text, NOTHING);
    else if (command.length > 1) shell.invoke(command, NOTHING);
    return undefined;
  };

/** Moves a branch, or HEAD, without a check of the commits that it leaves behind. */
const rewrites: Subcommand = (args, shell) => {
  shell.act('history_loss', 'git', args.map(({ text }) => text).join(' '));
  return undefined;
};

const config: Subcommand = (args, shell) => {
  const options = parseOptions(args, ['-f', '--file', '--type', '--default', '--blob']);
  const [key, value] = /^(?:set|unset|rename-section|remove-section|edit)$/.test(options.operands[0]?.text ?? '')
    ? options.operands.slice(1)
    : options.operands;
  // A setting for all repositories of a person, or for everyone, outlives this workspace.
  const changes =
    (value !== undefined &&
      !has(options, '--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color', '--get-colorbool')) ||
    key !== options.operands[0] ||
    has(
      options,
      '--unset',
      '--unset-all',
      '--remove-section',
      '--rename-section',
      '--edit',
      '-e',
      '--add',
      '--replace-all',
    );
  if (changes && options.operands[0]?.text !== 'get' && has(options, '--global', '--system'))
    shell.act('system_change', 'git config --global', key?.text ?? '');
  if (key && value) noteGitSetting(key.text, value.text, shell);
  return undefined;
};

/** `ext::` passes the text after it to a shell; the program that serves a repository may be any. */
const transfers: Subcommand = (args, shell) => {
  const options = parseOptions(args, [
    '-u',
    '--upload-pack',
    '--receive-pack',
    '--exec',
    '-c',
    '--config',
    '--template',
    '-b',
    '--branch',
    '--depth',
    '-o',
    '--origin',
    '--reference',
    '-j',
    '--jobs',
  ]);
  for (const flag of ['-u', '--upload-pack', '--receive-pack', '--exec'])
    for (const { text } of options.allValues.get(flag) ?? []) shell.script(text, NOTHING);
  for (const { text } of options.operands)
    if (text.startsWith('ext::')) shell.script(text.slice('ext::'.length), NOTHING);
  shell.act('network', 'git', options.operands.map(({ text }) => text).join(' '));
  return undefined;
};
/** Options of `git clone` that take a value of their own. */
const CLONE_VALUES = [
  '-b',
  '--branch',
  '-o',
  '--origin',
  '-u',
  '--upload-pack',
  '-c',
  '--config',
  '--depth',
  '--reference',
  '--template',
  '-j',
  '--jobs',
  '--filter',
];
const clone: Subcommand = (args, shell) => {
  transfers(args, shell);
  const into = parseOptions(args, CLONE_VALUES).operands[1];
  if (into) noteOwnScratch(into, shell);
  shell.scope.unpacked = true;
  return undefined;
};
/** The program that shows search results or differences. */
const shows =
  (flags: readonly string[]): Subcommand =>
  (args, shell) => {
    const options = parseOptions(args, flags);
    for (const flag of flags) for (const { text } of options.allValues.get(flag) ?? []) shell.script(text, NOTHING);
    return undefined;
  };

/** An additional work tree: in the container's own /tmp it belongs to the command. */
function worktreeAdd(args: Parameters<Subcommand>[0], shell: Shell): undefined {
  const [into] = parseOptions(args, ['-b', '-B', '--reason']).operands;
  if (into) noteOwnScratch(into, shell);
}

const lists: Subcommand = () => ({ kind: 'paths', paths: [field('./[?]*', true)] });
const revParse: Subcommand = (args) =>
  args.some(({ text }) => text === '--show-toplevel')
    ? { kind: 'text', text: '/workspace\n', decoded: false }
    : undefined;

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  push,
  checkout,
  restore,
  clean,
  rm,
  config,
  'rev-parse': revParse,
  'ls-files': lists,
  'filter-branch': rewrites,
  'filter-repo': rewrites,
  reset: losesWith('reset --hard', 'work_loss', ['--hard', '--merge']),
  switch: (args, shell) => {
    const options = parseOptions(args, ['-c', '--create', '-C', '--force-create', '--orphan', '--conflict']);
    for (const flag of ['-c', '--create']) noteBranch(options.values.get(flag), shell);
    if (has(options, '-f', '--force', '--discard-changes')) loses('switch --force', options, shell);
    return undefined;
  },
  stash: losesWith('stash', 'work_loss', [], ['drop', 'clear']),
  branch,
  tag: losesWith('tag -d', 'history_loss', ['-d', '--delete', '-f', '--force']),
  replace: losesWith('replace -d', 'history_loss', ['-d', '--delete']),
  notes: losesWith('notes', 'history_loss', [], ['prune', 'remove']),
  lfs: losesWith('lfs prune', 'history_loss', [], ['prune']),
  reflog: losesWith('reflog', 'history_loss', [], ['expire', 'delete']),
  gc: (args, shell) =>
    losesWith(
      'gc --prune',
      'history_loss',
      args.some(({ text }) => /^--prune=(now|all)/.test(text)) ? ['--prune'] : [],
    )(args, shell),
  prune: losesWith('prune', 'history_loss', ['--expire'], ['']),
  'symbolic-ref': (args, shell) => (parseOptions(args, ['-m']).operands.length > 1 ? rewrites(args, shell) : undefined),
  'update-ref': (args, shell) =>
    parseOptions(args, ['-m']).operands.length > 1
      ? rewrites(args, shell)
      : losesWith('update-ref -d', 'history_loss', ['-d', '--stdin'])(args, shell),
  'read-tree': losesWith('read-tree', 'work_loss', ['--empty', '--reset', '-u']),
  'checkout-index': losesWith('checkout-index --force', 'work_loss', ['-f', '--force']),
  worktree: (args, shell) =>
    args[0]?.text === 'add'
      ? worktreeAdd(args.slice(1), shell)
      : args[0]?.text === 'remove'
        ? losesWith('worktree remove --force', 'work_loss', ['-f', '--force'])(args, shell)
        : undefined,
  submodule: (args, shell) =>
    (args[0]?.text === 'deinit'
      ? losesWith('submodule deinit', 'work_loss', ['-f', '--force', '--all'])
      : runs([], ['foreach']))(args, shell),
  bisect: runs([], ['run']),
  clone,
  fetch: transfers,
  pull: transfers,
  'ls-remote': transfers,
  archive: transfers,
  difftool: shows(['-x', '--extcmd']),
  grep: shows(['-O', '--open-files-in-pager']),
  rebase: runs(['-x', '--exec']),
};

export const GIT: Readonly<Record<string, Reading>> = { git };
