// SPDX-License-Identifier: Apache-2.0
import { Type, type TObject } from 'typebox';
import type { CliCommand, CliParameter } from './cli-tool.ts';
import type { FunctionTool, HttpTool, JsonSchemaText, McpTool } from './declared-tool.ts';
import { LIMITS } from '../limits.ts';
import type { CallLane } from '../permit.ts';
import type { BoundResource, ResourceKind, ResourceReference } from '../resources/resource-kinds.ts';

/** `read` changes nothing; `write` changes the workspace; `admin` can do harm beyond it. */
export type ToolCategory = 'read' | 'write' | 'admin';
/**
 * Where a call runs: in the virtual file system, in a disposable container, externally behind the egress gate, or in a
 * process of the tenant that Writ doesn't contain.
 */
export type ToolClass = 'inline' | 'sandboxed' | 'broker' | 'function';

/** A resource in a call's arguments. A command's resources can't be known, so its effect is checked instead. */
export interface FsResource {
  readonly kind: 'fs';
  readonly access: 'read' | 'write';
  /** as the caller wrote it; the workspace library parses it */
  readonly path: string;
}

/** A request in a call's arguments; the egress library parses the URL. */
export interface RequestResource {
  readonly method: string;
  /** as the caller wrote it */
  readonly url: string;
  /** its purpose, as the caller states it; empty without one */
  readonly purpose: string;
}

/** Limits on one call; each is enforced where it is used and settled to actual use. */
export interface ToolLimits {
  readonly wall_ms: number;
  readonly cpu_ms: number;
  readonly memory_bytes: number;
  readonly pids: number;
  readonly disk_write_bytes: number;
  readonly output_bytes: number;
  /** bytes sent and received externally, together; absent: none may be sent */
  readonly egress_bytes?: number;
  /** requests and tunnels, including refused ones */
  readonly egress_requests?: number;
}

/**
 * The label that a call's output adds to its session, and to its workspace if the tool writes. Policy sees it from then
 * on.
 */
export interface OutputLabel {
  readonly label: 'untrusted_content' | 'secret_read' | 'private_data';
  /** every call of the tool; or only calls whose arguments name files of secrets or credentials */
  readonly when: 'always' | 'reads_secrets';
}

/** The part of an HTTP tool that determines its request. */
export type HttpOperation = Pick<
  HttpTool,
  'method' | 'server' | 'path' | 'inputs' | 'body' | 'credentials' | 'idempotency_header'
> & {
  /** whether the request changes nothing at the server, whatever its method: its category is `read` */
  readonly is_safe: boolean;
};

/** The part of a tool of an MCP server that determines what its call asks of the server. */
export type McpOperation = Pick<McpTool, 'server' | 'server_digest' | 'remote_name' | 'remote_digest' | 'asks'> & {
  /** whether an administrator accepted it as one that only reads: its category is `read` */
  readonly is_safe: boolean;
  /** the schema of `structured` in a result that is no error; null: the server declared none */
  readonly output: JsonSchemaText | null;
};

/** A host that a program may reach, and the methods that may go there: a part of a grant. */
export interface Outlet {
  readonly domain: string;
  readonly methods: readonly string[];
}

/** A tool as data: validation, prompts, OpenAPI and the docs are generated from it. */
export interface ToolDefinition {
  readonly tool_id: string;
  readonly version: number;
  readonly description: string;
  readonly parameters: TObject;
  readonly result: TObject;
  readonly category: ToolCategory;
  readonly class: ToolClass;
  /** The lane in which its calls run, where they take longer than others of their class. Absent: that of the class. */
  readonly lane?: CallLane;
  /**
   * Runs in a shell that outlives the call. It is sent to the executor with that shell and has no preview, and its exit
   * status is only reported. False if absent.
   */
  readonly session?: true;
  readonly mutating: boolean;
  /**
   * What it changes lies outside of the workspace, in what is kept for the tenant: resources, tasks, agents, tokens,
   * information stores. The arguments say all of it, and the change is made as the call commits. So a held call has no
   * preview: nothing of it could be staged, and the approval is for the arguments. False if absent.
   */
  readonly changes_records?: true;
  readonly accepts_secrets: readonly string[];
  readonly labels: readonly OutputLabel[];
  readonly limits: ToolLimits;
  /** Total and pure; called only with arguments that match `parameters`. */
  readonly resources: (args: Readonly<Record<string, unknown>>) => readonly FsResource[];
  /**
   * The network requests in the arguments; total and pure. Absent for tools without requests in their arguments:
   * whether a command sends one can't be known.
   */
  readonly requests?: (args: Readonly<Record<string, unknown>>) => readonly RequestResource[];
  /**
   * For a tool that runs one program with a list of arguments, without a shell; part of its digest. Absent for other
   * tools.
   */
  readonly cli?: CliCommand;
  /** For an operation of an HTTP API: what its one request is made of; part of its digest. Absent for other tools. */
  readonly http?: HttpOperation;
  /** For a tool of an MCP server: what is asked of the server; part of its digest. Absent for other tools. */
  readonly mcp?: McpOperation;
  /**
   * The command of a call in bash syntax: for assessing it, never for running it. Total and pure; absent if an argument
   * has the command, or there is none.
   */
  readonly commandLine?: (args: Readonly<Record<string, unknown>>) => string;
  /** Its calls run a program in a container of an image, although their class is another. False if absent. */
  readonly in_container?: true;
  /**
   * The hosts that such a program may reach, beside what the token grants: policy judges them, since no argument says
   * which of them it will reach. Absent: none.
   */
  readonly outlets?: readonly Outlet[];
  /**
   * The minimum category of a call by its arguments, if some calls of a writing tool only read. Total and pure; absent:
   * none.
   */
  readonly categoryOf?: (args: Readonly<Record<string, unknown>>) => ToolCategory;
  /**
   * The schema for validating arguments, if `parameters` has parts that a validator must not receive: patterns that a
   * tenant wrote, which `faults` matches.
   */
  readonly shape?: TObject;
  /**
   * Hex digest of the registered sandbox for its scripts; part of its digest. Absent: the shipped one, or it runs no
   * scripts.
   */
  readonly sandbox?: string;
  /**
   * The kind of registered resources without which the tool is of no use: it is offered only to agents that are granted
   * one. Absent: it is of use without any.
   */
  readonly needs?: ResourceKind;
  /**
   * The registered resources that the arguments name; at most `CALL_RESOURCES_MAX`. The kernel finds each one that the
   * agent is granted before it judges the call, and refuses the call if one is missing. Total and pure; absent: none.
   */
  readonly targets?: (args: Readonly<Record<string, unknown>>) => readonly ResourceReference[];
  /**
   * The definition for a call on such resources, in the order of `targets`: requests and labels can depend on their
   * settings. Total and pure; absent: the definition is the same for all.
   */
  readonly bind?: (resources: readonly BoundResource[]) => ToolDefinition;
  /**
   * Its requests go only to a service that keeps the tenant's own data, at the address that an administrator set, and
   * they write nothing there. Risk then counts no act of speaking to another machine. False if absent.
   */
  readonly own_service?: true;
  /**
   * The people to whom a call addresses a message: how many, and the addresses outside of the sender's domain. Total
   * and pure; absent: it addresses nobody.
   */
  readonly addressees?: (args: Readonly<Record<string, unknown>>) => {
    readonly count: number;
    readonly outside: readonly string[];
  };
  /** The resources of a bound definition; part of its digest: a call runs with the settings that it was decided on. */
  readonly bound?: readonly BoundResource[];
  /**
   * INVARIANT (a person sees it first): no policy, list or earlier approval lets a call run that no person was asked
   * about. Absent: policy decides.
   */
  readonly supervised?: true;
  /** Hex digest of its execution profile; part of its digest. Absent: it needs none, or names none. */
  readonly profile?: string;
  /**
   * What a call would do, as far as its arguments show: the result of a dry run, JSON of at most `resultInlineBytes`.
   * Total and pure; null for nothing, absent: a dry run has no result.
   */
  readonly foresees?: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | null;
  /**
   * For a tool that a tenant declared by JSON Schemas: those schemas. Only `libs/json-schema` interprets them; no
   * schema of a tenant is compiled.
   */
  readonly schemas?: { readonly parameters: JsonSchemaText; readonly result: JsonSchemaText | null };
  /** For a tool that a process of the tenant runs: who runs it; part of its digest. */
  readonly function?: Pick<FunctionTool, 'mode' | 'idempotent'>;
  /**
   * For a program of a tenant: its parameters, and the estimated steps of `faults` for such arguments. For
   * servers that must not run `faults` on a shared thread.
   */
  readonly program?: {
    readonly parameters: Readonly<Record<string, CliParameter>>;
    readonly steps: (args: Readonly<Record<string, unknown>>) => number;
  };
  /** The problems of arguments that match `parameters`. Total and pure; absent: there can be none. */
  readonly faults?: (
    args: Readonly<Record<string, unknown>>,
  ) => readonly { readonly pointer: string; readonly message: string }[];
}

/** Answers whether calls of the tool run in a container, so that they are bound to its image. */
export const runsInContainer = (tool: Pick<ToolDefinition, 'class' | 'in_container'>): boolean =>
  tool.class === 'sandboxed' || tool.in_container === true;

/** For tools whose result has contents of files. */
export const READS_SECRETS_LABELS: readonly OutputLabel[] = [{ label: 'secret_read', when: 'reads_secrets' }];

const MIB = 1024 * 1024;
/** Inline tools run in the executor itself: they are short, and limited to the needs of one file operation. */
export const INLINE_LIMITS: ToolLimits = {
  wall_ms: 10_000,
  cpu_ms: 10_000,
  memory_bytes: 256 * MIB,
  pids: 0,
  disk_write_bytes: 64 * MIB,
  output_bytes: 200_000,
};
/** The time of a command whose call, tool or profile states none, in milliseconds. */
export const COMMAND_MS_DEFAULT = 120_000;
/** The shortest time that a call may state: less doesn't start a command. */
export const COMMAND_MS_MIN = 100;
/** A container's limits: enough for the test suite of an ordinary repository, two at a time on a small machine. */
export const SANDBOX_LIMITS: ToolLimits = {
  wall_ms: COMMAND_MS_DEFAULT,
  cpu_ms: 240_000,
  memory_bytes: 1024 * MIB,
  pids: 256,
  disk_write_bytes: 256 * MIB,
  output_bytes: 200_000,
  egress_bytes: 256 * MIB,
  egress_requests: 512,
};
/**
 * One request and its response, or a page and the redirects before it; the body is several times what a model can read.
 */
export const EGRESS_LIMITS: ToolLimits = {
  wall_ms: 60_000,
  cpu_ms: 10_000,
  memory_bytes: 256 * MIB,
  pids: 0,
  disk_write_bytes: 0,
  output_bytes: 200_000,
  egress_bytes: 16 * MIB,
  egress_requests: 8,
};

/** The argument by which a call states how long its command may take; the kernel decides whether it may. */
export const timeArgument = (defaultText: string) =>
  Type.Optional(
    Type.Integer({
      minimum: COMMAND_MS_MIN,
      maximum: LIMITS.commandMs.max,
      description: `${defaultText} by default; the tenant's settings and the token bound it`,
    }),
  );
