// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import { Fault, LIMITS, type Delta, type TenantId } from '@writ/contract';
import { blobReader, type BlobStore } from '@writ/blobs';
import { argvOf, environmentOf } from '@writ/cli-tool';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { SandboxJobError, type Sandbox, type SandboxJob, type SandboxResult, type PresentFiles } from '@writ/sandbox';
import { parsePath } from '@writ/workspace';
import { imageOf, Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { lossOf } from '../calls/sandbox-lost.ts';
import type { CallGate } from '../egress/call-gate.ts';
import type { EgressGate } from '../egress/gate.ts';
import { Proxy } from '../egress/proxy.ts';
import { LiveOutputs, type OutputTail } from '../outputs/live-outputs.ts';
import type { WatchedOutput, WatchedOutputs } from '../outputs/watched-outputs.ts';
import { shownText } from '../outputs/shown-text.ts';
import { FullOutput } from '../outputs/full-output.ts';
import { outputWithoutValues } from '../redaction/secret-work.ts';
import { CONTAINER_TMPFS_BYTES, CAPACITY_HINT, capacityFault } from './container-capacity.ts';
import { pacedReader } from './paced-reader.ts';
import { readableTree, sandboxEntries, sandboxPatches, type Tree } from './sandbox-entries.ts';
import { stagedDelta } from './staged-delta.ts';

interface ShellArgs {
  readonly command: string;
  readonly cwd?: string;
  readonly timeout_ms?: number;
  readonly idle_ms?: number;
  readonly stdin?: string;
}

/** The arguments of a program: it runs in the workspace's root, for as long as its tool allows. */
const PROGRAM: ShellArgs = { command: '' };

/** The receivers of a command's output. */
interface OutputReceivers {
  readonly tail: OutputTail;
  readonly watched: WatchedOutput | null;
  readonly fullOutput: FullOutput | null;
}

function tapInto({ tail, watched, fullOutput }: OutputReceivers): NonNullable<SandboxJob['tap']> {
  return (output) => {
    tail.push(output.bytes);
    watched?.push(output.bytes);
    return fullOutput?.push(output);
  };
}

/** One processor per call: two concurrent calls use a small machine fully, and none can starve the other. */
const CPUS = 1;

/**
 * Runs `shell.run`, and the programs that tenants registered, in a disposable container on what the token may read of
 * the snapshot.
 */
export class SandboxedRunner extends Runner {
  override readonly toolClass = 'sandboxed';
  readonly #sandbox: Sandbox;
  readonly #blobs: BlobStore;
  readonly #gate: EgressGate;
  readonly #outputs: LiveOutputs;
  readonly #watched: WatchedOutputs | null;
  readonly #capturedBytesMax: number;

  /**
   * @param capture live outputs for observers and for those who follow a call, and how many bytes of full output are
   * captured for storing; by default none beyond the result
   */
  constructor(
    sandbox: Sandbox,
    blobs: BlobStore,
    gate: EgressGate,
    capture: {
      readonly outputs?: LiveOutputs;
      readonly watched?: WatchedOutputs;
      readonly capturedBytesMax?: number;
    } = {},
  ) {
    super();
    this.#sandbox = sandbox;
    this.#blobs = blobs;
    this.#gate = gate;
    this.#outputs = capture.outputs ?? new LiveOutputs();
    this.#watched = capture.watched ?? null;
    this.#capturedBytesMax = capture.capturedBytesMax ?? 0;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const gate = this.#gate.open(call, context);
    const tail = this.#outputs.open(call.operationId, call.secrets);
    const fullOutput = this.#fullOutputOf(call, context);
    // What a preview shows is for approvers alone.
    const watched = context.mode === 'run' ? (this.#watched?.open(call) ?? null) : null;
    try {
      return await this.#run(call, context, gate, { tail, watched, fullOutput });
    } finally {
      gate.close();
      tail.close();
      watched?.close();
      fullOutput?.discard();
    }
  }

  /**
   * INVARIANT (the only way out): the container has no network. All that it sends goes to the gate of its call, also
   * where the gate admits nothing and answers with a refusal.
   */
  async #run(call: Call, context: RunContext, gate: CallGate, receivers: OutputReceivers): Promise<Staged> {
    const { fullOutput } = receivers;
    const proxy = new Proxy(gate);
    const reader = pacedReader(blobReader(this.#blobs, call.tenantId as TenantId));
    const tree = await readableTree(reader, call.root, call.fs);
    const name = filesKeyOf(call);
    const kin = { name, patches: (present: PresentFiles) => sandboxPatches(reader, tree, present) };
    const job = {
      ...this.#jobOf(call, fullOutput),
      files: sandboxEntries(reader, tree),
      kin,
      egress: { serve: (connection: Duplex) => proxy.serve(connection) },
      tap: tapInto(receivers),
    };
    const capacityMessage = capacityFault(tree);
    const result =
      capacityMessage === null
        ? await this.#sandbox.run(job, context.signal).catch(resultOfInvalidJob)
        : resultWithoutRun('limit', 'workspace_space', capacityMessage);
    // After a successful call, the next one often comes soon on nearly the same files.
    if (call.user === undefined && result.ended === 'exited' && isWorthPrepopulating(tree))
      this.#sandbox.expect({
        image: job.image,
        limits: job.limits,
        kin: name,
        files: () => sandboxEntries(reader, tree),
      });
    if (result.ended === 'lost' && result.reason === 'engine') throw lossOf(result);
    // The output of a container that broke the protocol is not stored.
    const outputRefs = result.reason === 'protocol' ? null : ((await fullOutput?.end(result)) ?? null);
    const { delta, blobs, fault }: Effect = await stagedDelta(reader, call.root, result.changes).catch(effectOfFault);
    return {
      // If a container ends under its command while the engine runs, the command usually caused it and would cause it
      // again on a retry.
      ended: fault !== undefined ? 'invalid' : result.ended === 'lost' ? 'killed' : result.ended,
      exitCode: result.exitCode,
      error: fault ?? errorOf(result),
      delta,
      blobs,
      result: {
        exit_code: result.exitCode,
        signal: result.signal,
        ...(await outputOf(result, call, context.work)),
        truncated_bytes: result.truncatedBytes,
        wall_ms: Math.round(result.usage.wallMs),
      },
      usage: usageOf(result, blobs, gate),
      requests: gate.requests,
      ...(outputRefs === null ? {} : { outputRefs }),
    };
  }

  /** Null where nothing beyond the result is stored: a person looks at a preview only once, to decide on the call. */
  #fullOutputOf({ tenantId, values, limits, seal }: Call, { mode }: RunContext): FullOutput | null {
    if (mode === 'preview' || this.#capturedBytesMax <= limits.output_bytes) return null;
    return new FullOutput({
      blobs: this.#blobs,
      tenantId: tenantId as TenantId,
      values,
      seal,
      shownBytes: limits.output_bytes,
      capturedBytesMax: this.#capturedBytesMax,
    });
  }

  #jobOf(call: Call, fullOutput: FullOutput | null): Omit<SandboxJob, 'files'> {
    const { args, cli, limits, operationId, program, secrets, user } = call;
    const argv = program ?? (cli === null ? undefined : argvOf(cli, args));
    // The parameters of a tenant's program don't control how it is run.
    const { command, cwd, timeout_ms, idle_ms, stdin } = cli === null ? (args as unknown as ShellArgs) : PROGRAM;
    return {
      image: imageOf(call),
      command,
      cwd: cwd === undefined || cwd === '' ? '' : parsePath(cwd),
      ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin, 'utf8') }),
      ...(argv === undefined ? {} : { argv }),
      ...(user === undefined ? {} : { user: { uid: user.uid, gid: user.gid } }),
      env: cli === null ? (call.env ?? {}) : environmentOf(cli, secrets),
      limits: {
        memoryBytes: limits.memory_bytes,
        cpus: CPUS,
        pids: limits.pids,
        tmpfsBytes: CONTAINER_TMPFS_BYTES,
        wallMs: Math.min(limits.wall_ms, timeout_ms ?? limits.wall_ms),
        ...(idle_ms === undefined ? {} : { idleMs: idle_ms }),
        cpuMs: limits.cpu_ms,
        outputBytes: limits.output_bytes,
        ...(fullOutput === null ? {} : { tapBytes: this.#capturedBytesMax }),
        deltaBytes: limits.disk_write_bytes,
        deltaFiles: LIMITS.deltaChanges.max,
      },
      labels: { 'writ.operation': operationId },
    };
  }
}

/** With fewer bytes, sending the files is as fast as comparing the files in the container. */
const PREPOPULATED_BYTES_MIN = 256 * 1024;
/** The limit for one waiting container, whose memory is unused meanwhile. */
const PREPOPULATED_BYTES_MAX = 64 * 1024 * 1024;

function isWorthPrepopulating(tree: Tree): boolean {
  let bytes = 0;
  for (const { size } of tree.values()) bytes += size;
  return bytes >= PREPOPULATED_BYTES_MIN && bytes <= PREPOPULATED_BYTES_MAX;
}

/** The key of calls on one workspace with the same readable files. */
const filesKeyOf = ({ tenantId, workspaceId, fs }: Call): string =>
  `${tenantId} ${workspaceId} ${sha256Hex(canonicalBytes(fs))}`;

interface Effect {
  readonly delta: Delta | null;
  readonly blobs: readonly Uint8Array[];
  readonly fault?: NonNullable<Staged['error']>;
}

/**
 * The effect of changes with file names that a workspace rejects: line breaks, or too many levels. Any other error is a
 * fault of the executor.
 */
function effectOfFault(error: unknown): Effect {
  if (!(error instanceof Fault) || (error.code !== 'path.invalid' && error.code !== 'path.escape')) throw error;
  return {
    delta: null,
    blobs: [],
    fault: {
      code: 'effect.invalid',
      message: error.message,
      hint: 'name files without control characters, at most 64 levels deep',
    },
  };
}

/**
 * The result of an invalid job. It would fail each time, so the call ends instead of waiting for its lease to expire.
 */
function resultOfInvalidJob(error: unknown): SandboxResult {
  if (!(error instanceof SandboxJobError)) throw error;
  return resultWithoutRun('invalid', null, error.message);
}

function resultWithoutRun(
  ended: SandboxResult['ended'],
  reason: SandboxResult['reason'],
  detail: string,
): SandboxResult {
  return {
    ended,
    reason,
    detail,
    exitCode: null,
    signal: null,
    output: [],
    truncatedBytes: 0,
    untappedBytes: 0,
    changes: [],
    usage: { wallMs: 0, cpuMs: 0, memoryPeakBytes: 0, outputBytes: 0 },
  };
}

/** The usage of the command, by the counters of its container, its effect and its gate. */
const usageOf = ({ usage }: SandboxResult, blobs: Effect['blobs'], gate: CallGate): Staged['usage'] => ({
  wall_ms: Math.round(usage.wallMs),
  cpu_ms: Math.round(usage.cpuMs),
  memory_peak_bytes: usage.memoryPeakBytes,
  disk_write_bytes: blobs.reduce((sum, b) => sum + b.length, 0),
  output_bytes: usage.outputBytes,
  egress_bytes: gate.bytes,
  ...(usage.countedBy === undefined ? {} : { counted_by: usage.countedBy }),
});

/**
 * stdout and stderr in the order of arrival. Bytes that aren't UTF-8 show as U+FFFD and set a mark. A cut adds a note,
 * and the count of all bytes. A tenant's program gets neither mark nor count: the form of its result is part of its
 * tool's digest.
 */
async function outputOf(
  result: SandboxResult,
  { values, cli }: Call,
  work: RunContext['work'],
): Promise<{
  readonly output: string;
  readonly output_bytes?: number;
  readonly output_lines?: number;
  readonly output_lossy?: true;
}> {
  const { truncatedBytes } = result;
  const { outputBytes, outputLines = null } = result.usage;
  const { text, isLossy } = shownText(await outputWithoutValues(values, result, work), truncatedBytes > 0);
  return {
    output: truncatedBytes === 0 ? text : `${text}\n[output cut: ${truncatedBytes} more bytes]`,
    ...(truncatedBytes > 0 && cli === null ? { output_bytes: outputBytes } : {}),
    ...(truncatedBytes > 0 && cli === null && outputLines !== null ? { output_lines: outputLines } : {}),
    ...(isLossy && cli === null ? { output_lossy: true } : {}),
  };
}

function errorOf({ ended, reason, detail }: SandboxResult): Staged['error'] {
  switch (ended) {
    case 'exited':
      return null;
    case 'timeout':
      return {
        code: 'command.timeout',
        message: detail ?? 'the command ran longer than allowed',
        hint:
          reason === 'idle'
            ? 'raise `idle_ms`, or let the command say what it does'
            : 'raise `timeout_ms` or do less in one command',
      };
    case 'killed':
      return { code: 'command.killed', message: detail ?? 'the command was killed', hint: null };
    case 'lost':
      return {
        code: 'command.killed',
        message: 'the command took its container down with it',
        hint: 'it may have killed every process that it could',
      };
    case 'limit':
      return {
        code: 'limit.exceeded',
        message: detail ?? `the command met a limit: ${reason ?? 'unknown'}`,
        hint: reason === 'workspace_space' ? CAPACITY_HINT : null,
      };
    default:
      return {
        code: 'effect.invalid',
        message: detail ?? `what the command left is no effect: ${reason ?? 'unknown'}`,
        hint: null,
      };
  }
}
