// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import type { FileState, UsageCounter } from '@writ/contract';

/** A regular file; `sha256` may name the hash of `bytes` where the caller knows it, which spares hashing them again. */
export interface SandboxFile {
  readonly path: string;
  readonly kind: 'file';
  readonly mode: '644' | '755';
  readonly bytes: Uint8Array;
  readonly sha256?: string;
}

/** A directory. Those on the way to another entry need not be named. */
export interface SandboxDirectory {
  readonly path: string;
  readonly kind: 'dir';
  readonly mode: null;
}

/** A symbolic link; its target is text of the job's and is never followed outside the container. */
export interface SandboxSymlink {
  readonly path: string;
  readonly kind: 'symlink';
  readonly mode: null;
  readonly target: string;
}

export type SandboxEntry = SandboxFile | SandboxDirectory | SandboxSymlink;

/** One entry that is to be so from now on. */
export type SandboxPatch = SandboxEntry | { readonly path: string; readonly kind: 'gone' };

/** Files that stand in a container before anything ran there, by path. */
export interface PresentFiles {
  paths(): Iterable<string>;
  at(path: string): FileState | null;
}

/**
 * What jobs have in common that come one after another with nearly the same files. A container may wait for the next of
 * them with the files of the last. Whoever may not see these files MUST have another kin.
 */
export interface SandboxKin {
  readonly name: string;
  /**
   * What makes of the files that stand there those of this job: what goes comes first, the deepest first, then
   * directories before what is in them. Whatever stands there and isn't the job's MUST be among it.
   */
  patches(standing: PresentFiles): Iterable<SandboxPatch> | AsyncIterable<SandboxPatch>;
}

/** A job that is likely to come. */
export interface SandboxProspect extends Pick<SandboxJob, 'image' | 'limits'> {
  readonly kin: string;
  /** asked for once, if at all, and later */
  files(): Iterable<SandboxEntry> | AsyncIterable<SandboxEntry>;
}

/**
 * Bounds on one job. The first four size the container; time is counted from outside it, and the others are enforced on
 * what comes out of it.
 */
export interface SandboxLimits {
  readonly memoryBytes: number;
  /** processors, fractions allowed */
  readonly cpus: number;
  /** processes and threads */
  readonly pids: number;
  /** of the workspace, and as much again for `/tmp` */
  readonly tmpfsBytes: number;
  /** from the job's start to the exit of its command */
  readonly wallMs: number;
  /** between two outputs of its command at most, until its output is cut; absent: as long as `wallMs` */
  readonly idleMs?: number;
  /**
   * of all its processors together, over the same time; a job that is found above it has no effect, even if it has just
   * ended by itself
   */
  readonly cpuMs: number;
  /** stdout and stderr together, as a result shows them; what is beyond is counted */
  readonly outputBytes: number;
  /** the same, as `tap` hears them; what is beyond is dropped in the container. Absent, or less: as much as is shown */
  readonly heardBytes?: number;
  /** contents of changed files */
  readonly deltaBytes: number;
  /** changed entries */
  readonly deltaFiles: number;
}

/**
 * The job's only way out: it finds a proxy on its loopback, and each connection to that is handed over here as it is.
 * What comes over it is the job's word; whoever serves it decides what leaves. A connection ends with the job.
 */
export interface SandboxEgress {
  /** MUST NOT throw, and MUST read what it takes: one connection that isn't read holds up no other. */
  serve(connection: Duplex): void;
}

export interface SandboxJob {
  /** an image's reference or id, as the adapter's engine understands it */
  readonly image: string;
  readonly files: Iterable<SandboxEntry> | AsyncIterable<SandboxEntry>;
  /** run by `/bin/bash -c`; empty where there is an `argv` */
  readonly command: string;
  /**
   * a program and its arguments, run as they stand by no shell, with the variables that are safe to have and those of
   * `env` and no others
   */
  readonly argv?: readonly string[];
  /** a directory of the workspace; `''` is the workspace itself */
  readonly cwd: string;
  /** at most 4 MiB; absent: an empty stream */
  readonly stdin?: Uint8Array;
  /** added to the few variables that every job has */
  readonly env: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** shown to operators beside the container; never seen by the job */
  readonly labels: Readonly<Record<string, string>>;
  /** absent: all its files are sent in, each time */
  readonly kin?: SandboxKin;
  /** absent: there is no proxy, and nothing leaves */
  readonly egress?: SandboxEgress;
  /**
   * Hears output as it comes, within `heardBytes`: for whoever looks on or keeps it. MUST NOT throw. A promise asks the
   * container to wait until it is settled, as a full pipe does, on the job's own time; it MUST NOT reject.
   */
  readonly tap?: (output: SandboxOutput) => void | Promise<void>;
}

/**
 * How a job ended. `invalid`: what came out is no effect (special files, names that aren't UTF-8, a broken stream).
 * `lost`: the container or its engine went away, through no decision of ours; nothing is known of what ran.
 */
export type SandboxEnd = 'exited' | 'timeout' | 'killed' | 'limit' | 'invalid' | 'lost';

/** Why a job that didn't simply exit ended as it did; a closed list, fit for a metric's label. */
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

/** What stands at a path after the job. */
export type SandboxAfter =
  | { readonly kind: 'file'; readonly mode: '644' | '755'; readonly bytes: Uint8Array }
  | { readonly kind: 'symlink'; readonly mode: null; readonly target: string }
  | { readonly kind: 'dir'; readonly mode: null };

/**
 * One entry that differs, directories too: a new `a/b` where there was no `a` is a change of both. `before` is what was
 * sent in, known by the adapter and not the job's word; null for a new path.
 */
export interface SandboxChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: SandboxAfter | null;
}

/** What a job used; 0 where nobody knows. */
export interface SandboxUsage {
  /**
   * Who counted `cpuMs` and `memoryPeakBytes`. `host`: the engine or its host's kernel, from outside the container.
   * `agent`: the agent, and so in the end the job, within what the container's limits allow in its time. Absent: nobody
   * counted, and nothing is claimed.
   */
  readonly countedBy?: UsageCounter;
  /** from the first byte sent to the job's container to its end */
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly memoryPeakBytes: number;
  /** as produced, cut-off bytes included */
  readonly outputBytes: number;
}

export interface SandboxResult {
  readonly ended: SandboxEnd;
  /** null when the command exited */
  readonly reason: SandboxReason | null;
  /** for operators and the caller: lower case, no secrets; null when there is nothing to add */
  readonly detail: string | null;
  readonly exitCode: number | null;
  /** the name of the signal that ended the command, `SIGSEGV` for example */
  readonly signal: string | null;
  /** in the order in which it came; neighbours of one stream are joined */
  readonly output: readonly SandboxOutput[];
  /** bytes that came and aren't in `output` */
  readonly truncatedBytes: number;
  /** bytes of those that nobody heard either */
  readonly unheardBytes: number;
  /** sorted by the bytes of the path, each path once; empty unless `ended` is `exited` */
  readonly changes: readonly SandboxChange[];
  readonly usage: SandboxUsage;
}

/**
 * Runs commands on a workspace, each in a container that is used once.
 *
 * Everything in a result but `before`, `usage` and `ended` is the job's word and grants nothing. Implementations MUST
 * give the job no network but `egress`, no privilege and nothing of another job, MUST bound what they buffer by the
 * job's limits, MUST NOT let one job's output fail or stall another, and MUST kill at once whatever of the job still
 * runs when `run` settles; nothing that it does then reaches the result. `run` MUST resolve whatever the job does: it
 * rejects only for a job that is not valid. Callers MUST NOT treat `changes` as permitted because they are well-formed,
 * and MUST treat `lost` as "may have run".
 */
export abstract class Sandbox {
  /**
   * Runs one job. Aborting the signal kills it: `ended` is then `killed`. Rejects with `SandboxJobError` for an invalid
   * job.
   */
  abstract run(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult>;
  /**
   * Hears of a job that is likely to come. Implementations MAY lay out its files in a container that waits; a hint, so
   * nothing fails for it.
   */
  prospect(_prospect: SandboxProspect): void {
    // Nothing waits here.
  }

  /**
   * Kills what runs, removes what waits, and resolves when nothing of this sandbox is left. `run` after it answers
   * `killed`.
   */
  abstract close(): Promise<void>;
}

/** Bytes of output that are heard of a job at most. */
export function heardBytesOf({
  outputBytes,
  heardBytes = 0,
}: Pick<SandboxLimits, 'outputBytes' | 'heardBytes'>): number {
  return Math.max(outputBytes, heardBytes);
}

/** A job that no container could run as asked: a bug of the caller's, found before anything started. */
export class SandboxJobError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SandboxJobError';
  }
}
