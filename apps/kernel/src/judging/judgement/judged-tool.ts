// SPDX-License-Identifier: Apache-2.0
import {
  argumentFaults,
  bindTool,
  isStoreTool,
  MK8_RUN,
  SHELL_DANGEROUS,
  STORE_REGISTER,
  type JsonSchemaText,
  type ToolDefinition,
} from '@writ/contract';
import { functionFaults } from '@writ/cli-tool';
import { httpFaults } from '@writ/http-tool';
import { mcpFaults } from '@writ/mcp-tool';
import { storeCallFaults } from '@writ/info-store';
import { dataOf, DEFAULT_SANDBOX, sandboxFrom, type SandboxData } from '@writ/mk8-shell';
import { dangerousTool } from '@writ/mk8-shell/dangerous';
import { sandboxNameOf, scriptTool, signedScriptTool } from '@writ/mk8-shell/tool';
import type { TaskRunner } from '@writ/worker-pool';
import type { JudgingTasks } from '../worker-tasks.ts';
import type { Arguments, CallFacts, JudgedCall, Refusal } from './call.ts';
import { boundTo } from './decide-resources.ts';
import { withScriptRead } from './read-tool.ts';

/** Scripts under the rules that are shipped. */
const SHIPPED = scriptTool(sandboxFrom(DEFAULT_SANDBOX));
/**
 * The largest arguments whose script is compiled on the event loop, in bytes: without repetition it takes 1 ms at most.
 */
const INLINE_SCRIPT_BYTES_MAX = 2_048;
/** Operations that expand to more than is written, in either notation of a script. */
const REPEATS = /ForEach|Include/;
/** The most steps of matching on the event loop: some 75 ns each. */
const INLINE_STEPS_MAX = 50_000;
/** The most steps of checking arguments by a tenant's schema on the event loop: some microseconds each. */
const INLINE_SCHEMA_STEPS_MAX = 2_000;
/** The largest arguments that are checked, or written as a request, on the event loop, in bytes. */
const INLINE_REQUEST_BYTES_MAX = 32 * 1_024;
/** The bound, in milliseconds, on reading the arguments of a call by its tool in a thread. */
const READ_WALL_MS = 3_000;

type NamedEnvironment = Pick<CallFacts, 'sandbox' | 'profile' | 'resources'>;

/**
 * Prepares the definitions that calls are judged by: on the event loop where that is known to take 5 ms at most,
 * otherwise in a worker thread.
 */
export class ToolReader {
  readonly #work: TaskRunner<JudgingTasks> | null;

  /** @param work null: all of it is done on the event loop, for programs of one user and for specs */
  constructor(work: TaskRunner<JudgingTasks> | null) {
    this.#work = work;
  }

  /**
   * The definition for this one call, with the answers of its functions precomputed where they take long. @throws Fault
   * `limit.exceeded`, `overloaded`
   */
  async read(
    call: Pick<JudgedCall, 'tenant_id'>,
    tool: ToolDefinition | null,
    args: Arguments | Refusal,
    facts: NamedEnvironment,
  ): Promise<ToolDefinition | null> {
    const judged = judgedTool(tool, args, facts);
    if (judged === null || 'effect' in args || this.#work === null) return judged;
    if (judged.schemas !== undefined) return await this.#readDeclared(call, judged, args);
    if (judged.http !== undefined) return await this.#readHttp(call, judged, args);
    const isScript = judged.tool_id === MK8_RUN.tool_id && judged.faults !== undefined && isLongScript(args);
    const isLong = isScript || (judged.program !== undefined && judged.program.steps(args.value) > INLINE_STEPS_MAX);
    // A tool's functions receive only arguments that fit its schema; for others the schema's own faults are reported.
    if (!isLong || argumentFaults({ ...judged, faults: () => [] }, args.value).length > 0) return judged;
    const options = { tenantId: call.tenant_id, wallMs: READ_WALL_MS };
    if (isScript) {
      const sandbox = judged === SHIPPED ? null : sandboxOf(facts);
      return withScriptRead(judged, await this.#work.run('script.read', { args: args.value, sandbox }, options));
    }
    const { cli, program } = judged;
    if (cli === undefined || program === undefined) return judged;
    const values = { args: args.value, cli, parameters: program.parameters };
    const faults = await this.#work.run('values.read', values, options);
    return { ...judged, faults: () => faults };
  }

  /** Checks arguments against a tenant's schema: here if it takes few steps, otherwise in a thread. */
  async #readDeclared(
    { tenant_id }: Pick<JudgedCall, 'tenant_id'>,
    tool: ToolDefinition,
    { value, canonical }: Arguments,
  ): Promise<ToolDefinition> {
    if (tool.schemas === undefined || this.#work === null) return tool;
    const { parameters } = tool.schemas;
    const isFunction = tool.function !== undefined;
    const mcp = { parameters, mayAsk: tool.mcp?.asks !== undefined, remoteName: tool.mcp?.remote_name ?? '' };
    const isLong = canonical.byteLength > INLINE_REQUEST_BYTES_MAX;
    const inline = isFunction
      ? functionFaults(parameters, value, INLINE_SCHEMA_STEPS_MAX)
      : isLong
        ? null
        : mcpFaults(mcp, value, INLINE_SCHEMA_STEPS_MAX);
    const call = { ...mcp, args: value, isFunction };
    const faults = inline ?? (await this.#work.run('schema.read', call, { tenantId: tenant_id, wallMs: READ_WALL_MS }));
    return { ...tool, faults: () => faults };
  }

  /** Checks the arguments of an HTTP tool: here if it takes few steps, otherwise in a thread. */
  async #readHttp(
    { tenant_id }: Pick<JudgedCall, 'tenant_id'>,
    tool: ToolDefinition,
    { value, canonical }: Arguments,
  ): Promise<ToolDefinition> {
    if (tool.http === undefined || this.#work === null) return tool;
    const about = { http: tool.http, parameters: tool.parameters as unknown as JsonSchemaText };
    const inline =
      canonical.byteLength > INLINE_REQUEST_BYTES_MAX ? null : httpFaults(about, value, INLINE_SCHEMA_STEPS_MAX);
    const options = { tenantId: tenant_id, wallMs: READ_WALL_MS };
    const faults = inline ?? (await this.#work.run('http.read', { ...about, args: value }, options));
    return { ...tool, faults: () => faults };
  }
}

const isLongScript = ({ canonical }: Arguments): boolean =>
  canonical.byteLength > INLINE_SCRIPT_BYTES_MAX || REPEATS.test(Buffer.from(canonical).toString('latin1'));

/** The registered sandbox that a script is compiled for, as data. */
function sandboxOf({ sandbox }: NamedEnvironment): { readonly data: SandboxData; readonly digest: string } | null {
  if (sandbox === undefined || sandbox === null || 'effect' in sandbox) return null;
  return { data: dataOf(sandbox), digest: sandbox.digest };
}

/**
 * The definition that a call is judged by. For a tool that runs scripts it contains what compiling the call's own
 * script finds under the rules of its sandbox. Where there is no sandbox to run in it is the bare definition, and
 * `decideSandbox` refuses the call. For a raw command it is bounded by the call's profile; without one `decideProfile`
 * refuses the call. A tool on registered resources is bound to them; without one of them `decideResources` refuses the
 * call.
 */
function judgedTool(
  tool: ToolDefinition | null,
  args: Arguments | Refusal,
  { sandbox, profile, resources = [] }: NamedEnvironment,
): ToolDefinition | null {
  if (tool?.tool_id === SHELL_DANGEROUS.tool_id) {
    return profile === undefined || profile === null ? tool : dangerousTool(profile.profile);
  }
  if (tool?.targets !== undefined) return withStoreFaults(bindTool(tool, boundTo(resources) ?? []));
  if (tool?.tool_id !== MK8_RUN.tool_id || 'effect' in args) return tool;
  if (sandboxNameOf(args.value) === null) return SHIPPED;
  return sandbox === undefined || sandbox === null || 'effect' in sandbox ? MK8_RUN : signedScriptTool(sandbox);
}

/** Documents, filters and queries have rules that no schema says. Arguments are short enough to be read here. */
function withStoreFaults(tool: ToolDefinition): ToolDefinition {
  const { tool_id } = tool;
  if (!isStoreTool(tool_id) && tool_id !== STORE_REGISTER.tool_id) return tool;
  return { ...tool, faults: (args) => storeCallFaults(tool_id, args) };
}
