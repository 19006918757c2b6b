// SPDX-License-Identifier: Apache-2.0
import type { SandboxJob, SandboxResult, Transcript } from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';
import type { Measure } from './measure.ts';
import { CpuWatch } from './cpu-watch.ts';
import { perform, type Ending } from './perform.ts';

/** The parts of the sandbox that a run uses. */
export interface RunContext {
  acquire(): Promise<AgentContainer>;
  discard(container: AgentContainer): void;
  /** Like `discard`, for a container whose job has ended by itself: the removal is not urgent. */
  release(container: AgentContainer): void;
  ranOutOfMemory(id: string): Promise<boolean>;
  isEngineReachable(): Promise<boolean>;
}

/** The shell's status for a command that SIGKILL ended. */
const STATUS_SIGKILL = 137;
const CPU_SPENT: Ending = { ended: 'limit', reason: 'cpu', detail: 'the job used more processor time than its limit' };
const NOTHING_MEASURED: Measure = { cpuMs: 0, memoryPeakBytes: 0, outOfMemory: null };

/** One job, from a container to a result. */
export class JobRun {
  readonly #job: SandboxJob;
  readonly #signal: AbortSignal;
  readonly #context: RunContext;

  constructor(job: SandboxJob, signal: AbortSignal, context: RunContext) {
    this.#job = job;
    this.#signal = signal;
    this.#context = context;
  }

  async result(): Promise<SandboxResult> {
    let container: AgentContainer | null;
    try {
      container = await this.#acquire();
    } catch (error) {
      const detail = `no container can be started: ${error instanceof Error ? error.message : String(error)}`;
      return { ...resultOf({ ended: 'lost', reason: 'engine', detail }, null, 0, NOTHING_MEASURED), isUnstarted: true };
    }
    if (!container) return resultOf({ ended: 'killed', reason: 'aborted', detail: null }, null, 0, NOTHING_MEASURED);
    let result: SandboxResult | null = null;
    try {
      result = await this.#resultIn(container);
      return result;
    } finally {
      if (result?.ended === 'exited') this.#context.release(container);
      else this.#context.discard(container);
    }
  }

  /** Resolves with a container, or null when the job was aborted first; a container that comes later is given back. */
  async #acquire(): Promise<AgentContainer | null> {
    if (this.#signal.aborted) return null;
    const { promise: aborted, resolve } = Promise.withResolvers<null>();
    const abort = () => resolve(null);
    this.#signal.addEventListener('abort', abort, { once: true });
    const acquiring = this.#context.acquire();
    const first = await Promise.race([acquiring, aborted]).finally(() =>
      this.#signal.removeEventListener('abort', abort),
    );
    if (!first)
      acquiring.then(
        (late) => this.#context.discard(late),
        () => undefined,
      );
    return first;
  }

  async #resultIn(container: AgentContainer): Promise<SandboxResult> {
    const { meter } = container;
    const { limits, stdio } = this.#job;
    const isKept = stdio !== undefined;
    const startedAt = performance.now();
    const begun = meter.begin();
    const overspent = new AbortController();
    const watch = new CpuWatch({
      limitMs: limits.cpuMs,
      cpus: limits.cpus,
      // It waits for its caller most of the time: elapsed time says nothing about its use.
      mayBeUncounted: isKept,
      read: () => begun.then(() => meter.cpuMs()),
      now: () => performance.now(),
      spent: () => overspent.abort(),
    });
    let measured: Promise<Measure> | null = null;
    // Measured at the exit, while the effect is still on its way: computing the effect is not the job's usage.
    const exited = (): void => {
      watch.stop();
      measured ??= begun.then(() => meter.read());
    };
    const { ending, transcript } = await perform(
      container,
      this.#job,
      AbortSignal.any([this.#signal, overspent.signal]),
      exited,
    ).finally(() => watch.stop());
    const wallMs = Math.round(performance.now() - startedAt);
    const usage = await (measured ?? meter.read());
    const isOverspent =
      ending.ended === 'killed'
        ? overspent.signal.aborted && !this.#signal.aborted
        : ending.ended === 'exited' && usage.cpuMs > limits.cpuMs && !(isKept && usage.isAssumed === true);
    const end = isOverspent ? CPU_SPENT : await this.#judge(container, ending, transcript, usage);
    return resultOf(end, transcript, wallMs, usage);
  }

  /** Corrects the stream's report by the facts of the kernel and the engine. */
  async #judge(container: AgentContainer, ending: Ending, transcript: Transcript, usage: Measure): Promise<Ending> {
    const { ended } = ending;
    const isKilled = transcript.exit?.signal === 'SIGKILL' || transcript.exit?.code === STATUS_SIGKILL;
    // We ended it, not the kernel.
    const isOurs = ended === 'timeout' || ended === 'killed';
    if (ended === 'lost' || (isKilled && !isOurs)) {
      const outOfMemory = usage.outOfMemory ?? (await this.#context.ranOutOfMemory(container.id));
      if (outOfMemory) return { ended: 'limit', reason: 'memory', detail: 'the job used more memory than its limit' };
    }
    if (ended !== 'lost') return ending;
    if (!(await this.#context.isEngineReachable()))
      return { ended, reason: 'engine', detail: 'the engine went away while the job ran' };
    return {
      ended,
      reason: 'container',
      detail: container.lastStderr ?? ending.detail ?? 'the container ended before the job did',
    };
  }
}

function resultOf(
  ending: Ending,
  transcript: Transcript | null,
  wallMs: number,
  { cpuMs, memoryPeakBytes, countedBy, isAssumed }: Measure,
): SandboxResult {
  const isEffect = ending.ended === 'exited';
  const dropped = transcript?.droppedBytes ?? 0;
  return {
    ...ending,
    exitCode: transcript?.exit?.code ?? null,
    signal: transcript?.exit?.signal ?? null,
    output: transcript?.output ?? [],
    truncatedBytes: transcript?.truncatedBytes ?? 0,
    untappedBytes: dropped,
    changes: isEffect && transcript ? transcript.changes : [],
    usage: {
      wallMs,
      cpuMs,
      memoryPeakBytes,
      outputBytes: (transcript?.outputBytes ?? 0) + dropped,
      outputLines: transcript?.outputLines ?? null,
      ...(countedBy === undefined ? {} : { countedBy }),
      ...(isAssumed === undefined ? {} : { isAssumed }),
    },
  };
}
