// SPDX-License-Identifier: Apache-2.0
import type {
  AnnouncedRequests,
  AskedFor,
  CallLimits,
  CliCommand,
  Delta,
  EgressRequest,
  EndedBy,
  ExecutionProfile,
  FsRoot,
  Grant,
  OutputRefs,
  PermitMode,
  ReportReply,
  SearchProvider,
  SessionTasks,
  SkillAtHand,
  ShellAttachReply,
  ShellEnding,
  ToolClass,
  Usage,
} from '@writ/contract';
import type { SandboxData } from '@writ/mk8-shell';
import type { ContentSeal } from '@writ/sealing';
import type { Values } from '../redaction/redactor.ts';
import type { CallWork } from '../foundation/call-work.ts';
import type { ExecutorTasks } from './worker-tasks.ts';

/** A redeemed call, its arguments proven to be those of the permit. */
export interface Call {
  readonly tenantId: string;
  readonly operationId: string;
  readonly attempt: number;
  readonly toolId: string;
  /** of a tool that runs one program; null for all others */
  readonly cli: CliCommand | null;
  /** of a search, what answers it; null for all others */
  readonly provider: SearchProvider | null;
  readonly workspaceId: string;
  /** `sha256:…` of the image that it runs in, as its permit orders; null for a call that needs none */
  readonly imageDigest: string | null;
  readonly args: Readonly<Record<string, unknown>>;
  /** hex SHA-256 of the root node of the snapshot that the call runs on */
  readonly root: string;
  /** the roots of each token of the chain: a path is reachable when every one of them reaches it */
  readonly fs: readonly (readonly FsRoot[])[];
  /**
   * the hosts of each token of the chain: a request may leave when every one of them grants it; none for a call that
   * may send nothing
   */
  readonly net: readonly Grant['net'][];
  readonly limits: CallLimits;
  /** the registered sandbox that its script runs in; absent for what is shipped, and for whatever is no script */
  readonly sandbox?: SandboxData;
  /** what its raw command runs under; absent for whatever is none */
  readonly profile?: ExecutionProfile;
  /** values that the call may see, by name */
  readonly secrets: Readonly<Record<string, string>>;
  /** variables that its command finds; none unless set */
  readonly env?: Readonly<Record<string, string>>;
  /** a program of the image's own that is run in place of a command, its arguments as they stand; none unless set */
  readonly program?: readonly string[];
  /** what must not be told of it; nothing unless set */
  readonly values?: Values;
  /** what its long contents are sealed under before they are stored; absent: they are stored as they are */
  readonly seal?: ContentSeal;
  /** the tasks of its session; absent for a tool that doesn't work on them */
  readonly tasks?: SessionTasks;
  /** the skill that its call names; absent for a tool that reads none */
  readonly skill?: SkillAtHand;
  /** tree nodes that came with the call, by the hash that they have */
  readonly nodes: ReadonlyMap<string, Uint8Array>;
}

/** The image that a call's container is made of: named by its digest, so that the engine starts that one or none. */
export function imageOf({ imageDigest, toolId }: Pick<Call, 'imageDigest' | 'toolId'>): string {
  if (imageDigest === null)
    throw new Error(`a call of \`${toolId}\` runs in a container, and its permit names no image`);
  return imageDigest;
}

/** What a call did, staged: nothing of the workspace has changed. `blobs` are to be stored before it is reported. */
export interface Staged {
  readonly ended: EndedBy;
  readonly exitCode: number | null;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null } | null;
  readonly delta: Delta | null;
  readonly blobs: readonly Uint8Array[];
  readonly result: unknown;
  readonly usage: Usage;
  /** the full output of which the result shows the beginning, redacted and stored; absent where nothing is cut */
  readonly outputRefs?: OutputRefs;
  /** everything that asked to leave; absent where nothing can */
  readonly requests?: readonly EgressRequest[];
  /**
   * Called once with what became of it; null where that isn't known, since the attempt was fenced or its report failed.
   */
  readonly settle?: (reply: ReportReply | null) => Promise<void>;
}

export interface RunContext {
  /**
   * aborts when the lease is lost, the call was cancelled or its token revoked: what runs must be dead when `run`
   * settles
   */
  readonly signal: AbortSignal;
  /** worker threads, for work whose cost the call's input decides */
  readonly work: CallWork<ExecutorTasks>;
  /**
   * Announces an external effect, with lines of the list of requests, and waits for the kernel's answer. MUST be
   * awaited before each request other than GET, HEAD or OPTIONS leaves; from the first on the call is never retried.
   * Rejects when the attempt is fenced: the request MUST NOT leave then. In a preview it always rejects, with
   * `tool.not_available`, and the run goes on without.
   */
  readonly announceEffectStarted: (announced: AnnouncedRequests | null) => Promise<void>;
  readonly mode: PermitMode;
  /**
   * Asks the kernel whether the call may go on, now, and has it keep lines of the list of requests. Rejects when it has
   * to stop, and when nobody answers within a second.
   */
  readonly confirmStanding: (announced: AnnouncedRequests | null) => Promise<void>;
  /** Notes what a preview would have sent or needed, for whoever is to approve it; `egress` unless said. */
  readonly askedFor: (what: string, kind?: AskedFor['kind']) => void;
  /**
   * Asks where the shell of the call's session is; where there is none and one may be opened, it is to be opened here
   * under this id.
   */
  readonly attachShell: (opens: boolean, shellId: string) => Promise<ShellAttachReply>;
  /** Says that a shell of this executor is no more. */
  readonly endShell: (shellId: string, ending: ShellEnding) => Promise<void>;
}

/**
 * Runs the calls of one class of tools. Implementations MUST resolve whatever the call does, with an `ended` that says
 * how; a rejection is a fault of ours and ends the attempt without a report, so that the kernel's lease decides.
 */
export abstract class Runner {
  abstract readonly toolClass: ToolClass;
  /** the one tool that it runs; null: every tool of the class that no other runner is for */
  readonly toolId: string | null = null;
  abstract run(call: Call, context: RunContext): Promise<Staged>;
}
