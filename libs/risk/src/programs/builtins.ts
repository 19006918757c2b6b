// SPDX-License-Identifier: Apache-2.0
import { noteArithmetic, noteEvaluation, noteName, setVariable } from '../shell/evaluate.ts';
import {
  DOWNLOADED,
  field,
  isExact,
  isNumber,
  nameOf,
  NUMBER,
  SECRET,
  UNKNOWN,
  type Field,
  type Source,
} from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Value } from '../shell/scope.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, EMPTY, NOTHING, textOf } from '../shell/source.ts';
import { absolute } from '../zones.ts';
import { printf } from './output.ts';
import { noteAssignedWords } from './variables.ts';
import { noteTested } from './tested.ts';

const cd: Reading = ({ args }, { scope }) => {
  const [to = field(scope.value('HOME').join(' '))] = parseOptions(args).operands;
  const known = isExact(to.text) && !to.glob && to.text !== '-';
  scope.cwds = known ? [...new Set(scope.cwds.map((cwd) => absolute(to.text, cwd)))] : [undefined];
  return NOTHING;
};
/** The directories of the stack aren't tracked. */
const popd: Reading = (_call, { scope }) => {
  scope.cwds = [undefined];
  return NOTHING;
};

const alias: Reading = ({ args }, { scope }) => {
  if (args.length === 0) return ANYTHING;
  for (const { text } of args) {
    const equals = text.indexOf('=');
    if (equals > 0) scope.aliases.set(text.slice(0, equals), text.slice(equals + 1));
  }
  return NOTHING;
};

/** Sets a variable by the name in a word, which may have an index. */
function setNamed({ text }: Field, values: readonly Value[], shell: Shell): void {
  noteName(text, shell);
  const [, name = text, element] = /^([A-Za-z_]\w*)(\[.*)?$/s.exec(text) ?? [];
  if (element === undefined) setVariable(name, values, shell);
  else shell.scope.mayBe(name, values);
}

const read: Reading = ({ args, stdin }, shell) => {
  const options = parseOptions(args, ['-d', '-n', '-N', '-p', '-t', '-u', '-i', '-a']);
  const values = lines(stdin);
  for (const name of [...options.operands, ...(options.allValues.get('-a') ?? [])]) setNamed(name, values, shell);
  if (options.operands.length === 0) shell.scope.become('REPLY', values);
  return NOTHING;
};

const mapfile: Reading = ({ args, stdin }, shell) => {
  const options = parseOptions(args, ['-d', '-n', '-O', '-s', '-u', '-C', '-c']);
  const callback = options.values.get('-C');
  if (callback) shell.script(callback.text, NOTHING);
  setNamed(options.operands[0] ?? field('MAPFILE'), [lines(stdin).flat()], shell);
  return NOTHING;
};

/** Each argument is arithmetic. */
const evaluated: Reading = ({ args }, shell) => {
  for (const { text } of args) noteArithmetic(text, shell);
  return NOTHING;
};

/** `printf -v name` sets a variable instead of printing. */
const printfTo: Reading = (call, shell) => {
  const first = call.args[0]?.text ?? '';
  if (!first.startsWith('-v')) return printf(call, shell);
  const [name, rest] =
    first === '-v' ? [call.args[1], call.args.slice(2)] : [field(first.slice(2)), call.args.slice(1)];
  const output = printf({ ...call, args: rest }, shell) ?? ANYTHING;
  if (name) setNamed(name, [[textOf(output)]], shell);
  return NOTHING;
};

/** `[` and `test`, also where the grammar doesn't recognize the name. */
const test: Reading = ({ args }, shell) => {
  noteTested(args, shell);
  return EMPTY;
};

/** The name after `-p` gets the number of the process. */
const wait: Reading = ({ args }, shell) => {
  const name = parseOptions(args, ['-p']).values.get('-p');
  if (name) setNamed(name, [[NUMBER]], shell);
  return NOTHING;
};

const getopts: Reading = ({ args }, shell) => {
  if (args[1]) setNamed(args[1], [[UNKNOWN]], shell);
  shell.scope.set('OPTARG', [UNKNOWN]);
  return NOTHING;
};

/** `unset` in a form that the grammar doesn't recognize: `builtin unset name`. */
const unset: Reading = ({ args }, shell) => {
  for (const name of parseOptions(args).operands) {
    noteName(name.text, shell);
    shell.scope.set(name.text, []);
    shell.scope.attributes.delete(name.text);
  }
  return NOTHING;
};

/** `enable -f file name` loads a builtin from a library. */
const enable: Reading = ({ name, args }, shell) => {
  const file = parseOptions(args, ['-f']).values.get('-f');
  if (file) shell.act('run_unknown', name, file.text);
  return NOTHING;
};

/** Starts an editor on the given commands, and runs the result; `-l` only lists. */
const fc: Reading = (call, shell) => {
  if (!call.args.some(({ text }) => /^-\w*l/.test(text)))
    shell.act('run_unknown', call.name, call.args.map(({ text }) => text).join(' '));
  return history(call, shell);
};

/** Lines of known text for which a loop is interpreted one by one; more are unknown ones. */
const LINES_MAX = 16;

function lines(stdin: Source): Value[] {
  switch (stdin.kind) {
    case 'paths':
      return stdin.paths.map((path) => [nameOf(path)]);
    case 'downloaded':
      return [[DOWNLOADED]];
    case 'secret':
      return [[SECRET]];
    case 'text': {
      const all = stdin.text.split('\n').filter((line) => line !== '');
      if (all.length > 0 && all.length <= LINES_MAX) return all.map((line) => [line]);
      return [[all.length > 0 && all.every(isNumber) ? NUMBER : UNKNOWN]];
    }
    default:
      return [[UNKNOWN]];
  }
}

/** `set -- a b` sets the positional parameters; `set -e` and similar options change nothing here. */
const set: Reading = ({ args }, { scope }) => {
  const at = args.findIndex(({ text }) => text === '--');
  if (at >= 0) scope.positional = parametersOf(args.slice(at + 1));
  else if (args[0] && !/^[-+]/.test(args[0].text)) scope.positional = parametersOf(args);
  return NOTHING;
};
/** Parameters that are tracked one by one. `set -- "$@" "$@"` doubles them each time. */
const PARAMETERS_MAX = 256;
const parametersOf = (args: readonly Field[]): readonly Field[] | undefined =>
  args.length > PARAMETERS_MAX ? undefined : args;

const shift: Reading = ({ args }, { scope }) => {
  scope.positional = scope.positional?.slice(Number(args[0]?.text ?? 1) || 1);
  return NOTHING;
};

const history: Reading = ({ name, args }, shell) => {
  if (args.some(({ text }) => /^-\w*[cdw]/.test(text)))
    shell.act('trace_removal', name, args.map(({ text }) => text).join(' '));
  return ANYTHING;
};

/** `hash -p file name` redefines a name for later commands. */
const hash: Reading = ({ name, args }, shell) => {
  const target = args[args.findIndex(({ text }) => text === '-p') + 1];
  if (args.some(({ text }) => text === '-p')) shell.act('unknown_command', name, target?.text ?? '');
  return NOTHING;
};

/** Commands that completion or a key starts later. */
const hooks: Reading = ({ args }, shell) => {
  const options = parseOptions(args, ['-C', '-F', '-A', '-W', '-x', '-G', '-X', '-P', '-S']);
  // A list of words is expanded once more.
  const words = options.values.get('-W')?.text ?? '';
  if (/[$`]/.test(words) || !isExact(words)) noteEvaluation(words, shell);
  for (const text of [options.values.get('-C')?.text, options.values.get('-x')?.text.replace(/^[^:]*:/, '')])
    if (text !== undefined) shell.script(text, NOTHING);
  return NOTHING;
};

/** `declare` and similar builtins in a form that the grammar doesn't recognize: `builtin declare name=value`. */
const declares: Reading = ({ name, args }, shell) => {
  noteAssignedWords(args, shell);
  const flags = args.filter(({ text }) => /^[-+]/.test(text));
  // The effect of flags on the values isn't tracked.
  if (name !== 'export' && flags.some(({ text }) => /[inaA]/.test(text)))
    shell.act('run_unknown', name, args.map(({ text }) => text).join(' '));
  for (const { text } of args) {
    const equals = text.indexOf('=');
    if (equals > 0) setNamed(field(text.slice(0, equals)), [[text.slice(equals + 1)]], shell);
  }
  return NOTHING;
};

export const BUILTINS: Readonly<Record<string, Reading>> = {
  cd,
  chdir: cd,
  pushd: cd,
  popd,
  alias,
  read,
  mapfile,
  readarray: mapfile,
  set,
  shift,
  hash,
  history,
  fc,
  let: evaluated,
  printf: printfTo,
  test,
  '[': test,
  wait,
  getopts,
  unset,
  enable,
  complete: hooks,
  compgen: hooks,
  bind: hooks,
  export: declares,
  declare: declares,
  local: declares,
  readonly: declares,
  typeset: declares,
};
