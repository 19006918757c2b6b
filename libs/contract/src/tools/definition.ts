// SPDX-License-Identifier: Apache-2.0
import type { TObject } from 'typebox';
import type { CliCommand, CliParameter } from './cli-tool.ts';
import type { SearchProvider } from './search-provider.ts';

/** `read` touches nothing; `write` changes the workspace; `admin` can do harm beyond it. */
export type ToolCategory = 'read' | 'write' | 'admin';
/** Where a call runs: in the virtual file system, in a disposable container, or outside behind the egress gate. */
export type ToolClass = 'inline' | 'sandboxed' | 'broker';

/** What a call's arguments say that it touches. For a shell that can't be known: its effect is checked instead. */
export interface FsResource {
  readonly kind: 'fs';
  readonly access: 'read' | 'write';
  /** as the caller wrote it; the workspace library parses it */
  readonly path: string;
}

/** A request that a call's arguments name; the egress library reads the URL. */
export interface RequestResource {
  readonly method: string;
  /** as the caller wrote it */
  readonly url: string;
  /** what it is for, as the caller says; empty where it doesn't */
  readonly purpose: string;
}

/** Bounds on one call; each is enforced where it is spent and settled to actual use. */
export interface ToolLimits {
  readonly wall_ms: number;
  readonly cpu_ms: number;
  readonly memory_bytes: number;
  readonly pids: number;
  readonly disk_write_bytes: number;
  readonly output_bytes: number;
  /** sent and received outside, together; absent: nothing may leave */
  readonly egress_bytes?: number;
  /** requests and tunnels, refused ones included */
  readonly egress_requests?: number;
}

/**
 * What the output of a call brings into its session, and into its workspace where the tool writes: policy sees it from
 * then on.
 */
export interface OutputLabel {
  readonly label: 'untrusted_content' | 'secret_read' | 'private_data';
  /** every call of the tool; or one whose arguments say that it reads files of secrets or credentials */
  readonly when: 'always' | 'reads_secrets';
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
  /**
   * Runs in a shell that outlives the call: it goes to the executor that has it, isn't run for show, and an exit status
   * is told and decides nothing. Absent: it doesn't.
   */
  readonly session?: true;
  readonly mutating: boolean;
  readonly accepts_secrets: readonly string[];
  readonly labels: readonly OutputLabel[];
  readonly limits: ToolLimits;
  /** Total and pure; called only with arguments that fit `parameters`. */
  readonly resources: (args: Readonly<Record<string, unknown>>) => readonly FsResource[];
  /**
   * What leaves, as far as the arguments say; as total and pure. Absent for tools that name no request: whether a
   * command sends one can't be known.
   */
  readonly requests?: (args: Readonly<Record<string, unknown>>) => readonly RequestResource[];
  /**
   * Of a tool that runs one program by a list of arguments, without a shell; part of what its digest covers. Absent: it
   * doesn't.
   */
  readonly cli?: CliCommand;
  /**
   * The command that a call runs, written for bash: for whoever judges commands, never for running it. As total and
   * pure; absent: an argument says it, or there is none.
   */
  readonly commandLine?: (args: Readonly<Record<string, unknown>>) => string;
  /**
   * What the arguments make of the category at least, where they may make a call of a tool that writes one that only
   * looks. As total and pure; absent: nothing.
   */
  readonly categoryOf?: (args: Readonly<Record<string, unknown>>) => ToolCategory;
  /**
   * What arguments are checked against where `parameters` says more than a checker of schemas may be given: patterns
   * that a tenant wrote, which `faults` matches.
   */
  readonly shape?: TObject;
  /**
   * Hex digest of the registered sandbox that its scripts run in; part of what its digest covers. Absent: they run in
   * what is shipped, or it runs none.
   */
  readonly sandbox?: string;
  /** What answers its searches; part of what its digest covers. Absent: it asks none. */
  readonly provider?: SearchProvider;
  /**
   * INVARIANT (a person sees it first): no policy, list or earlier yes lets a call run that nobody was asked about.
   * Absent: policy decides.
   */
  readonly supervised?: true;
  /**
   * Hex digest of the execution profile that it runs under; part of what its digest covers. Absent: it needs none, or
   * names none.
   */
  readonly profile?: string;
  /**
   * What a call would do, as far as its arguments tell: the result of a dry run, JSON of at most `resultInlineBytes`.
   * Total and pure; null for nothing, absent: a dry run has no result.
   */
  readonly foresees?: (args: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | null;
  /**
   * Of a tool that a tenant declared: its parameters, and about how many steps `faults` takes at most for such
   * arguments. For whoever asks `faults` where others wait.
   */
  readonly declared?: {
    readonly parameters: Readonly<Record<string, CliParameter>>;
    readonly steps: (args: Readonly<Record<string, unknown>>) => number;
  };
  /** What is wrong with arguments that fit `parameters` each by itself. Total and pure; absent: nothing can be. */
  readonly faults?: (
    args: Readonly<Record<string, unknown>>,
  ) => readonly { readonly pointer: string; readonly message: string }[];
}

/** Of tools whose result holds contents of files. */
export const TELLS_SECRETS: readonly OutputLabel[] = [{ label: 'secret_read', when: 'reads_secrets' }];

const MIB = 1024 * 1024;
/** Inline tools run in the executor itself: short, and bounded by what one file operation needs. */
export const INLINE_LIMITS: ToolLimits = {
  wall_ms: 10_000,
  cpu_ms: 10_000,
  memory_bytes: 256 * MIB,
  pids: 0,
  disk_write_bytes: 64 * MIB,
  output_bytes: 200_000,
};
/** A container's limits: what a test suite of an ordinary repository needs, two at a time on a small machine. */
export const SANDBOX_LIMITS: ToolLimits = {
  wall_ms: 120_000,
  cpu_ms: 240_000,
  memory_bytes: 1024 * MIB,
  pids: 256,
  disk_write_bytes: 256 * MIB,
  output_bytes: 200_000,
  egress_bytes: 256 * MIB,
  egress_requests: 512,
};
/**
 * One request and its answer, or a page and the redirects before it; the body is what a model can read, several times
 * over.
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
