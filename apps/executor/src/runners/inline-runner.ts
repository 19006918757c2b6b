// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_SPAWN,
  isTaskTool,
  secretReference,
  SKILL_READ,
  VALUE_GET,
  type TenantId,
  type Usage,
} from '@writ/contract';
import { blobReader, type BlobReader, type BlobStore } from '@writ/blobs';
import { coversPath } from '@writ/capability';
import { doFileWork, isBriefFileWork, runFileTool, type FileToolOutcome, type FileWorker } from '@writ/workspace';
import { limitOf, timeLeft, verifyTime, verifyWritten } from './inline-limits.ts';
import { pacedReader } from './paced-reader.ts';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { runSkillTool } from './skill-tool.ts';
import { runTaskTool } from './task-tools.ts';

const textBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null));

/**
 * Runs `fs.*` on the snapshot's tree, hands on values, and answers about tasks and skills. There is no host path to
 * escape to.
 */
export class InlineRunner extends Runner {
  override readonly toolClass = 'inline';
  readonly #blobs: BlobStore;
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(blobs: BlobStore, now: () => number) {
    super();
    this.#blobs = blobs;
    this.#now = now;
  }

  #reader({ tenantId, nodes }: Call): BlobReader {
    const read = blobReader(this.#blobs, tenantId as TenantId);
    return async (sha256) => nodes.get(sha256) ?? (await read(sha256));
  }

  override async run(call: Call, { signal, work }: Pick<RunContext, 'signal' | 'work'>): Promise<Staged> {
    const started = this.#now();
    const elapsed = (): number => Math.round(this.#now() - started);
    const ended = (how: Pick<Staged, 'ended' | 'error'>): Staged => ({
      ...how,
      exitCode: null,
      delta: null,
      blobs: [],
      result: null,
      usage: usageOf(elapsed(), 0, null),
    });
    try {
      const outcome = await this.#outcome(call, { signal, work, elapsed });
      verifyTime(elapsed(), call.limits);
      return stagedOf(outcome, elapsed());
    } catch (error) {
      const limit = limitOf(error);
      if (limit !== null)
        return ended({
          ended: 'limit',
          error: {
            code: 'limit.exceeded',
            message: limit,
            hint: 'ask for less in one call, or for a token with more of it',
          },
        });
      // Nobody hears of a call that was stopped; but whoever stopped it hears that nothing of it runs any more.
      if (signal.aborted)
        return ended({
          ended: 'killed',
          error: { code: 'command.killed', message: 'the call was stopped', hint: null },
        });
      throw error;
    }
  }

  async #outcome(call: Call, running: Running): Promise<FileToolOutcome<unknown>> {
    if (call.toolId === VALUE_GET.tool_id) return valueOutcome(call);
    // What it means is that it was committed: the kernel makes the sub-agent's token of that.
    if (call.toolId === AGENT_SPAWN.tool_id) return { ok: true, delta: null, blobs: [], result: { allowed: true } };
    if (isTaskTool(call.toolId)) return runTaskTool(call);
    const reader = pacedReader(this.#reader(call), () => {
      running.signal.throwIfAborted();
      verifyTime(running.elapsed(), call.limits);
    });
    if (call.toolId === SKILL_READ.tool_id) return await runSkillTool(call, reader);
    const outcome = await runFileTool(
      call.toolId,
      {
        reader,
        root: call.root,
        may: (access, path) => call.fs.every((roots) => coversPath(roots, access, path)),
        work: workerOf(call, running),
      },
      call.args,
    );
    if (outcome.ok) verifyWritten(writtenBy(outcome), call.limits);
    return outcome;
  }
}

/** A call that runs: how long it has, and what ends it. */
interface Running extends Pick<RunContext, 'signal' | 'work'> {
  readonly elapsed: () => number;
}

/**
 * INVARIANT (no shared thread): here runs only what takes five milliseconds at most; a worker thread has the rest, for
 * what is left of the call's time.
 */
function workerOf({ limits }: Call, { work, elapsed }: Running): FileWorker {
  return async (kind, input) => {
    if (isBriefFileWork(kind, input)) return doFileWork(kind, input);
    verifyTime(elapsed(), limits);
    return (await work.run(`fs.${kind}`, input as never, timeLeft(elapsed(), limits))) as never;
  };
}

/**
 * Hands on what a person gave. INVARIANT (a secret stays out): the kernel sends a value along only where it is none, so
 * there is nothing here that a report could tell.
 */
function valueOutcome({ args, secrets }: Call): FileToolOutcome<unknown> {
  const key = String(args['key']);
  const value = Object.hasOwn(secrets, key) ? secrets[key] : undefined;
  return {
    ok: true,
    delta: null,
    blobs: [],
    result:
      value === undefined ? { key, value: null, reference: secretReference(key) } : { key, value, reference: null },
  };
}

const writtenBy = (outcome: FileToolOutcome<unknown>): number =>
  outcome.ok ? outcome.blobs.reduce((sum, { bytes }) => sum + bytes.length, 0) : 0;

function stagedOf(outcome: FileToolOutcome<unknown>, elapsedMs: number): Staged {
  const result = outcome.ok ? outcome.result : null;
  return {
    ended: outcome.ok ? 'exited' : 'failed',
    exitCode: null,
    error: outcome.ok ? null : { code: outcome.code, message: outcome.message, hint: outcome.hint },
    delta: outcome.ok ? outcome.delta : null,
    blobs: outcome.ok ? outcome.blobs.map((blob) => blob.bytes) : [],
    result,
    usage: usageOf(elapsedMs, writtenBy(outcome), result),
  };
}

/** An inline tool runs on the executor's own processors: its wall time bounds what it used. */
const usageOf = (elapsedMs: number, written: number, result: unknown): Usage => ({
  wall_ms: elapsedMs,
  cpu_ms: elapsedMs,
  memory_peak_bytes: 0,
  disk_write_bytes: written,
  output_bytes: textBytes(result),
});
