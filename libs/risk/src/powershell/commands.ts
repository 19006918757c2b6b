// SPDX-License-Identifier: Apache-2.0
import { noteVerbName } from '../programs/verb-names.ts';
import { DOWNLOADED, field, isExact } from '../shell/field.ts';
import { ALIASES, ALSO_PROGRAMS } from './aliases.ts';
import { wordsOf, type Argument } from './arguments.ts';
import { FILE_CMDLETS } from './file-cmdlets.ts';
import { RUN_CMDLETS } from './run-cmdlets.ts';
import type { Cmdlet, Session } from './session.ts';
import { SYSTEM_CMDLETS } from './system-cmdlets.ts';
import { sourceOf, tainted, union, UNKNOWN_VALUE, valueOf, type Value } from './values.ts';
import { byVerb } from './verbs.ts';

const CMDLETS: Readonly<Record<string, Cmdlet>> = { ...FILE_CMDLETS, ...RUN_CMDLETS, ...SYSTEM_CMDLETS };

/** Levels of aliases of aliases; this bound ends a cycle. */
const ALIASES_MAX = 6;

/** Interprets a command by its name: an alias, a cmdlet, or a program. */
export function startCommand(given: string, args: readonly Argument[], input: Value, session: Session): Value {
  const name = given.trim();
  if (name === '') return UNKNOWN_VALUE;
  if (!isExact(name)) {
    session.shell.act(name.includes(DOWNLOADED) ? 'run_downloaded' : 'unknown_command', 'powershell', name);
    return UNKNOWN_VALUE;
  }
  const resolved = resolve(name.toLowerCase().replace(/^microsoft\.powershell\.[a-z.]+\\/, ''), session);
  if (!isExact(resolved)) {
    session.shell.act('unknown_command', 'powershell', name);
    return UNKNOWN_VALUE;
  }
  const cmdlet = Object.hasOwn(CMDLETS, resolved) ? CMDLETS[resolved] : undefined;
  // On systems with a program of that name, the program runs.
  const native =
    cmdlet && ALSO_PROGRAMS.has(name.toLowerCase()) ? [startProgram(name.toLowerCase(), args, input, session)] : [];
  if (cmdlet) return union([cmdlet(args, input, session, resolved), ...native]);
  const verb = /^([a-z]+)-(\w[\w.]*)$/.exec(resolved);
  const answer = verb ? byVerb(verb[1] ?? '', verb[2] ?? '', args, input, session) : undefined;
  return answer ?? startProgram(name, args, input, session);
}

function resolve(name: string, { aliases }: Session): string {
  let resolved = name;
  for (let count = 0; count < ALIASES_MAX; count += 1) {
    const target =
      aliases.get(resolved)?.toLowerCase() ?? (Object.hasOwn(ALIASES, resolved) ? ALIASES[resolved] : undefined);
    if (target === undefined || target === resolved) break;
    resolved = target;
  }
  return resolved;
}

function startProgram(name: string, args: readonly Argument[], input: Value, { shell }: Session): Value {
  const path = name.replaceAll('\\', '/');
  // A script of the workspace: its effect is examined instead.
  if (/\.ps[md]?1$/i.test(path)) {
    const at = shell.path(field(path));
    const content = at === undefined ? undefined : shell.scope.files.get(at);
    shell.act('change', 'powershell', path);
    noteVerbName({ name: path.slice(path.lastIndexOf('/') + 1), args: [], stdin: sourceOf(input) }, false, shell);
    return content
      ? valueOf(shell.powershell(content.kind === 'text' ? content.text : '', sourceOf(input)))
      : UNKNOWN_VALUE;
  }
  const program = path.replace(/\.(?:exe|cmd|bat|com)$/i, '');
  const isWindows = program !== path;
  const output = shell.invoke(
    [field(isWindows || !path.includes('/') ? lowerOfWindows(program) : program), ...wordsOf(args)],
    sourceOf(input),
  );
  return output.kind === 'unknown' ? tainted(union([input, UNKNOWN_VALUE])) : valueOf(output);
}

/** Windows ignores case; the names of its programs here are in lower case. */
const lowerOfWindows = (name: string): string => (/^[A-Z]/.test(name) ? name.toLowerCase() : name);
