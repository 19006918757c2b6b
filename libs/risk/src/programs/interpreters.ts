// SPDX-License-Identifier: Apache-2.0
import { field, type Field, type Source } from '../shell/field.ts';
import { OF_WINDOWS } from '../powershell/command-prompt.ts';
import { powershell } from '../powershell/command-line.ts';
import { has, parseOptions, type Options } from '../shell/options.ts';
import type { Reading, Shell } from '../shell/shell.ts';
import { ANYTHING, textOf } from '../shell/source.ts';
import { noteCode } from './code.ts';
import { clearsLine, matchesEverything } from './everything.ts';
import { noteEmptied, noteWrite } from './write.ts';
import type { Zone } from '../zones.ts';

interface Interpreter {
  /** options whose value is code */
  readonly code: readonly string[];
  /** options whose value is the name of a module that is then run as a program */
  readonly modules?: readonly string[];
  /** words that precede code, as in `deno eval` */
  readonly words?: readonly string[];
  /** options whose value is a file or module that is run first */
  readonly preloads?: readonly string[];
  /** other options that take a value */
  readonly values?: readonly string[];
  /** options with which a file is only checked, and nothing of it runs */
  readonly checks?: readonly string[];
}

/** `-c code`, `-e code`, a file, or code on the input. */
function interpreter({
  code,
  modules = [],
  words = [],
  preloads = [],
  values = [],
  checks = [],
}: Interpreter): Reading {
  return ({ name, args, stdin }, shell) => {
    const options = parseOptions(args, [...code, ...modules, ...preloads, ...values], true);
    const texts = code.flatMap((flag) => options.allValues.get(flag) ?? []);
    for (const { text } of texts) noteCode(name, text, shell);
    for (const file of preloads.flatMap((flag) => options.allValues.get(flag) ?? [])) notePreload(name, file, shell);
    // perl's and ruby's `-i` write their output back to the files.
    if (texts.length > 0 && options.flags.has('-i')) {
      for (const file of options.operands) noteWrite('overwrite', `${name} -i`, file, shell);
      if (printsNothing(options, texts.map(({ text }) => text).join(';')))
        for (const file of options.operands) noteEmptied(`${name} -i`, file, shell);
    }
    const module = modules.map((flag) => options.values.get(flag)).find((value) => value !== undefined);
    if (module) return shell.invoke([field(module.text), ...options.operands], stdin);
    if (texts.length > 0 || has(options, ...checks)) return ANYTHING;
    const [file, ...rest] = options.operands;
    if (file && words.includes(file.text)) {
      for (const { text } of parseOptions(rest).operands.slice(0, 1)) noteCode(name, text, shell);
      return ANYTHING;
    }
    noteConsole(
      name,
      file?.text.match(/^(?:.*\/)?(?:manage\.py|artisan|rails|console)$/) ? rest : options.operands,
      stdin,
      shell,
    );
    return file && file.text !== '-' && file.text !== '/dev/stdin'
      ? runFile(name, file, shell)
      : runInput(name, stdin, shell);
  };
}

const AWAY: ReadonlySet<Zone> = new Set(['outside', 'scratch', 'home', 'temporary', 'unknown']);
/** Code in a data URL, and a file outside of the project. */
function notePreload(name: string, file: Field, shell: Shell): void {
  const data = /^data:[^,]*,(.*)$/s.exec(file.text)?.[1];
  if (data !== undefined) noteCode(name, decodeAddress(data), shell);
  else if (/^https?:/.test(file.text)) shell.act('run_downloaded', name, file.text);
  else if (/[/~$\uE000-\uE004]/.test(file.text) && shell.zones(file).some((zone) => AWAY.has(zone)))
    shell.act('run_unknown', name, file.text);
}

function decodeAddress(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Answers whether a program that runs for each line prints nothing. */
function printsNothing(options: Options, code: string): boolean {
  if (!has(options, '-p'))
    return has(options, '-n') && !/\b(?:print|printf|say|puts|p|write|pp|putc|syswrite)\b|\$>|<</.test(code);
  const replaced =
    /\$_\.(?:g?sub!?|replace)\s*\(?\s*\/(.{0,1000})\/[a-z]*\s*,\s*(?:''|"")/.exec(code)?.[1] ??
    /\bg?sub!?\s*\(?\s*\/(.{0,1000})\/[a-z]*\s*,\s*(?:''|"")/.exec(code)?.[1];
  return (
    code.split(/[;{}]\s*(?=s\W)|^/).some((part) => clearsLine(part.trim())) ||
    /\$_\s*=\s*(?:''|""|qq?(?:\{\}|\(\))|undef|nil)|\bundef\s*\(?\s*\$_|\$_\.(?:clear|replace\(\s*(?:''|"")\))/.test(
      code,
    ) ||
    (replaced !== undefined && matchesEverything(replaced))
  );
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
  const options = parseOptions(rest.slice(1), CONSOLE);
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
const node = interpreter({
  code: ['-e', '--eval', '-p', '--print', '-pe'],
  preloads: ['-r', '--require', '--import', '--loader', '--experimental-loader'],
  values: ['-C', '--conditions', '--env-file'],
  checks: ['-c', '--check'],
});
const perl = interpreter({ code: ['-e', '-E'], values: ['-M', '-I', '-F'] });
const ruby = interpreter({ code: ['-e'], preloads: ['-r'], values: ['-I', '-C', '-F'], checks: ['-c'] });
const lisp = interpreter({ code: ['-c', '-e', '--eval'] });

export const INTERPRETERS: Readonly<Record<string, Reading>> = {
  python,
  python2: python,
  python3: python,
  pypy: python,
  pypy3: python,
  ipython: python,
  node,
  nodejs: node,
  tsx: node,
  'ts-node': node,
  deno: interpreter({ code: [], words: ['eval'], values: ['-c', '--config', '--import-map'] }),
  bun: interpreter({ code: ['-e', '--eval', '-p', '--print'] }),
  perl,
  ruby,
  jruby: ruby,
  irb: ruby,
  pry: ruby,
  R: interpreter({ code: ['-e'] }),
  guile: lisp,
  sbcl: lisp,
  clojure: lisp,
  bb: lisp,
  raku: lisp,
  octave: lisp,
  gnuplot: lisp,
  ocaml: lisp,
  qjs: lisp,
  gjs: lisp,
  php: interpreter({ code: ['-r', '-B', '-R'], values: ['-d', '-c'], checks: ['-l'] }),
  pwsh: powershell,
  powershell,
  'pwsh-preview': powershell,
  'pwsh.exe': powershell,
  'powershell.exe': powershell,
  ...OF_WINDOWS,
  lua: interpreter({ code: ['-e'], values: ['-l'] }),
  luajit: interpreter({ code: ['-e'] }),
  Rscript: interpreter({ code: ['-e'] }),
  julia: interpreter({ code: ['-e', '-E'] }),
  osascript: interpreter({ code: ['-e'] }),
  elixir: interpreter({ code: ['-e', '--eval'] }),
  groovy: interpreter({ code: ['-e'] }),
  scala: interpreter({ code: ['-e'] }),
  erl: interpreter({ code: ['-eval'] }),
  tclsh: interpreter({ code: [] }),
  expect: interpreter({ code: ['-c'] }),
  m4: interpreter({ code: [] }),
  rails: interpreter({ code: [], words: ['runner', 'r'] }),
  artisan: interpreter({ code: ['--execute'] }),
  racket: interpreter({ code: ['-e'] }),
  ghc: interpreter({ code: ['-e'] }),
};
