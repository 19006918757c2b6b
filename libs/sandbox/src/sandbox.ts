// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { FileState, UsageCounter } from '@writ/contract';

/** The labels that a sandbox can have. Each adapter takes all of them; the chart's admission policy allows no other. */
export const SANDBOX_LABELS = ['writ.operation', 'writ.resource'] as const;
export type SandboxLabels = Readonly<Partial<Record<(typeof SANDBOX_LABELS)[number], string>>>;

/** A regular file; `sha256` may give the hash of `bytes` where the caller has it, which avoids hashing them again. */
export interface SandboxFile {
  readonly path: string;
  readonly kind: 'file';
  readonly mode: '644' | '755';
  readonly bytes: Uint8Array;
  readonly sha256?: string;
}

/** A directory. Parents of other entries need not be listed. */
export interface SandboxDirectory {
  readonly path: string;
  readonly kind: 'dir';
  readonly mode: null;
}

/** A symbolic link; its target is a text of the job and is never followed outside the container. */
export interface SandboxSymlink {
  readonly path: string;
  readonly kind: 'symlink';
  readonly mode: null;
  readonly target: string;
}

export type SandboxEntry = SandboxFile | SandboxDirectory | SandboxSymlink;

/** The new state of one path. */
export type SandboxPatch = SandboxEntry | { readonly path: string; readonly kind: 'gone' };

/** The files that a container holds before the job runs, by path. */
export interface PresentFiles {
  paths(): Iterable<string>;
  at(path: string): FileState | null;
}

/**
 * Identifies jobs that follow each other with nearly the same files. A container may wait for the next of them with the
 * files of the last one. Jobs that may not see these files MUST have another kin.
 */
export interface SandboxKin {
  readonly name: string;
  /**
   * The patches that turn the files in the container into those of this job. Deletions come first, the deepest first,
   * then directories before their contents. Every present entry that isn't the job's MUST be patched.
   */
  patches(present: PresentFiles): Iterable<SandboxPatch> | AsyncIterable<SandboxPatch>;
}

/** A job that is likely to come. */
export interface ExpectedJob extends Pick<SandboxJob, 'image' | 'limits'> {
  readonly kin: string;
  /** called at most once, and later */
  files(): Iterable<SandboxEntry> | AsyncIterable<SandboxEntry>;
}

/**
 * Limits of one job. The first four size the container; time is measured outside it, and the others apply to the data
 * that leaves it.
 */
export interface SandboxLimits {
  readonly memoryBytes: number;
  /** processors, fractions allowed */
  readonly cpus: number;
  /** processes and threads */
  readonly pids: number;
  /** of the workspace, and the same again for `/tmp` */
  readonly tmpfsBytes: number;
  /** from the job's start to the exit of its command */
  readonly wallMs: number;
  /** the longest pause between two outputs of its command, until its output is cut; absent: `wallMs` */
  readonly idleMs?: number;
  /**
   * of all its processors together, in the same period; a job above the limit has no effect, even if it has just ended
   * by itself
   */
  readonly cpuMs: number;
  /** stdout and stderr together, as shown in a result; bytes beyond are counted */
  readonly outputBytes: number;
  /**
   * the same for `tap`; bytes beyond are dropped in the container. Absent, or less than `outputBytes`: as many as are
   * shown
   */
  readonly tapBytes?: number;
  /** contents of changed files */
  readonly deltaBytes: number;
  /** changed entries */
  readonly deltaFiles: number;
}

/**
 * The job's only egress: it has a proxy on its loopback, and each connection to that is passed on here unchanged. Its
 * bytes come from the job; `serve` decides what leaves. A connection ends with the job.
 */
export interface SandboxEgress {
  /** MUST NOT throw, and MUST read from the connection; a connection that isn't read blocks no other. */
  serve(connection: Duplex): void;
}

/**
 * The standard input and output of a job that speaks with its caller while it runs, as one connection. Its bytes come
 * from the job. It is opened once, before the job starts, and ends with the job.
 */
export interface SandboxStdio {
  /** MUST NOT throw. What isn't read makes the job wait as at a full pipe. */
  serve(connection: Duplex, job: RunningJob): void;
}

/** What a container used since its job began; zeros where it is unknown. */
export type ContainerUsage = Pick<SandboxUsage, 'cpuMs' | 'memoryPeakBytes' | 'countedBy' | 'isAssumed'>;

/** A job that speaks with its caller, as the caller can measure and stop it meanwhile. */
export interface RunningJob {
  /** What its container used until now. Never rejects. */
  usage(): Promise<ContainerUsage>;
  /**
   * Stops all its processes until `thaw`. Resolves with whether it did: false where the engine can't, and then they
   * run on. Rejects where the engine failed; then it is unknown whether they run.
   */
  freeze(): Promise<boolean>;
  /** Lets its processes go on. Rejects as `freeze` does. MUST be called only after `freeze` resolved with true. */
  thaw(): Promise<void>;
}

/** A user of a container. Neither id is 0. */
export interface SandboxUser {
  readonly uid: number;
  readonly gid: number;
}

export interface SandboxJob {
  /** an image's reference or id, in the form of the adapter's engine */
  readonly image: string;
  readonly files: Iterable<SandboxEntry> | AsyncIterable<SandboxEntry>;
  /** run by `/bin/bash -c`; empty where there is an `argv` */
  readonly command: string;
  /** a program and its arguments, run without a shell, with the safe default variables and those of `env` only */
  readonly argv?: readonly string[];
  /** the ids of the user that runs it, never root; absent: the user of sandboxes */
  readonly user?: SandboxUser;
  /** a directory of the workspace; `''` is the workspace itself */
  readonly cwd: string;
  /** at most 4 MiB; absent: an empty stream */
  readonly stdin?: Uint8Array;
  /**
   * in place of `stdin`: the job's input and output are a connection, and its result has only the last bytes of its
   * error stream
   */
  readonly stdio?: SandboxStdio;
  /** added to the few variables that every job has */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** shown to operators beside the container; never visible to the job */
  readonly labels: SandboxLabels;
  /** absent: all its files are sent each time */
  readonly kin?: SandboxKin;
  /** absent: there is no proxy, and nothing leaves */
  readonly egress?: SandboxEgress;
  /**
   * Receives output as it is produced, within `heardBytes`. MUST NOT throw. While a returned promise is pending, the
   * container waits as at a full pipe, on the job's own time; the promise MUST NOT reject.
   */
  readonly tap?: (output: SandboxOutput) => void | Promise<void>;
}

/**
 * How a job ended. `invalid`: the output is no valid effect (special files, names that aren't UTF-8, a broken stream).
 * `lost`: the container or its engine went away, without our decision; what ran is unknown.
 */
export type SandboxEnd = 'exited' | 'timeout' | 'killed' | 'limit' | 'invalid' | 'lost';

/** Why a job ended otherwise than by a simple exit; a closed list, usable as a metric's label. */
export type SandboxReason =
  | 'wall'
  | 'idle'
  | 'cpu'
  | 'aborted'
  | 'memory'
  | 'delta_bytes'
  | 'delta_files'
  | 'workspace_space'
  | 'entry_special'
  | 'entry_unreadable'
  | 'entry_name'
  | 'protocol'
  | 'shell'
  | 'engine'
  | 'container';

export interface SandboxOutput {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/** The entry at a path after the job. */
export type SandboxAfter =
  | { readonly kind: 'file'; readonly mode: '644' | '755'; readonly bytes: Uint8Array }
  | { readonly kind: 'symlink'; readonly mode: null; readonly target: string }
  | { readonly kind: 'dir'; readonly mode: null };

/**
 * One entry that differs, directories included: a new `a/b` without an earlier `a` is a change of both. `before` is the
 * entry that was sent in, from the adapter and not from the job; null for a new path.
 */
export interface SandboxChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: SandboxAfter | null;
}

/** The usage of a job; 0 where it is unknown. */
export interface SandboxUsage {
  /**
   * The source of `cpuMs` and `memoryPeakBytes`. `host`: the engine or its host's kernel, from outside the container.
   * `agent`: the agent, which the job can manipulate, capped at what the container's limits permit in its time. Absent:
   * there is no measurement.
   */
  readonly countedBy?: UsageCounter;
  /** nobody counted: `cpuMs` is the time of all processors of the container since its job began */
  readonly isAssumed?: true;
  /** from the first byte sent to the job's container to its end */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** as produced, bytes beyond the limit included */
  readonly outputBytes: number;
  /** of all output, lines beyond the limit included; null or absent where nobody counted them */
  readonly outputLines?: number | null;
}

export interface SandboxResult {
  readonly ended: SandboxEnd;
  /** null when the command exited */
  readonly reason: SandboxReason | null;
  /** for operators and the caller: lower case, no secrets; null when there is nothing to add */
  readonly detail: string | null;
  readonly exitCode: number | null;
  /** the name of the signal that ended the command, for example `SIGSEGV` */
  readonly signal: string | null;
  /** in the order of arrival; neighbours of one stream are joined */
  readonly output: readonly SandboxOutput[];
  /** bytes that were produced and aren't in `output` */
  readonly truncatedBytes: number;
  /** those of them that the tap did not get either */
  readonly untappedBytes: number;
  /** sorted by the bytes of the path, each path once; empty unless `ended` is `exited` */
  readonly changes: readonly SandboxChange[];
  readonly usage: SandboxUsage;
  /** no container could be started, so nothing of the job has run; `ended` is `lost` then */
  readonly isUnstarted?: true;
}

/**
 * Runs commands on a workspace, each in a container that is used once.
 *
 * In a result, only `before`, `usage` and `ended` can be trusted. Everything else comes from the job and grants
 * nothing.
 *
 * Implementations MUST give the job no network but `egress`, no privilege and no access to another job. They MUST bound
 * their buffers by the job's limits. They MUST NOT let one job's output fail or stall another job. When `run` settles
 * they MUST kill all remaining processes of the job, and nothing that these do then reaches the result.
 *
 * `run` MUST resolve whatever the job does: it rejects only for an invalid job. Callers MUST NOT treat `changes` as
 * permitted because they are well-formed, and MUST treat `lost` as "may have run".
 */
export abstract class Sandbox {
  /**
   * Runs one job. Aborting the signal kills it: `ended` is then `killed`. Rejects with `SandboxJobError` for an invalid
   * job.
   */
  abstract run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult>;
  /**
   * Announces a job that is likely to come. Implementations MAY prepare its files in a waiting container. This is a
   * hint, so nothing fails because of it.
   */
  expect(_prospect: ExpectedJob): void {
    // This sandbox keeps no waiting containers.
  }

  /**
   * Kills running jobs, removes waiting containers, and resolves when nothing of this sandbox is left. A later `run`
   * returns `killed`.
   */
  abstract close(): Promise<void>;
}

/** Where connections out of a job's container lead: the first is that of its `stdio`. Undefined: there can be none. */
export function connectionsOf(
  { stdio, egress }: Pick<SandboxJob, 'stdio' | 'egress'>,
  job: RunningJob,
): SandboxEgress | undefined {
  if (stdio === undefined) return egress;
  let isFirst = true;
  return {
    serve: (connection) => {
      const isStdio = isFirst;
      isFirst = false;
      if (isStdio) stdio.serve(connection, job);
      else if (egress === undefined) connection.destroy();
      else egress.serve(connection);
    },
  };
}

/** The most bytes of output that the tap gets of a job. */
export function tapBytesOf({ outputBytes, tapBytes = 0 }: Pick<SandboxLimits, 'outputBytes' | 'tapBytes'>): number {
  return Math.max(outputBytes, tapBytes);
}

/** A job that no container could run as specified: a defect of the caller, found before anything started. */
export class SandboxJobError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SandboxJobError';
  }
}
