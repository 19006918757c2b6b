// SPDX-License-Identifier: Apache-2.0
import { noteWrittenScripts } from '../programs/build.ts';
import { canonicalName } from '../programs/canonical-name.ts';
import { noteSqlArguments } from '../programs/database.ts';
import { noteEgress } from '../programs/egress.ts';
import { noteEmptyWrite } from '../programs/empty-writes.ts';
import { noteHandedCommands } from '../programs/handed-commands.ts';
import { PROGRAMS } from '../programs/programs.ts';
import { programPaths } from '../programs/output.ts';
import { noteWrittenFiles } from '../programs/written-files.ts';
import { noteRemoteCommands } from '../programs/remote.ts';
import { onlyReads } from '../programs/only-reads.ts';
import { noteCredentials } from '../programs/secrets.ts';
import { noteTableRows } from '../programs/table.ts';
import { noteVerbName } from '../programs/verb-names.ts';
import { unwrapped } from '../programs/wrappers.ts';
import { DOWNLOADED, isExact, UNSET, withoutMarkers, type Field, type Source } from './field.ts';
import { quote, runSource } from './run-source.ts';
import type { Scope } from './scope.ts';
import type { Invocation, Shell } from './shell.ts';
import { ANYTHING, FROM_NETWORK, KEPT_SECRET, NOTHING, tainted } from './source.ts';
import type { SyntaxNode } from './syntax.ts';

/** The part of the reader that starting a program needs: interpreting the body of a function in a scope. */
export interface Starter extends Shell {
  scope: Scope;
  /** bodies of the functions that are being interpreted, with the arguments of each one's recursive calls */
  readonly following: Map<SyntaxNode, Set<string>>;
  run(node: SyntaxNode, stdin: Source): Source;
  inScope<T>(inner: Scope, body: () => T): T;
  deeper(text: string, body: () => Source): Source;
}

/** Interprets the words as a command: an alias, a function, a file, or a program by its name. */
export function start(words: readonly Field[], stdin: Source, shell: Starter): Source {
  const [first, ...args] = words;
  if (first === undefined) return NOTHING;
  if (!isExact(first.text) || first.glob || first.text === '') return startUnknown(first, args, stdin, shell);
  const body = shell.scope.functions.get(first.text);
  if (body && mayFollow(body, args, shell)) return callFunction(body, args, stdin, shell);
  const alias = shell.scope.aliases.get(first.text);
  if (alias !== undefined) return callAlias(first.text, alias, args, stdin, shell);
  if (first.text.includes('/') && !OF_SYSTEM.test(first.text)) noteBun(args, stdin, shell);
  const path = first.text.includes('/') ? shell.path(first) : undefined;
  const program = path === undefined ? undefined : shell.scope.programs.get(path);
  if (program !== undefined) return startProgram({ name: program, args, stdin }, shell);
  const file = startFile(first, args, stdin, shell);
  if (file) return file;
  const name = first.text.slice(first.text.lastIndexOf('/') + 1);
  // A file of the workspace may have the name of a system program.
  if (first.text.includes('/') && !OF_SYSTEM.test(first.text)) shell.act('change', name, first.text);
  const isKnown = Object.hasOwn(PROGRAMS, name);
  if (OWN_AGENT.test(first.text)) return startProgram({ name: 'bun', args, stdin }, shell);
  if (!first.text.includes('/') && !isKnown) noteBun(args, stdin, shell);
  return startProgram({ name: isKnown ? name : canonicalName(name), args, stdin }, shell);
}

/**
 * The sandbox's own program that starts commands. It is compiled with Bun, and so an interpreter when configured as
 * one.
 */
const OWN_AGENT = /^\/opt\/writ\/agent$/;

/** With this variable any program that Bun compiled is Bun itself, whatever its name. */
function noteBun(args: readonly Field[], stdin: Source, shell: Shell): void {
  const { scope } = shell;
  const mayBeSet = scope.isSet('BUN_BE_BUN') || scope.possible('BUN_BE_BUN').some((value) => value.join('') !== UNSET);
  if (mayBeSet) startProgram({ name: 'bun', args, stdin }, shell);
}

/** Directories of system programs. */
const OF_SYSTEM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;

/** An unknown name is a separate risk; the name without its unset variables is interpreted too. */
function startUnknown(name: Field, args: readonly Field[], stdin: Source, shell: Starter): Source {
  if (name.text.includes(DOWNLOADED)) shell.act('run_downloaded', 'a shell', name.text);
  else shell.act('unknown_command', 'a shell', name.text);
  noteBun(args, stdin, shell);
  const rest = withoutMarkers(name.text);
  if (name.glob || !name.text.includes(UNSET)) return ANYTHING;
  return shell.invoke(rest === '' ? args : [{ ...name, text: rest }, ...args], stdin);
}

/** Arguments with which recursive calls of a function are interpreted; further ones count as unknown. */
const OWN_CALLS_MAX = 4;

/**
 * A recursive function is interpreted once more for each of the arguments in its own calls: its effects are the same at
 * any depth.
 */
function mayFollow(body: SyntaxNode, args: readonly Field[], shell: Starter): boolean {
  const given = shell.following.get(body);
  if (given === undefined) return true;
  const texts = args.map(({ text }) => text).join('\0');
  if (given.has(texts) || given.size > OWN_CALLS_MAX) return false;
  given.add(texts);
  return true;
}

function callFunction(body: SyntaxNode, args: readonly Field[], stdin: Source, shell: Starter): Source {
  shell.scope.uncalled.delete(body);
  return shell.deeper(body.text, () => {
    const { positional } = shell.scope;
    const given = shell.following.get(body);
    shell.scope.positional = (given?.size ?? 0) > OWN_CALLS_MAX ? undefined : args;
    if (given === undefined) shell.following.set(body, new Set());
    try {
      return shell.scope.asFunction(() => shell.run(body, stdin));
    } finally {
      if (given === undefined) shell.following.delete(body);
      shell.scope.positional = positional;
    }
  });
}

function callAlias(name: string, text: string, args: readonly Field[], stdin: Source, shell: Starter): Source {
  shell.scope.aliases.delete(name);
  const output = shell.evaluate([text, ...args.map((arg) => quote(arg))].join(' '), stdin);
  shell.scope.aliases.set(name, text);
  return output;
}

/** A file that the command wrote itself and now runs. Undefined for any other name. */
function startFile(name: Field, args: readonly Field[], stdin: Source, shell: Starter): Source | undefined {
  const path = name.text.includes('/') ? shell.path(name) : undefined;
  const content = path === undefined ? undefined : (shell.scope.files.get(path) ?? unpackedAt(name.text, shell.scope));
  if (name.source) return runSource(name.source, args, stdin, shell);
  return content && runSource(content, args, stdin, shell);
}

/** Programs that print the environment when they have nothing to do. */
const SHOW_ENVIRONMENT = new Set(['env', 'printenv', 'export', 'set', 'declare']);

/** Programs whose arguments are sentences. */
const TAKES_PROSE = new Set([
  'gh',
  'glab',
  'jira',
  'linear',
  'slack',
  'notify-send',
  'say',
  'cowsay',
  'figlet',
  'logger',
  'wall',
  'write',
  'llm',
  'claude',
  'aider',
]);

/** A file of the workspace may come from an archive that was unpacked there before. */
export const unpackedAt = (path: string, scope: Scope): Source | undefined =>
  scope.unpacked && !path.startsWith('/') ? FROM_NETWORK : undefined;

/** A command without output reports on request. */
const reportOf = ({ args }: Invocation, output: Source): Source =>
  output.kind === 'nothing' && args.some(({ text }) => /^(?:--verbose|-[a-zA-Z]*v[a-zA-Z]*|--progress)$/.test(text))
    ? ANYTHING
    : output;

function startProgram(call: Invocation, shell: Shell): Source {
  if (SHOW_ENVIRONMENT.has(call.name) && call.args.length === 0) return KEPT_SECRET;
  if (call.name === 'command' && /^-\w*[vV]/.test(call.args[0]?.text ?? '')) return programPaths(call.args.slice(1));
  noteWrittenScripts(call, shell);
  const listed = noteTableRows(call, shell);
  const inner = unwrapped(call, shell);
  if (inner) return shell.invoke(inner, call.stdin);
  const readsSecret = noteCredentials(call.name, call.args, shell);
  noteEgress(call, shell);
  noteHandedCommands(call, shell);
  noteWrittenFiles(call, shell);
  noteEmptyWrite(call, shell);
  noteRemoteCommands(call, shell);
  const reading = Object.hasOwn(PROGRAMS, call.name) ? PROGRAMS[call.name] : undefined;
  if (!listed) noteVerbName(call, reading !== undefined, shell);
  if (!listed && !reading && !TAKES_PROSE.has(call.name)) noteSqlArguments(call, shell);
  if (!onlyReads(call)) shell.act('change', call.name, call.name);
  const output = reportOf(call, reading?.(call, shell) ?? tainted(call.stdin));
  return readsSecret && output === ANYTHING ? KEPT_SECRET : output;
}
