// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_SPAWN,
  isAgentTool,
  isTaskTool,
  secretReference,
  SKILL_READ,
  STORE_REGISTER,
  VALUE_GET,
  type TenantId,
  type Usage,
} from '@writ/contract';
import { blobReader, type BlobReader, type BlobStore } from '@writ/blobs';
import { coversPath } from '@writ/capability';
import {
  runFileWorkInline,
  isBriefFileWork,
  runFileTool,
  type FileToolOutcome,
  type FileWorker,
} from '@writ/workspace';
import { limitOf, timeLeft, verifyTime, verifyWritten } from './inline-limits.ts';
import { pacedReader } from './paced-reader.ts';
import { Runner, type Call, type RunContext, type Staged } from '../calls/runner.ts';
import { runAgentTool } from './agent-tools.ts';
import { isContainerTool, runContainerTool } from './container-tools.ts';
import { runSkillTool } from './skill-tool.ts';
import { registerStore } from './stores/register-store.ts';
import { runTaskTool } from './task-tools.ts';

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null));

/**
 * Runs `fs.*` on the snapshot's tree, passes on values, and answers calls about tasks, containers, agents and skills.
 * There is no host path to escape to.
 */
export class InlineRunner extends Runner {
  override readonly toolClass = 'inline';
  readonly #blobs: BlobStore;
  readonly #now: () => number;
  readonly #hasModel: boolean;

  /**
   * @param now a monotonic clock, in milliseconds
   * @param hasModel whether the model of embeddings is on this machine
   */
  constructor(blobs: BlobStore, now: () => number, hasModel = false) {
    super();
    this.#hasModel = hasModel;
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
      // A stopped call is not reported, but this result tells its attempt that nothing of it runs any more.
      if (signal.aborted)
        return ended({
          ended: 'killed',
          error: { code: 'command.killed', message: 'the call was stopped', hint: null },
        });
      throw error;
    }
  }

  async #outcome(call: Call, running: RunningCall): Promise<FileToolOutcome<unknown>> {
    if (call.toolId === VALUE_GET.tool_id) return valueOutcome(call);
    // The commit itself is the effect: the kernel creates the sub-agent's token on it.
    if (call.toolId === AGENT_SPAWN.tool_id) return { ok: true, delta: null, blobs: [], result: { allowed: true } };
    if (isTaskTool(call.toolId)) return runTaskTool(call);
    if (isContainerTool(call.toolId)) return runContainerTool(call);
    if (isAgentTool(call.toolId)) return runAgentTool(call);
    if (call.toolId === STORE_REGISTER.tool_id) return registerStore(call, this.#hasModel);
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

/** A running call: its elapsed time and what ends it. */
interface RunningCall extends Pick<RunContext, 'signal' | 'work'> {
  readonly elapsed: () => number;
}

/**
 * INVARIANT (no shared thread): only work of at most five milliseconds runs on the event loop. A worker thread runs the
 * rest, for the rest of the call's time.
 */
function workerOf({ limits }: Call, { work, elapsed }: RunningCall): FileWorker {
  return async (kind, input) => {
    if (isBriefFileWork(kind, input)) return runFileWorkInline(kind, input);
    verifyTime(elapsed(), limits);
    return (await work.run(`fs.${kind}`, input as never, timeLeft(elapsed(), limits))) as never;
  };
}

/**
 * Passes on a value that a person gave. INVARIANT (a secret stays out): the kernel sends a value only where it is no
 * secret, so no report can reveal one.
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
  output_bytes: jsonBytes(result),
});
