// SPDX-License-Identifier: Apache-2.0
//
// The tool that runs scripts, for one sandbox. Compiling a script yields the facts about arguments that the tool's
// definition leaves open.
// INVARIANT (the sandbox is part of what is meant): of everything in the definition's digest, only the digest of a
// registered sandbox differs between sandboxes. So a decision, a record, an approval or a permit for the tool is bound
// to the sandbox as it was signed.
import { LIMITS, MK8_RUN, SANDBOX_NAME, type FsResource, type ToolDefinition } from '@writ/contract';
import type { Compiled } from '../compile/compile.ts';
import type { LocatedProblem, Problem } from '../problem.ts';
import { compileAny } from '../run/order.ts';
import { DEFAULT_SANDBOX, inContainer, type Sandbox } from '../rules/sandbox.ts';
import type { SignedSandbox } from '../sandboxes/signed-sandbox.ts';
import { asCommand } from './as-command.ts';
import { predictScript } from './predicted-script.ts';

type Args = Readonly<Record<string, unknown>>;

/** The result of compiling a script, for decisions. */
interface Judged {
  readonly compiled: Compiled;
  readonly commandLine: string;
}

const NAME = new RegExp(SANDBOX_NAME);

/**
 * The registered sandbox in a call's arguments; null where they have none, the shipped one, or a value that can't be a
 * name.
 */
export const sandboxNameOf = ({ sandbox }: Args): string | null =>
  typeof sandbox !== 'string' || sandbox === DEFAULT_SANDBOX.name || !NAME.test(sandbox) ? null : sandbox;

/**
 * Answers whether a script, as a value or a text, or the text of a sandbox's definition may hold a verb that shows
 * skills. A text may spell a verb with escapes of JSON, so one with such escapes may hold anything.
 */
export function mayListSkills(written: unknown): boolean {
  const text = typeof written === 'string' ? written : (JSON.stringify(written) ?? '');
  return /Mk8(?:Skills|Info)/.test(text) || (typeof written === 'string' && text.includes('\\u'));
}

/** The definition of `mk8.run` in a registered sandbox of that digest. */
export const toolWithin = (digest: string): ToolDefinition => ({ ...MK8_RUN, sandbox: digest });

/** The tool that runs scripts in a registered sandbox. */
export const signedScriptTool = (signed: SignedSandbox): ToolDefinition => ({
  ...scriptTool(inContainer(signed), signed.digest),
  sandbox: signed.digest,
});

/**
 * The definition of `mk8.run`, with the resources, effects and risk of a call's script under the rules of a sandbox.
 * `digest`: of a registered one.
 */
export function scriptTool(sandbox: Sandbox, digest: string | null = null): ToolDefinition {
  // All queries about a call use the same arguments object, which is compiled once.
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
      return program === null ? null : { ...predictScript(program, { name: sandbox.id, digest }) };
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
