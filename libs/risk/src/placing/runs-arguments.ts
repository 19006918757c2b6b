// SPDX-License-Identifier: Apache-2.0
import { canonicalName } from '../programs/canonical-name.ts';
import { fieldOf, namedChildren, type SyntaxNode } from '../shell/syntax.ts';

/** Read their input, or their arguments, as commands. */
const SHELLS = new Set([
  'sh',
  'bash',
  'rbash',
  'dash',
  'ash',
  'zsh',
  'ksh',
  'mksh',
  'fish',
  'csh',
  'tcsh',
  'busybox',
  'toybox',
  'eval',
  '.',
  'source',
  'xargs',
  'parallel',
  'ssh',
  'su',
  'runuser',
  'at',
  'batch',
  'screen',
  'tmux',
  'script',
  'expect',
  'watch',
]);
/** Run a program text that is an argument, or their input where there is none. */
const INTERPRETERS =
  /^(?:python[0-9.]*|pypy[0-9.]*|ipython3?|node|nodejs|deno|bun|tsx|ts-node|perl[0-9.]*|raku|ruby|jruby|irb|pry|php|lua|luajit|tclsh|wish|julia|elixir|erl|groovy|scala|racket|guile|sbcl|clojure|bb|ghc|octave|gnuplot|ocaml|qjs|gjs|powershell|awk|gawk|mawk|nawk|sed|ed|ex|vi|vim|nvim|emacs|R|Rscript|make|gmake|m4|gdb|psql|mysql|sqlite3|osascript|pwsh)$/;
/**
 * Builtins that evaluate an argument: as code, as the name of a variable whose index is evaluated, or as arithmetic.
 */
const EVALUATING = new Set([
  'trap',
  'let',
  'test',
  '[',
  'alias',
  'bind',
  'complete',
  'compgen',
  'unset',
  'read',
  'mapfile',
  'readarray',
  'getopts',
  'declare',
  'typeset',
  'local',
  'export',
  'readonly',
  'enable',
  'hash',
  'wait',
  'set',
  'shopt',
  'coproc',
]);
/** Run another program, which may be any. */
const WRAPPERS = new Set([
  'env',
  'exec',
  'command',
  'builtin',
  'time',
  'timeout',
  'nice',
  'ionice',
  'nohup',
  'setsid',
  'stdbuf',
  'unbuffer',
  'sudo',
  'doas',
  'chroot',
  'unshare',
  'nsenter',
  'flock',
  'strace',
  'ltrace',
  'taskset',
  'chrt',
  'setarch',
  'find',
  'fd',
  'entr',
]);

const STATIC = /^[\w.+/@%:,=-]+$/;
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const isCode = (name: string): boolean => SHELLS.has(canonicalName(name)) || INTERPRETERS.test(canonicalName(name));

/** The name of the command without its directories; null where it isn't plain text. */
export function plainName(command: SyntaxNode): string | null {
  const [word, ...more] = namedChildren(fieldOf(command, 'name') ?? command);
  return word?.type === 'word' && more.length === 0 && STATIC.test(word.text) ? baseOf(word.text) : null;
}

const argumentsOf = ({ children }: SyntaxNode): readonly SyntaxNode[] =>
  children.filter(({ field }) => field === 'argument');

/**
 * Why a value that is an argument of the command, or its input, might be run by it; null where that is certainly not
 * so. An unknown program may use its arguments in any way: the program itself was judged.
 */
export function runsArguments(command: SyntaxNode, functions: ReadonlySet<string>): string | null {
  const name = plainName(command);
  if (name === null) return 'an argument of a command whose name is no plain text';
  if (functions.has(name)) return `an argument of the function \`${name}\``;
  if (isCode(name) || EVALUATING.has(name)) return `an argument of \`${name}\`, which may run what it is given`;
  if (WRAPPERS.has(name)) return `an argument of \`${name}\`, which runs another command`;
  const inner = argumentsOf(command).map(({ text }) => text);
  if (name === 'printf' && inner[0]?.startsWith('-v') === true) return 'an argument of `printf -v`, which evaluates it';
  const code = inner.find((text) => STATIC.test(text) && isCode(baseOf(text)));
  return code === undefined ? null : `an argument of a command that names \`${code}\`, which may run what it is given`;
}

/** Whether the command runs its input. */
export function runsInput(command: SyntaxNode): string | null {
  const name = plainName(command);
  if (name === null) return 'the input of a command whose name is no plain text';
  const runs =
    SHELLS.has(canonicalName(name)) ||
    (INTERPRETERS.test(canonicalName(name)) && argumentsOf(command).length === 0) ||
    WRAPPERS.has(name);
  return runs ? `what \`${name}\` may find on its input and run` : null;
}
