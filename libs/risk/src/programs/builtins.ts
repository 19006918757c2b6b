// SPDX-License-Identifier: Apache-2.0
import { DOWNLOADED, field, isExact, nameOf, SECRET, UNKNOWN } from '../shell/field.ts';
import { takeOptions } from '../shell/options.ts';
import type { Value } from '../shell/scope.ts';
import type { Reading } from '../shell/shell.ts';
import { ANYTHING, NOTHING, type Source } from '../shell/source.ts';
import { absolute } from '../zones.ts';

const cd: Reading = ({ args }, { scope }) => {
  const [to = field(scope.value('HOME').join(' '))] = takeOptions(args).operands;
  const known = isExact(to.text) && !to.glob && to.text !== '-';
  scope.cwds = known ? [...new Set(scope.cwds.map((cwd) => absolute(to.text, cwd)))] : [undefined];
  return NOTHING;
};
/** Where a stack leads back to isn't followed. */
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

const read: Reading = ({ args, stdin }, { scope }) => {
  const names = takeOptions(args, ['-d', '-n', '-N', '-p', '-t', '-u', '-i', '-a']).operands;
  for (const { text } of names) scope.variables.set(text, lines(stdin));
  scope.variables.set('REPLY', lines(stdin));
  return NOTHING;
};

const mapfile: Reading = ({ args, stdin }, shell) => {
  const { scope } = shell;
  const options = takeOptions(args, ['-d', '-n', '-O', '-s', '-u', '-C', '-c']);
  const callback = options.values.get('-C');
  if (callback) shell.script(callback.text, NOTHING);
  const name = options.operands[0]?.text ?? 'MAPFILE';
  scope.set(name, lines(stdin).flat());
  return NOTHING;
};

/** Lines of known text that a loop is followed with one by one; more are unknown ones. */
const LINES_MAX = 16;

function lines(stdin: Source): Value[] {
  switch (stdin.kind) {
    case 'paths': return stdin.paths.map((path) => [nameOf(path)]);
    case 'downloaded': return [[DOWNLOADED]];
    case 'secret': return [[SECRET]];
    case 'text': {
      const all = stdin.text.split('\n').filter((line) => line !== '');
      return all.length > 0 && all.length <= LINES_MAX ? all.map((line) => [line]) : [[UNKNOWN]];
    }
    default: return [[UNKNOWN]];
  }
}

/** `set -- a b` sets the positional parameters; `set -e` and the like change nothing here. */
const set: Reading = ({ args }, { scope }) => {
  const at = args.findIndex(({ text }) => text === '--');
  if (at >= 0) scope.positional = args.slice(at + 1);
  else if (args[0] && !/^[-+]/.test(args[0].text)) scope.positional = args;
  return NOTHING;
};
const shift: Reading = ({ args }, { scope }) => {
  scope.positional = scope.positional?.slice(Number(args[0]?.text ?? 1) || 1);
  return NOTHING;
};

const history: Reading = ({ name, args }, shell) => {
  if (args.some(({ text }) => /^-\w*[cdw]/.test(text))) shell.act('trace_removal', name, args.map(({ text }) => text).join(' '));
  return ANYTHING;
};

/** `hash -p file name` makes a name mean another file from here on. */
const hash: Reading = ({ name, args }, shell) => {
  const target = args[args.findIndex(({ text }) => text === '-p') + 1];
  if (args.some(({ text }) => text === '-p')) shell.act('unknown_command', name, target?.text ?? '');
  return NOTHING;
};

/** Commands that completion or a key starts later. */
const hooks: Reading = ({ args }, shell) => {
  const options = takeOptions(args, ['-C', '-F', '-A', '-W', '-x', '-G', '-X', '-P', '-S']);
  for (const text of [options.values.get('-C')?.text, options.values.get('-x')?.text.replace(/^[^:]*:/, '')]) if (text !== undefined) shell.script(text, NOTHING);
  return NOTHING;
};

const declares: Reading = ({ args }, { scope }) => {
  for (const { text } of args) {
    const equals = text.indexOf('=');
    if (equals > 0) scope.set(text.slice(0, equals), [text.slice(equals + 1)]);
  }
  return NOTHING;
};

/** `printf -v` and `let` set variables too; what they set is a number or was seen already. */
export const BUILTINS: Readonly<Record<string, Reading>> = {
  cd, chdir: cd, pushd: cd, popd, alias, read, mapfile, readarray: mapfile, set, shift, hash, history, fc: history, complete: hooks, compgen: hooks, bind: hooks, export: declares, declare: declares, local: declares, readonly: declares, typeset: declares,
};
