// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, MK8_RUN, SHELL_DANGEROUS, type ToolDefinition } from '@writ/contract';
import { dataOf, DEFAULT_SANDBOX, sandboxFrom, type SandboxData } from '@writ/mk8-shell';
import { dangerousTool } from '@writ/mk8-shell/dangerous';
import { sandboxNamed, scriptTool, signedScriptTool } from '@writ/mk8-shell/tool';
import type { Work } from '@writ/worker-pool';
import type { JudgingTasks } from '../worker-tasks.ts';
import type { Arguments, CallFacts, JudgedCall, Refusal } from './call.ts';
import { withScriptRead } from './read-tool.ts';

/** Scripts under the rules that are shipped. */
const SHIPPED = scriptTool(sandboxFrom(DEFAULT_SANDBOX));
/**
 * The largest arguments whose script is compiled on the event loop, in bytes: of those that repeat nothing, which take
 * 1 ms at most.
 */
const INLINE_SCRIPT_BYTES_MAX = 2_048;
/** Operations that stand for more than they are written as, in either notation of a script. */
const REPEATS = /ForEach|Include/;
/** The most steps of matching that are taken on the event loop: some 75 ns each. */
const INLINE_STEPS_MAX = 50_000;
/** What reading the arguments of a call by its tool may take in a thread, in milliseconds. */
const READ_WALL_MS = 3_000;

type Named = Pick<CallFacts, 'sandbox' | 'profile'>;

/**
 * Makes ready the definitions that calls are judged by: on the event loop where that is known to take 5 ms at most,
 * otherwise in a worker thread.
 */
export class ToolReader {
  readonly #work: Work<JudgingTasks> | null;

  /** @param work null: all of it is done where it is asked, for programs of one user and for specs */
  constructor(work: Work<JudgingTasks> | null) {
    this.#work = work;
  }

  /**
   * The definition for the one call, with what its functions answer found already where that takes long. @throws Fault
   * `limit.exceeded`, `overloaded`
   */
  async read(
    call: Pick<JudgedCall, 'tenant_id'>,
    tool: ToolDefinition | null,
    args: Arguments | Refusal,
    facts: Named,
  ): Promise<ToolDefinition | null> {
    const judged = judgedTool(tool, args, facts);
    if (judged === null || 'effect' in args || this.#work === null) return judged;
    const isScript = judged.tool_id === MK8_RUN.tool_id && judged.faults !== undefined && isLongScript(args);
    const isLong = isScript || (judged.declared !== undefined && judged.declared.steps(args.value) > INLINE_STEPS_MAX);
    // A tool's functions are asked only about arguments that fit its schema; of others the schema's own faults are what
    // is said.
    if (!isLong || argumentFaults({ ...judged, faults: () => [] }, args.value).length > 0) return judged;
    const options = { tenantId: call.tenant_id, wallMs: READ_WALL_MS };
    if (isScript) {
      const sandbox = judged === SHIPPED ? null : sandboxOf(facts);
      return withScriptRead(judged, await this.#work.run('script.read', { args: args.value, sandbox }, options));
    }
    const { cli, declared } = judged;
    if (cli === undefined || declared === undefined) return judged;
    const values = { args: args.value, cli, parameters: declared.parameters };
    const faults = await this.#work.run('values.read', values, options);
    return { ...judged, faults: () => faults };
  }
}

const isLongScript = ({ canonical }: Arguments): boolean =>
  canonical.byteLength > INLINE_SCRIPT_BYTES_MAX || REPEATS.test(Buffer.from(canonical).toString('latin1'));

/** The registered sandbox that a script is compiled for, as data. */
function sandboxOf({ sandbox }: Named): { readonly data: SandboxData; readonly digest: string } | null {
  if (sandbox === undefined || sandbox === null || 'effect' in sandbox) return null;
  return { data: dataOf(sandbox), digest: sandbox.digest };
}

/**
 * The definition that a call is judged by: of a tool that runs scripts, with what is found by compiling the call's own
 * under the rules of its sandbox. Where there is no sandbox to run in it is the bare one, and `decideSandbox` refuses
 * the call. Of a raw command, within its profile; without one `decideProfile` refuses it.
 */
function judgedTool(
  tool: ToolDefinition | null,
  args: Arguments | Refusal,
  { sandbox, profile }: Named,
): ToolDefinition | null {
  if (tool?.tool_id === SHELL_DANGEROUS.tool_id) {
    return profile === undefined || profile === null ? tool : dangerousTool(profile.profile);
  }
  if (tool?.tool_id !== MK8_RUN.tool_id || 'effect' in args) return tool;
  if (sandboxNamed(args.value) === null) return SHIPPED;
  return sandbox === undefined || sandbox === null || 'effect' in sandbox ? MK8_RUN : signedScriptTool(sandbox);
}
