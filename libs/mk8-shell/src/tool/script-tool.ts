// SPDX-License-Identifier: Apache-2.0
//
// The tool that runs scripts, for one sandbox: what its definition leaves open about arguments is found by compiling them. INVARIANT (the same meaning): nothing of it that
// the definition's digest covers differs from one sandbox to another.
import { LIMITS, MK8_RUN, type FsResource, type ToolDefinition } from '@writ/contract';
import type { Compiled } from '../compile/compile.ts';
import type { LocatedProblem, Problem } from '../problem.ts';
import { compileAny } from '../run/order.ts';
import type { Sandbox } from '../rules/sandbox.ts';
import { asCommand } from './as-command.ts';

type Args = Readonly<Record<string, unknown>>;

/** What is judged of a script. */
interface Judged { readonly compiled: Compiled; readonly commandLine: string }

/** The definition of `mk8.run` with what the script of a call touches, asks for and is worth, under the rules of a sandbox. */
export function scriptTool(sandbox: Sandbox): ToolDefinition {
  // Each question about a call is one about the same arguments: they are compiled once.
  const known = new WeakMap<Args, Judged>();
  const judged = (args: Args): Judged => {
    let found = known.get(args);
    if (found === undefined) known.set(args, found = judge(args, sandbox));
    return found;
  };
  const effects = (args: Args) => judged(args).compiled.program?.effects ?? null;
  return {
    ...MK8_RUN,
    resources: (args) => resourcesOf(effects(args)),
    requests: (args) => effects(args)?.requests.map((request) => ({ ...request, purpose: '' })) ?? [],
    commandLine: (args) => judged(args).commandLine,
    categoryOf: (args) => effects(args)?.category ?? 'write',
    faults: (args) => faultsOf(judged(args), typeof args['script'] === 'string'),
  };
}

function judge(args: Args, sandbox: Sandbox): Judged {
  const compiled = compileAny(args['script'], sandbox);
  return { compiled, commandLine: compiled.program === null ? '' : asCommand(compiled.program, sandbox) };
}

function faultsOf({ compiled: { program, problems }, commandLine }: Judged, isText: boolean): { readonly pointer: string; readonly message: string }[] {
  if (program === null) return problems.map((problem) => (isText ? inText(problem as LocatedProblem) : { pointer: `/script${problem.pointer}`, message: problem.message }));
  const bytes = Buffer.byteLength(commandLine);
  return bytes > LIMITS.commandBytes.max ? [{ pointer: '/script', message: `names more paths, hosts and commands than can be judged at once (${bytes} bytes of ${LIMITS.commandBytes.max}); make several scripts of it` }] : [];
}

const inText = ({ pointer, message, line, column }: LocatedProblem & Problem): { pointer: string; message: string } => ({ pointer: '/script', message: `line ${line}, column ${column}: ${pointer === '' ? '' : `\`${pointer}\` `}${message}` });

function resourcesOf(effects: { readonly reads: readonly string[]; readonly writes: readonly string[]; readonly deletes: readonly string[] } | null): FsResource[] {
  if (effects === null) return [];
  const all = (access: FsResource['access'], paths: readonly string[]): FsResource[] => paths.map((path) => ({ kind: 'fs', access, path }));
  return [...all('read', effects.reads), ...all('write', [...new Set([...effects.writes, ...effects.deletes])])];
}
