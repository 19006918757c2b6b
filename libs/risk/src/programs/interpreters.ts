// SPDX-License-Identifier: Apache-2.0
import { field, type Field } from '../shell/field.ts';
import { has, takeOptions, type Options } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, textOf, type Source } from '../shell/source.ts';
import { noteCode } from './code.ts';
import { clearsLine, matchesEverything } from './everything.ts';
import { noteEmptied, noteWrite } from './write.ts';

interface Interpreter {
  /** options whose value is code */
  readonly code: readonly string[];
  /** options whose value is the name of a module that is then run as a program */
  readonly modules?: readonly string[];
  /** words that stand before code, as in `deno eval` */
  readonly words?: readonly string[];
  /** other options that take a value */
  readonly values?: readonly string[];
}

/** `-c code`, `-e code`, a file, or code on the input. */
function interpreter({ code, modules = [], words = [], values = [] }: Interpreter): Reading {
  return ({ name, args, stdin }, shell) => {
    const options = takeOptions(args, [...code, ...modules, ...values], true);
    const texts = code.flatMap((flag) => options.allValues.get(flag) ?? []);
    for (const { text } of texts) noteCode(name, text, shell);
    // perl's and ruby's `-i` write what they print back to the files.
    if (texts.length > 0 && options.flags.has('-i')) {
      for (const file of options.operands) noteWrite('overwrite', `${name} -i`, file, shell);
      if (printsNothing(options, texts.map(({ text }) => text).join(';'))) for (const file of options.operands) noteEmptied(`${name} -i`, file, shell);
    }
    const module = modules.map((flag) => options.values.get(flag)).find((value) => value !== undefined);
    if (module) return shell.invoke([field(module.text), ...options.operands], stdin);
    if (texts.length > 0) return ANYTHING;
    const [file, ...rest] = options.operands;
    if (file && words.includes(file.text)) {
      for (const { text } of takeOptions(rest).operands.slice(0, 1)) noteCode(name, text, shell);
      return ANYTHING;
    }
    noteConsole(name, file?.text.match(/^(?:.*\/)?(?:manage\.py|artisan|rails|console)$/) ? rest : options.operands, stdin, shell);
    return file && file.text !== '-' && file.text !== '/dev/stdin' ? runFile(name, file, shell) : runInput(name, stdin, shell);
  };
}

/** Answers whether a program that runs for each line leaves nothing to be printed. */
function printsNothing(options: Options, code: string): boolean {
  if (!has(options, '-p')) return has(options, '-n') && !/\b(?:print|printf|say|puts|p|write|pp|putc|syswrite)\b|\$>|<</.test(code);
  const replaced = /\$_\.(?:g?sub!?|replace)\s*\(?\s*\/(.*)\/[a-z]*\s*,\s*(?:''|"")/.exec(code)?.[1] ?? /\bg?sub!?\s*\(?\s*\/(.*)\/[a-z]*\s*,\s*(?:''|"")/.exec(code)?.[1];
  return code.split(/[;{}]\s*(?=s\W)|^/).some((part) => clearsLine(part.trim())) || /\$_\s*=\s*(?:''|""|qq?(?:\{\}|\(\))|undef|nil)|\bundef\s*\(?\s*\$_|\$_\.(?:clear|replace\(\s*(?:''|"")\))/.test(code) || (replaced !== undefined && matchesEverything(replaced));
}

function runFile(name: string, file: Field, shell: Shell): Source {
  const path = shell.path(file);
  const content = file.source ?? (path === undefined ? undefined : shell.scope.files.get(path));
  return content ? runInput(name, content, shell) : ANYTHING;
}

/** Options with which a framework's own program takes code: `manage.py shell -c`, `artisan tinker --execute`. */
const CONSOLE = ['-c', '--command', '--execute'];
function noteConsole(name: string, rest: readonly Field[], stdin: Source, shell: Shell): void {
  const [word] = rest;
  if (!/^(?:shell|shell_plus|tinker|console|c|dbshell)$/.test(word?.text ?? '')) return;
  const options = takeOptions(rest.slice(1), CONSOLE);
  for (const flag of CONSOLE) for (const { text } of options.allValues.get(flag) ?? []) noteCode(name, text, shell);
  if (stdin.kind === 'text') noteCode(name, stdin.text, shell);
}

function runInput(name: string, input: Source, shell: Shell): Source {
  if (input.kind === 'nothing') return ANYTHING;
  if (input.kind === 'text' && input.decoded) shell.act('run_decoded', name, input.text);
  noteCode(name, textOf(input), shell);
  return ANYTHING;
}

const python = interpreter({ code: ['-c'], modules: ['-m'], values: ['-W', '-X'] });
const node = interpreter({ code: ['-e', '--eval', '-p', '--print', '-pe'], values: ['-r', '--require', '--import', '--loader', '-C', '--conditions', '--env-file'] });
const perl = interpreter({ code: ['-e', '-E'], values: ['-M', '-I', '-F'] });
const ruby = interpreter({ code: ['-e'], values: ['-r', '-I', '-C', '-F'] });
const powershell = interpreter({ code: ['-c', '-Command', '-command', '-EncodedCommand', '-enc', '-e'] });

export const INTERPRETERS: Readonly<Record<string, Reading>> = {
  python, python2: python, python3: python, pypy: python, pypy3: python, ipython: python, node, nodejs: node, tsx: node, 'ts-node': node,
  deno: interpreter({ code: [], words: ['eval'], values: ['-c', '--config', '--import-map'] }), bun: interpreter({ code: ['-e', '--eval', '-p', '--print'] }),
  perl, ruby, jruby: ruby, php: interpreter({ code: ['-r', '-B', '-R'], values: ['-d', '-c'] }), pwsh: powershell, powershell, lua: interpreter({ code: ['-e'], values: ['-l'] }), luajit: interpreter({ code: ['-e'] }),
  Rscript: interpreter({ code: ['-e'] }), julia: interpreter({ code: ['-e', '-E'] }), osascript: interpreter({ code: ['-e'] }), elixir: interpreter({ code: ['-e', '--eval'] }), groovy: interpreter({ code: ['-e'] }), scala: interpreter({ code: ['-e'] }), erl: interpreter({ code: ['-eval'] }), tclsh: interpreter({ code: [] }), expect: interpreter({ code: ['-c'] }), m4: interpreter({ code: [] }), rails: interpreter({ code: [], words: ['runner', 'r'] }), artisan: interpreter({ code: ['--execute'] }), racket: interpreter({ code: ['-e'] }), ghc: interpreter({ code: ['-e'] }),
};
