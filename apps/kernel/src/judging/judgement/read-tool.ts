// SPDX-License-Identifier: Apache-2.0
//
// Computes what a tool's own functions return for the arguments of one call, as data that a thread can send: for a
// script by compiling it, for a tool that a tenant declared by matching its patterns. The definition itself returns the
// same.
import { cliFaults, functionArgumentFaults } from '@writ/cli-tool';
import { mcpArgumentFaults } from '@writ/mcp-tool';
import type {
  CliCommand,
  FsResource,
  JsonSchemaText,
  RequestResource,
  ToolCategory,
  ToolDefinition,
} from '@writ/contract';
import { httpArgumentFaults, type HttpArguments } from '@writ/http-tool';
import { DEFAULT_SANDBOX, sandboxFrom, type SandboxData } from '@writ/mk8-shell';
import { scriptTool } from '@writ/mk8-shell/tool';

type Args = Readonly<Record<string, unknown>>;
type Faults = readonly { readonly pointer: string; readonly message: string }[];

/** A call of a tool that runs scripts; `sandbox` null: in the shipped one. */
export interface ScriptCall {
  readonly args: Args;
  readonly sandbox: { readonly data: SandboxData; readonly digest: string } | null;
}

/** A call of a tool that a tenant declared. */
export interface DeclaredCall {
  readonly args: Args;
  readonly cli: CliCommand;
  readonly parameters: NonNullable<ToolDefinition['program']>['parameters'];
}

/** The results of compiling a script. */
export interface ScriptRead {
  readonly faults: Faults;
  readonly resources: readonly FsResource[];
  readonly requests: readonly RequestResource[];
  readonly commandLine: string;
  readonly category: ToolCategory;
  readonly foreseen: Readonly<Record<string, unknown>> | null;
}

/** Compiles the script of a call. */
export function readScript({ args, sandbox }: ScriptCall): ScriptRead {
  const { data, digest } = sandbox ?? { data: DEFAULT_SANDBOX, digest: null };
  const tool = scriptTool(sandboxFrom(data), digest);
  return {
    faults: tool.faults?.(args) ?? [],
    resources: tool.resources(args),
    requests: tool.requests?.(args) ?? [],
    commandLine: tool.commandLine?.(args) ?? '',
    category: tool.categoryOf?.(args) ?? 'write',
    foreseen: tool.foresees?.(args) ?? null,
  };
}

/** Matches the values of a call. They MUST fit their schemas. */
export const readDeclared = ({ args, cli, parameters }: DeclaredCall): Faults => cliFaults(parameters, cli)(args);

/** Arguments of a call, and the schema of a tenant that they must fit. */
export interface SchemaCall {
  readonly args: Args;
  readonly parameters: JsonSchemaText;
  /** a function of the tenant, whose arguments have a bound of their own; else a tool of an MCP server */
  readonly isFunction: boolean;
  /** whether the arguments of a tool of an MCP server may have answers to it */
  readonly mayAsk: boolean;
  /** the name of a tool of an MCP server there */
  readonly remoteName: string;
}

/** Checks the arguments of a call against the schema that somebody outside of Writ wrote. */
export const readBySchema = ({ args, isFunction, ...tool }: SchemaCall): Faults =>
  isFunction ? functionArgumentFaults(tool.parameters, args) : mcpArgumentFaults(tool, args);

/** Checks the arguments of a call of an HTTP tool by the schema that a tenant wrote, and by the request. */
export const readHttp = ({ args, ...about }: HttpArguments & { readonly args: Args }): Faults =>
  httpArgumentFaults(about, args);

/** The definition with precomputed results for one call. */
export function withScriptRead(tool: ToolDefinition, read: ScriptRead): ToolDefinition {
  return {
    ...tool,
    faults: () => read.faults,
    resources: () => read.resources,
    requests: () => read.requests,
    commandLine: () => read.commandLine,
    categoryOf: () => read.category,
    foresees: () => read.foreseen,
  };
}
