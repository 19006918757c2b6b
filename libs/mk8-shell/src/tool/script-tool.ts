// SPDX-License-Identifier: Apache-2.0
//
// The tool that runs scripts, for one sandbox: what its definition leaves open about arguments is found by compiling
// them. INVARIANT (the sandbox is part of what is meant): of all that the definition's digest covers, nothing differs
// from one sandbox to another but the digest of a registered one. So whatever is bound to a tool, a decision, a record,
// an approval, a permit, is bound to the sandbox as it was signed.
import { LIMITS, MK8_RUN, SANDBOX_NAME, type FsResource, type ToolDefinition } from '@writ/contract';
import type { Compiled } from '../compile/compile.ts';
import type { LocatedProblem, Problem } from '../problem.ts';
import { compileAny } from '../run/order.ts';
import { DEFAULT_SANDBOX, inContainer, type Sandbox } from '../rules/sandbox.ts';
import type { SignedSandbox } from '../sandboxes/signed-sandbox.ts';
import { asCommand } from './as-command.ts';
import { foreseenOf } from './foreseen.ts';

type Args = Readonly<Record<string, unknown>>;

/** What is judged of a script. */
interface Judged {
  readonly compiled: Compiled;
  readonly commandLine: string;
}

const NAME = new RegExp(SANDBOX_NAME);

/**
 * The registered sandbox that a call's arguments name; null where they name none, what is shipped, or nothing that
 * could be a name.
 */
export const sandboxNamed = ({ sandbox }: Args): string | null =>
  typeof sandbox !== 'string' || sandbox === DEFAULT_SANDBOX.name || !NAME.test(sandbox) ? null : sandbox;

/** What `mk8.run` means in a registered sandbox of that digest. */
export const toolWithin = (digest: string): ToolDefinition => ({ ...MK8_RUN, sandbox: digest });

/** The tool that runs scripts in a registered sandbox. */
export const signedScriptTool = (signed: SignedSandbox): ToolDefinition => ({
  ...scriptTool(inContainer(signed), signed.digest),
  sandbox: signed.digest,
});

/**
 * The definition of `mk8.run` with what the script of a call touches, asks for and is worth, under the rules of a
 * sandbox. `digest`: of a registered one.
 */
export function scriptTool(sandbox: Sandbox, digest: string | null = null): ToolDefinition {
  // Each question about a call is one about the same arguments: they are compiled once.
  const known = new WeakMap<Args, Judged>();
  const judged = (args: Args): Judged => {
    let found = known.get(args);
    if (found === undefined) known.set(args, (found = judge(args, sandbox)));
    return found;
  };
  const effects = (args: Args) => judged(args).compiled.program?.effects ?? null;
  return {
    ...MK8_RUN,
    resources: (args) => resourcesOf(effects(args)),
    requests: (args) => effects(args)?.requests.map((request) => ({ ...request, purpose: '' })) ?? [],
    commandLine: (args) => judged(args).commandLine,
    categoryOf: (args) => effects(args)?.category ?? 'write',
    foresees: (args) => {
      const { program } = judged(args).compiled;
      return program === null ? null : { ...foreseenOf(program, { name: sandbox.id, digest }) };
    },
    faults: (args) => faultsOf(judged(args), typeof args['script'] === 'string'),
  };
}

function judge(args: Args, sandbox: Sandbox): Judged {
  const compiled = compileAny(args['script'], sandbox);
  return { compiled, commandLine: compiled.program === null ? '' : asCommand(compiled.program, sandbox) };
}

function faultsOf(
  { compiled: { program, problems }, commandLine }: Judged,
  isText: boolean,
): { readonly pointer: string; readonly message: string }[] {
  if (program === null)
    return problems.map((problem) =>
      isText ? inText(problem as LocatedProblem) : { pointer: `/script${problem.pointer}`, message: problem.message },
    );
  const bytes = Buffer.byteLength(commandLine);
  return bytes > LIMITS.commandBytes.max
    ? [
        {
          pointer: '/script',
          message: `names more paths, hosts and commands than can be judged at once (${bytes} bytes of ${LIMITS.commandBytes.max}); make several scripts of it`,
        },
      ]
    : [];
}

const inText = ({
  pointer,
  message,
  line,
  column,
}: LocatedProblem & Problem): { pointer: string; message: string } => ({
  pointer: '/script',
  message: `line ${line}, column ${column}: ${pointer === '' ? '' : `\`${pointer}\` `}${message}`,
});

function resourcesOf(
  effects: {
    readonly reads: readonly string[];
    readonly writes: readonly string[];
    readonly deletes: readonly string[];
  } | null,
): FsResource[] {
  if (effects === null) return [];
  const all = (access: FsResource['access'], paths: readonly string[]): FsResource[] =>
    paths.map((path) => ({ kind: 'fs', access, path }));
  return [...all('read', effects.reads), ...all('write', [...new Set([...effects.writes, ...effects.deletes])])];
}
