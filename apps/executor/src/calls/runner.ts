// SPDX-License-Identifier: Apache-2.0
import type {
  AnnouncedRequests,
  UnmetNeed,
  BoundResource,
  CallLimits,
  CliCommand,
  AgentState,
  ContainerState,
  Delta,
  EgressRequest,
  EndedBy,
  ExecutionProfile,
  Grant,
  HttpOperation,
  ImageSource,
  McpOperation,
  OutputRefs,
  PermitMode,
  ReportReply,
  ReportRequest,
  ScopeRoot,
  SessionTasks,
  SkillForCall,
  SkillLine,
  ShellAttachReply,
  ShellEnding,
  ToolClass,
  Usage,
} from '@writ/contract';
import type { SandboxData } from '@writ/mk8-shell';
import type { ResolvedUser } from '@writ/sandbox/images';
import type { ContentSeal } from '@writ/sealing';
import type { SecretValues } from '../redaction/redactor.ts';
import type { CallWork } from '../foundation/call-work.ts';
import type { ExecutorTasks } from './worker-tasks.ts';

/** A redeemed call, its arguments proven to be those of the permit. */
export interface Call {
  readonly tenantId: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly toolId: string;
  /** the program of a tool that runs one; null for all other tools */
  readonly cli: CliCommand | null;
  /** the request of an HTTP tool; absent for all other tools */
  readonly http?: HttpOperation;
  /** what a tool of an MCP server asks of it, whose resource is the first; absent for all other tools */
  readonly mcp?: McpOperation;
  /** the registered resources that its arguments name, in their order */
  readonly resources: readonly BoundResource[];
  readonly workspaceId: string;
  /**
   * for whom it acts: its token, and a person by a pseudonym, or an API key; and the session whose labels count for it,
   * and its workspace. Absent: not all of it is known, so nothing is kept for later calls
   */
  readonly actsFor?: {
    readonly token: string;
    readonly principal: string;
    readonly labelScope: string;
    readonly workspace: string;
  };
  /** `sha256:…` of the image that its permit orders; null for a call that needs none */
  readonly imageDigest: string | null;
  readonly args: Readonly<Record<string, unknown>>;
  /** hex SHA-256 of the root node of the snapshot that the call runs on */
  readonly root: string;
  /**
   * the roots of each token of the chain, then those of the tenant's settings: a path is reachable when every one of
   * them reaches it
   */
  readonly fs: readonly (readonly ScopeRoot[])[];
  /**
   * the hosts of each token of the chain: a request may leave when every token grants it; empty for a call that may
   * send nothing
   */
  readonly net: readonly Grant['net'][];
  readonly limits: CallLimits;
  /** the registered sandbox of its script; absent for the shipped sandbox and for other tools */
  readonly sandbox?: SandboxData;
  /** the execution profile of its raw command; absent for other tools */
  readonly profile?: ExecutionProfile;
  /** the tenant's image that it runs in; absent: an image of the deployment */
  readonly registeredImage?: ImageSource;
  /** the user that its command runs as; absent: the user of sandboxes */
  readonly user?: ResolvedUser;
  /** values that the call may see, by name */
  readonly secrets: Readonly<Record<string, string>>;
  /** secrets that the settings of its resources name, by name; never a value that its arguments can name */
  readonly resourceSecrets: Readonly<Record<string, string>>;
  /** environment variables of its command; none unless set */
  readonly env?: Readonly<Record<string, string>>;
  /** a program of the image that runs in place of a command, with its arguments; none unless set */
  readonly program?: readonly string[];
  /** secret values to redact from what it reports; none unless set */
  readonly values?: SecretValues;
  /** JSON pointers to what is redacted of its result; absent: nothing */
  readonly redact?: readonly string[];
  /** the seal for its long contents; absent: they are stored unsealed */
  readonly seal?: ContentSeal;
  /** the key of the recordings of the audio device that it names; absent for other calls, and in a preview */
  readonly audioKey?: Buffer;
  /** what is known of the container that it names; absent for other tools */
  readonly container?: ContainerState;
  /** what is known of the agent that it names; absent for other tools */
  readonly agent?: AgentState;
  /** the tasks of its session; absent for a tool that doesn't work on them */
  readonly tasks?: SessionTasks;
  /** the skill that its call names; absent for a tool that reads none */
  readonly skill?: SkillForCall;
  /** the tenant's skills, for a script that may list them; absent where there are none */
  readonly skills?: readonly SkillLine[];
  /** tree nodes that came with the call, by their own hashes */
  readonly nodes: ReadonlyMap<string, Uint8Array>;
}

/** The image of a call's container. A digest names it, so that the engine starts exactly this image or none. */
export function imageOf({ imageDigest, toolId }: Pick<Call, 'imageDigest' | 'toolId'>): string {
  if (imageDigest === null)
    throw new Error(`a call of \`${toolId}\` runs in a container, and its permit names no image`);
  return imageDigest;
}

/** The staged effect of a call: nothing of the workspace has changed. `blobs` are to be stored before the report. */
export interface Staged {
  readonly ended: EndedBy;
  readonly exitCode: number | null;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
  readonly delta: Delta | null;
  readonly blobs: readonly Uint8Array[];
  readonly result: unknown;
  readonly usage: Usage;
  /** the full output, redacted and stored, of which the result shows the beginning; absent where nothing is cut */
  readonly outputRefs?: OutputRefs;
  /** every outbound request; absent where the tool can't send any */
  readonly requests?: readonly EgressRequest[];
  /** the change of an information store that waits to be published; absent where there is none */
  readonly storeChange?: NonNullable<ReportRequest['store_change']>;
  /**
   * Called once with the kernel's reply; null where the outcome is unknown, because the attempt was fenced, its report
   * failed, or nothing of it was reported. Whoever gets a staged effect MUST call it, also after an error.
   */
  readonly settle?: (reply: ReportReply | null) => Promise<void>;
}

export interface RunContext {
  /**
   * aborts when the lease is lost, the call was cancelled or its token revoked: every process of the call must be dead
   * when `run` settles
   */
  readonly signal: AbortSignal;
  /** worker threads, for work whose cost the call's input decides */
  readonly work: CallWork<ExecutorTasks>;
  /**
   * Announces an external effect, with lines of the list of requests, and waits for the kernel's answer. Callers MUST
   * await it before each request other than GET, HEAD or OPTIONS leaves. After the first such request, the call is
   * never retried. Rejects when the attempt is fenced: the request MUST NOT leave then. In a preview it always rejects
   * with `tool.not_available`, and the run continues without the effect.
   */
  readonly announceEffectStarted: (announced: AnnouncedRequests | null) => Promise<void>;
  readonly mode: PermitMode;
  /**
   * Asks the kernel whether the call may continue, and sends it lines of the list of requests. Rejects when the call
   * has to stop, and when no answer arrives within a second.
   */
  readonly confirmMayContinue: (announced: AnnouncedRequests | null) => Promise<void>;
  /**
   * Records what a preview would have sent or needed, for the person who decides on the call; the kind is `egress` by
   * default.
   */
  readonly recordNeed: (what: string, kind?: UnmetNeed['kind']) => void;
  /**
   * Asks the kernel which executor has the shell of the call's session. If there is none and one may be opened, this
   * executor opens it under the given id.
   */
  readonly attachShell: (opens: boolean, shellId: string) => Promise<ShellAttachReply>;
  /** Reports to the kernel that a shell of this executor has ended. */
  readonly endShell: (shellId: string, ending: ShellEnding) => Promise<void>;
}

/**
 * Runs the calls of one class of tools. Implementations MUST resolve whatever the call does, and `ended` tells how it
 * ended. A rejection is a fault of the executor: the attempt ends without a report, and the kernel waits for its lease
 * to expire.
 */
export abstract class Runner {
  abstract readonly toolClass: ToolClass;
  /** the one tool that it runs; null: every tool of the class without its own runner */
  readonly toolId: string | null = null;
  abstract run(call: Call, context: RunContext): Promise<Staged>;
}
