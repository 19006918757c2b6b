// SPDX-License-Identifier: Apache-2.0
import { noteWrittenScripts } from '../programs/build.ts';
import { noteSqlArguments } from '../programs/database.ts';
import { noteEgress } from '../programs/egress.ts';
import { noteNothingGiven } from '../programs/nothing-given.ts';
import { noteHandedCommands } from '../programs/handed-commands.ts';
import { PROGRAMS } from '../programs/programs.ts';
import { whereabouts } from '../programs/output.ts';
import { onlyReads } from '../programs/only-reads.ts';
import { noteCredentials } from '../programs/secrets.ts';
import { noteTableRows } from '../programs/table.ts';
import { noteTellingName } from '../programs/telling-names.ts';
import { unwrapped } from '../programs/wrappers.ts';
import { DOWNLOADED, isExact, UNSET, withoutMarkers, type Field } from './field.ts';
import { quote, runSource } from './run-source.ts';
import type { Scope } from './scope.ts';
import type { Invocation, Shell } from './shell.ts';
import { ANYTHING, FROM_NETWORK, KEPT_SECRET, NOTHING, tainted, type Source } from './source.ts';
import type { SyntaxNode } from './syntax.ts';

/** What starting a program needs of the reader: to follow the body of a function in a scope. */
export interface Starter extends Shell {
  scope: Scope;
  run(node: SyntaxNode, stdin: Source): Source;
  inScope<T>(inner: Scope, body: () => T): T;
  deeper(text: string, body: () => Source): Source;
}

/** Follows the words as a command: an alias, a function, a file, or a program by its name. */
export function start(words: readonly Field[], stdin: Source, shell: Starter): Source {
  const [first, ...args] = words;
  if (first === undefined) return NOTHING;
  if (!isExact(first.text) || first.glob || first.text === '') return startUnknown(first, args, stdin, shell);
  const body = shell.scope.functions.get(first.text);
  if (body) return callFunction(body, args, stdin, shell);
  const alias = shell.scope.aliases.get(first.text);
  if (alias !== undefined) return callAlias(first.text, alias, args, stdin, shell);
  const path = first.text.includes('/') ? shell.path(first) : undefined;
  const program = path === undefined ? undefined : shell.scope.programs.get(path);
  if (program !== undefined) return startProgram({ name: program, args, stdin }, shell);
  const file = startFile(first, args, stdin, shell);
  return file ?? startProgram({ name: first.text.slice(first.text.lastIndexOf('/') + 1), args, stdin }, shell);
}

/** A name that isn't known is a risk of its own; what it would be with unset variables left out is followed too. */
function startUnknown(name: Field, args: readonly Field[], stdin: Source, shell: Starter): Source {
  if (name.text.includes(DOWNLOADED)) shell.act('run_downloaded', 'a shell', name.text);
  else shell.act('unknown_command', 'a shell', name.text);
  const rest = withoutMarkers(name.text);
  if (name.glob || !name.text.includes(UNSET)) return ANYTHING;
  return shell.invoke(rest === '' ? args : [{ ...name, text: rest }, ...args], stdin);
}

function callFunction(body: SyntaxNode, args: readonly Field[], stdin: Source, shell: Starter): Source {
  shell.scope.called.add(body);
  return shell.deeper(body.text, () => {
    const { functions, positional } = shell.scope;
    shell.scope.positional = args;
    // A function that calls itself is followed once: what it does, it does at any depth.
    shell.scope.functions = new Map([...functions].filter(([, other]) => other !== body));
    const output = shell.run(body, stdin);
    shell.scope.positional = positional;
    for (const [name, other] of functions) if (!shell.scope.functions.has(name)) shell.scope.functions.set(name, other);
    return output;
  });
}

function callAlias(name: string, text: string, args: readonly Field[], stdin: Source, shell: Starter): Source {
  const inner = shell.scope.clone();
  inner.aliases.delete(name);
  return shell.inScope(inner, () => shell.script([text, ...args.map((arg) => quote(arg))].join(' '), stdin));
}

/** A file that the command wrote itself and now runs. Undefined for any other name. */
function startFile(name: Field, args: readonly Field[], stdin: Source, shell: Starter): Source | undefined {
  const path = name.text.includes('/') ? shell.path(name) : undefined;
  const content = path === undefined ? undefined : shell.scope.files.get(path) ?? unpackedAt(name.text, shell.scope);
  if (name.source) return runSource(name.source, args, stdin, shell);
  return content && runSource(content, args, stdin, shell);
}

/** Programs that show the environment where they are given nothing to do. */
const SHOW_ENVIRONMENT = new Set(['env', 'printenv', 'export', 'set', 'declare']);

/** Programs whose arguments are sentences. */
const TAKES_PROSE = new Set(['gh', 'glab', 'jira', 'linear', 'slack', 'notify-send', 'say', 'cowsay', 'figlet', 'logger', 'wall', 'write', 'llm', 'claude', 'aider']);

/** A file of the workspace, after something was unpacked into it, may be part of that. */
export const unpackedAt = (path: string, scope: Scope): Source | undefined => (scope.unpacked && !path.startsWith('/') ? FROM_NETWORK : undefined);

/** What says nothing by itself tells what it does where it is asked to. */
const reportOf = ({ args }: Invocation, output: Source): Source =>
  (output.kind === 'nothing' && args.some(({ text }) => /^(?:--verbose|-[a-zA-Z]*v[a-zA-Z]*|--progress)$/.test(text)) ? ANYTHING : output);

function startProgram(call: Invocation, shell: Shell): Source {
  if (SHOW_ENVIRONMENT.has(call.name) && call.args.length === 0) return KEPT_SECRET;
  if (call.name === 'command' && /^-\w*[vV]/.test(call.args[0]?.text ?? '')) return whereabouts(call.args.slice(1));
  noteWrittenScripts(call, shell);
  const listed = noteTableRows(call, shell);
  const inner = unwrapped(call, shell);
  if (inner) return shell.invoke(inner, call.stdin);
  const readsSecret = noteCredentials(call.name, call.args, shell);
  noteEgress(call, shell);
  noteHandedCommands(call, shell);
  noteNothingGiven(call, shell);
  const reading = Object.hasOwn(PROGRAMS, call.name) ? PROGRAMS[call.name] : undefined;
  if (!listed) noteTellingName(call, reading !== undefined, shell);
  if (!listed && !reading && !TAKES_PROSE.has(call.name)) noteSqlArguments(call, shell);
  if (!onlyReads(call)) shell.act('change', call.name, call.name);
  const output = reportOf(call, reading?.(call, shell) ?? tainted(call.stdin));
  return readsSecret && output === ANYTHING ? KEPT_SECRET : output;
}
