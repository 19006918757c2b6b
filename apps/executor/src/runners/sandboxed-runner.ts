// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import { Fault, LIMITS, type Delta, type TenantId } from '@writ/contract';
import { blobReader, type BlobStore } from '@writ/blobs';
import { argvOf, environmentOf } from '@writ/cli-tool';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { SandboxJobError, type Sandbox, type SandboxJob, type SandboxResult, type PresentFiles } from '@writ/sandbox';
import { parsePath } from '@writ/workspace';
import type { CallGate } from '../egress/call-gate.ts';
import type { EgressGate } from '../egress/gate.ts';
import { Proxy } from '../egress/proxy.ts';
import { Outputs, type OutputTail } from '../outputs/outputs.ts';
import { shownText } from '../outputs/shown-text.ts';
import { FullOutput } from '../outputs/full-output.ts';
import { outputWithoutValues } from '../redaction/secret-work.ts';
import { CONTAINER_TMPFS_BYTES, ROOM_HINT, roomFault } from './container-room.ts';
import { pacedReader } from './paced-reader.ts';
import { imageOf, Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { readableTree, sandboxEntries, sandboxPatches, type Tree } from './sandbox-entries.ts';
import { stagedDelta } from './staged-delta.ts';

interface ShellArgs {
  readonly command: string;
  readonly cwd?: string;
  readonly timeout_ms?: number;
  readonly idle_ms?: number;
  readonly stdin?: string;
}

/** A program runs in the workspace, for as long as its tool says. */
const PROGRAM: ShellArgs = { command: '' };

/**
 * The container could not be had or was lost with its engine, through nothing that the call did. The kernel's lease
 * decides what becomes of it.
 */
export class SandboxLost extends Error {
  constructor(detail: string | null) {
    super(detail ?? 'the container was lost');
    this.name = 'SandboxLost';
  }
}

/** Who hears what a command says. */
interface Hearing {
  readonly tail: OutputTail;
  readonly whole: FullOutput | null;
}

function heardBy(tail: OutputTail, whole: FullOutput | null): NonNullable<SandboxJob['tap']> {
  return (output) => {
    tail.push(output.bytes);
    return whole?.take(output);
  };
}

/** One processor a call: two calls at a time keep a small machine busy, and none can starve the other. */
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
  readonly #outputs: Outputs;
  readonly #heardBytes: number;

  /**
   * @param kept for whoever looks on, and how many bytes of output are heard of a command, so that all of them can be
   * kept; none beyond its result unless said
   */
  constructor(
    sandbox: Sandbox,
    blobs: BlobStore,
    gate: EgressGate,
    kept: { readonly outputs?: Outputs; readonly heardBytes?: number } = {},
  ) {
    super();
    this.#sandbox = sandbox;
    this.#blobs = blobs;
    this.#gate = gate;
    this.#outputs = kept.outputs ?? new Outputs();
    this.#heardBytes = kept.heardBytes ?? 0;
  }

  override async run(call: Call, context: RunContext): Promise<Staged> {
    const gate = this.#gate.open(call, context);
    const tail = this.#outputs.open(call.operationId, call.secrets);
    const whole = this.#wholeOutput(call, context);
    try {
      return await this.#run(call, context, gate, { tail, whole });
    } finally {
      gate.close();
      tail.close();
      whole?.drop();
    }
  }

  /**
   * INVARIANT (the only way out): the container has no network; what it sends goes to the gate of its call, also where
   * that lets nothing out and says so.
   */
  async #run(call: Call, context: RunContext, gate: CallGate, { tail, whole }: Hearing): Promise<Staged> {
    const proxy = new Proxy(gate);
    const reader = pacedReader(blobReader(this.#blobs, call.tenantId as TenantId));
    const tree = await readableTree(reader, call.root, call.fs);
    const name = kinOf(call);
    const kin = { name, patches: (standing: PresentFiles) => sandboxPatches(reader, tree, standing) };
    const job = {
      ...this.#jobOf(call, whole),
      files: sandboxEntries(reader, tree),
      kin,
      egress: { serve: (connection: Duplex) => proxy.serve(connection) },
      tap: heardBy(tail, whole),
    };
    const tight = roomFault(tree);
    const result =
      tight === null
        ? await this.#sandbox.run(job, context.signal).catch(notRun)
        : nothingRan('limit', 'workspace_space', tight);
    // Whoever has made a call that went well makes another soon, on nearly the same files.
    if (result.ended === 'exited' && isWorthLayingOut(tree))
      this.#sandbox.prospect({
        image: job.image,
        limits: job.limits,
        kin: name,
        files: () => sandboxEntries(reader, tree),
      });
    if (result.ended === 'lost' && result.reason === 'engine') throw new SandboxLost(result.detail);
    // What breaks the protocol has said nothing that is worth keeping.
    const outputRefs = result.reason === 'protocol' ? null : ((await whole?.end(result)) ?? null);
    const { delta, blobs, fault }: Effect = await stagedDelta(reader, call.root, result.changes).catch(noEffect);
    return {
      // A container that ended under its command while the engine stands: the command's own doing as a rule, and the
      // same again if it were retried.
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

  /** Null where nothing beyond the result is kept: a preview is looked at once, by whoever is to approve it. */
  #wholeOutput({ tenantId, values, limits, seal }: Call, { mode }: RunContext): FullOutput | null {
    if (mode === 'preview' || this.#heardBytes <= limits.output_bytes) return null;
    return new FullOutput({
      blobs: this.#blobs,
      tenantId: tenantId as TenantId,
      values,
      seal,
      shownBytes: limits.output_bytes,
      heardBytes: this.#heardBytes,
    });
  }

  #jobOf(call: Call, whole: FullOutput | null): Omit<SandboxJob, 'files'> {
    const { args, cli, limits, operationId, program, secrets } = call;
    const argv = program ?? (cli === null ? undefined : argvOf(cli, args));
    // What a program's parameters are called says nothing about how it is run.
    const { command, cwd, timeout_ms, idle_ms, stdin } = cli === null ? (args as unknown as ShellArgs) : PROGRAM;
    return {
      image: imageOf(call),
      command,
      cwd: cwd === undefined || cwd === '' ? '' : parsePath(cwd),
      ...(stdin === undefined ? {} : { stdin: Buffer.from(stdin, 'utf8') }),
      ...(argv === undefined ? {} : { argv }),
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
        ...(whole === null ? {} : { heardBytes: this.#heardBytes }),
        deltaBytes: limits.disk_write_bytes,
        deltaFiles: LIMITS.deltaChanges.max,
      },
      labels: { 'writ.operation': operationId },
    };
  }
}

/** Below it, sending the files takes no longer than looking which of them stand there. */
const LAID_OUT_BYTES_MIN = 256 * 1024;
/** Of one container that waits: memory that nobody uses meanwhile. */
const LAID_OUT_BYTES_MAX = 64 * 1024 * 1024;

function isWorthLayingOut(tree: Tree): boolean {
  let bytes = 0;
  for (const { size } of tree.values()) bytes += size;
  return bytes >= LAID_OUT_BYTES_MIN && bytes <= LAID_OUT_BYTES_MAX;
}

/** Calls on one workspace that may read the same of it. */
const kinOf = ({ tenantId, workspaceId, fs }: Call): string =>
  `${tenantId} ${workspaceId} ${sha256Hex(canonicalBytes(fs))}`;

interface Effect {
  readonly delta: Delta | null;
  readonly blobs: readonly Uint8Array[];
  readonly fault?: NonNullable<Staged['error']>;
}

/**
 * Names that a container takes and a workspace doesn't: line breaks, more levels than a tree has. Anything else that
 * goes wrong is ours.
 */
function noEffect(error: unknown): Effect {
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

/** A job that no container takes ends the call, the same each time: it must not be left to its lease. */
function notRun(error: unknown): SandboxResult {
  if (!(error instanceof SandboxJobError)) throw error;
  return nothingRan('invalid', null, error.message);
}

function nothingRan(ended: SandboxResult['ended'], reason: SandboxResult['reason'], detail: string): SandboxResult {
  return {
    ended,
    reason,
    detail,
    exitCode: null,
    signal: null,
    output: [],
    truncatedBytes: 0,
    unheardBytes: 0,
    changes: [],
    usage: { wallMs: 0, cpuMs: 0, memoryPeakBytes: 0, outputBytes: 0 },
  };
}

/** What the command used, as the container's counters, its effect and its gate tell. */
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
 * stdout and stderr as they came; what isn't UTF-8 shows as U+FFFD and is marked, and a cut is said. Of a tenant's
 * program it isn't marked: the form of its result is part of its tool's digest.
 */
async function outputOf(
  result: SandboxResult,
  { values, cli }: Call,
  work: RunContext['work'],
): Promise<{ readonly output: string; readonly output_lossy?: true }> {
  const { truncatedBytes } = result;
  const { text, isLossy } = shownText(await outputWithoutValues(values, result, work), truncatedBytes > 0);
  return {
    output: truncatedBytes === 0 ? text : `${text}\n[output cut: ${truncatedBytes} more bytes]`,
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
        hint: reason === 'workspace_space' ? ROOM_HINT : null,
      };
    default:
      return {
        code: 'effect.invalid',
        message: detail ?? `what the command left is no effect: ${reason ?? 'unknown'}`,
        hint: null,
      };
  }
}
