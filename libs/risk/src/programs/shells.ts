// SPDX-License-Identifier: Apache-2.0
import { field, UNKNOWN, UNSET, type Field, type Source } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import { quote, runSource } from '../shell/run-source.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, FROM_NETWORK, NOTHING, textSource } from '../shell/source.ts';
import { filledIn } from './find.ts';
import { noteSshCommands } from './keys.ts';
import { runElsewhere } from './remote.ts';
import { noteVerbName } from './verb-names.ts';
import { noteAssignedWords } from './variables.ts';

/** `sh -c text`, `sh file`, or a script on its input. */
const sh: Reading = ({ name, args, stdin }, shell) => {
  const command = args.findIndex(({ text }) => /^-[a-zA-Z]*c$/.test(text));
  const { operands, flags } = parseOptions(args, ['-o', '-O', '--rcfile', '--init-file', '+o'], true);
  if (command >= 0) {
    // Options may stand between `-c` and the text.
    const [text, zero, ...positional] = parseOptions(args.slice(command + 1), [], true).operands;
    return text ? madeUp(name, text.text, shell, stdin, positional, zero?.text) : NOTHING;
  }
  const [file, ...positional] = operands;
  if (file && !flags.has('-s')) return runFile(name, file, positional, stdin, shell);
  // An interactive shell reads commands from its redirected input.
  if (flags.has('-i')) shell.act('run_unknown', name, `${name} -i`);
  return runSource(stdin, operands, NOTHING, shell);
};

const ON_INPUT = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

function runFile(
  name: string,
  file: Field,
  positional: readonly Field[],
  stdin: Source,
  shell: Shell,
  where: 'apart' | 'here' = 'apart',
): Source {
  if (ON_INPUT.test(file.text)) return runSource(stdin, positional, NOTHING, shell, where);
  const path = shell.path(file);
  const content =
    file.source ??
    (path === undefined ? undefined : shell.scope.files.get(path)) ??
    (shell.scope.unpacked && !file.text.startsWith('/') ? FROM_NETWORK : undefined);
  if (content) return runSource(content, positional, stdin, shell, where);
  if (path === undefined && !file.glob) shell.act('run_unknown', name, file.text);
  // A script of the workspace: its effect is examined instead.
  shell.act('change', name, file.text);
  noteVerbName({ name: file.text.slice(file.text.lastIndexOf('/') + 1), args: positional, stdin }, false, shell);
  return ANYTHING;
}

const evaluate: Reading = ({ name, args, stdin }, shell) => {
  const text = args.map((arg) => arg.text).join(' ');
  noteMadeUp(name, text, shell);
  return shell.evaluate(text, stdin);
};

/** An unknown part of a composed text may be any command, and not only a word. */
function noteMadeUp(name: string, text: string, shell: Shell): void {
  if (text.includes(UNKNOWN) || (shell.scope.maySetBefore && text.includes(UNSET)))
    shell.act('run_unknown', name, text);
}

/** Interprets a composed script. */
function madeUp(
  name: string,
  text: string,
  shell: Shell,
  stdin: Source,
  positional?: readonly Field[],
  zero?: string,
): Source {
  noteMadeUp(name, text, shell);
  return shell.script(text, stdin, positional, zero);
}

const source: Reading = ({ name, args, stdin }, shell) => {
  const [file, ...positional] = args;
  return file ? runFile(name, file, positional, stdin, shell, 'here') : NOTHING;
};

/**
 * `trap text SIGNAL`: the text runs at some time, with the values that its variables have then. A trap on the shell's
 * exit is interpreted there.
 */
const trap: Reading = ({ args }, shell) => {
  const [text, ...signals] = parseOptions(args, [], true).operands;
  if (!text || text.text === '' || signals.length === 0) return NOTHING;
  if (!signals.every((signal) => signal.text === 'EXIT' || signal.text === '0'))
    return shell.script(text.text, NOTHING, shell.scope.positional ?? []);
  shell.scope.traps.push(text.text);
  return NOTHING;
};

/** Programs that pass a text to a shell: the value of an option, or without one the words after the operands. */
const hands =
  (option: readonly string[], operands: number, takesValue: readonly string[] = []): Reading =>
  ({ args, stdin }, shell) => {
    const options = parseOptions(args, [...option, ...takesValue], operands !== Infinity);
    const text = option.map((flag) => options.values.get(flag)).find((value) => value !== undefined);
    if (text) return shell.script(text.text, stdin);
    const rest =
      operands > 0 ? parseOptions(options.operands.slice(operands), takesValue, true).operands : options.operands;
    if (rest.length > 0) return shell.script(rest.map(({ text: word }) => word).join(' '), stdin);
    // Without a command, a shell reads commands from the input.
    return operands === 1 && stdin.kind !== 'nothing' ? runSource(stdin, [], NOTHING, shell) : ANYTHING;
  };

/** `env -S 'command words'`. */
const env: Reading = ({ args, stdin }, shell) => {
  const at = args.findIndex(({ text }) => /^(-\w*S|--split-string)/.test(text));
  if (at < 0) return ANYTHING;
  noteAssignedWords(args.slice(0, at), shell);
  const glued = (args[at]?.text ?? '').replace(/^(-\w*S|--split-string=?)/, '');
  return shell.script([glued, ...args.slice(at + 1).map(({ text }) => text)].join(' ').trim(), stdin);
};

/** Runs the commands in its input later: `at`, `batch`. */
const later: Reading = ({ stdin }, shell) =>
  stdin.kind === 'nothing' ? NOTHING : runSource(stdin, [], NOTHING, shell);

const flock: Reading = (call, shell) => {
  const options = parseOptions(call.args, ['-w', '--timeout', '-E', '-c', '--command'], true);
  const text = options.values.get('-c') ?? options.values.get('--command');
  const after = options.operands.slice(1);
  const command = after.findIndex(({ text: word }) => word === '-c');
  if (text ?? after[command + 1]?.text) {
    if (text) return shell.script(text.text, call.stdin);
    if (command >= 0) return shell.script(after[command + 1]?.text ?? '', call.stdin);
  }
  return shell.invoke(after, call.stdin);
};

/** A command for another machine, and the commands that ssh starts on this one to connect. */
const ssh: Reading = (call, shell) => {
  const options = parseOptions(call.args, SSH_VALUES, true);
  noteSshCommands(options, shell);
  if (options.values.has('-R')) shell.act('remote_shell', call.name, options.values.get('-R')?.text ?? '');
  return runElsewhere(shell, () => toHost(call, shell));
};
const SSH_VALUES = [
  '-i',
  '-p',
  '-l',
  '-o',
  '-F',
  '-J',
  '-L',
  '-R',
  '-D',
  '-W',
  '-b',
  '-c',
  '-E',
  '-e',
  '-I',
  '-m',
  '-O',
  '-Q',
  '-S',
  '-w',
  '-B',
];
const toHost = hands([], 1, SSH_VALUES);

/** `parallel command ::: arguments` */
const parallel: Reading = ({ args, stdin }, shell) => {
  const at = args.findIndex(({ text }) => /^:::[:+]?$/.test(text));
  const command = parseOptions(
    at < 0 ? args : args.slice(0, at),
    ['-j', '--jobs', '-a', '--arg-file', '-n', '-N', '-d', '--delay', '--retries', '--timeout', '-C', '--colsep'],
    true,
  ).operands;
  const inputs = at < 0 ? [field(UNKNOWN)] : args.slice(at + 1);
  if (command.length === 0)
    return at < 0
      ? runSource(stdin, [], NOTHING, shell)
      : shell.script(inputs.map(({ text }) => text).join('\n'), NOTHING);
  const text = command.map((word) => word.text).join(' ');
  for (const input of inputs) {
    shell.meter.text(text.length);
    shell.script(text.includes('{}') ? filledIn(text, '{}', quote(input), shell) : `${text} ${quote(input)}`, NOTHING);
  }
  return ANYTHING;
};

const npmCall = hands(['-c', '--call'], Infinity, ['--prefix', '-w']);
const npm: Reading = (call, shell) => {
  const word = call.args.find(({ text }) => !text.startsWith('-'))?.text;
  if (word === 'root' || word === 'prefix')
    return textSource(word === 'root' ? '/workspace/node_modules\n' : '/workspace\n');
  return call.args.some(({ text }) => /^(-c|--call)/.test(text)) ? npmCall(call, shell) : undefined;
};

export const SHELLS: Readonly<Record<string, Reading>> = {
  sh,
  bash: sh,
  dash: sh,
  zsh: sh,
  ksh: sh,
  ash: sh,
  mksh: sh,
  fish: sh,
  rbash: sh,
  '-bash': sh,
  csh: sh,
  tcsh: sh,
  elvish: sh,
  eval: evaluate,
  source,
  '.': source,
  trap,
  env,
  at: later,
  batch: later,
  flock,
  parallel,
  ssh,
  autossh: ssh,
  su: hands(['-c', '--command'], Infinity, ['-s', '-g', '-w']),
  runuser: hands(['-c', '--command'], Infinity, ['-u', '-s']),
  script: hands(['-c', '--command'], Infinity, ['-a', '-O', '-t']),
  watch: hands([], 0, ['-n', '--interval', '-d']),
  npx: hands(['-c', '--call'], Infinity),
  npm,
  tmux: hands([], 1, ['-s', '-n', '-t', '-c', '-L', '-S', '-f', '-x', '-y']),
  screen: hands([], 0, ['-S', '-c', '-L', '-t', '-s', '-X', '-p', '-r']),
  entr: hands([], 0),
  xterm: hands(['-e'], Infinity),
  'systemd-run': hands([], 0, ['--unit', '-p', '-u', '--on-calendar', '--on-active']),
  distrobox: hands([], Infinity),
  'script-runner': hands([], 0),
};
