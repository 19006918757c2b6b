// SPDX-License-Identifier: Apache-2.0
//
// One process of a program that speaks MCP, in a container of its own. INVARIANT (open during a call): what it sends
// passes the gate of the call that has the process, and of none other. Between calls nothing leaves, and where the
// engine can stop a container, nothing of it runs.
import type { Duplex } from 'node:stream';
import type { WaitingProgram } from '@writ/contract';
import type { Handshake } from '@writ/mcp-client';
import type { ContainerUsage, RunningJob, Sandbox, SandboxJob, SandboxResult } from '@writ/sandbox';
import type { CallGate } from '../../../egress/call-gate.ts';
import { Proxy } from '../../../egress/proxy.ts';

/** As much of the end of the error stream the agent keeps. */
export const LAST_BYTES = 8_192;

/** How a process ended, in its own words. Attacker-controlled, and not redacted. */
export interface ProcessEnd {
  readonly result: SandboxResult | null;
  /** the end of its error stream, as it came: whoever shows it redacts it before anything else */
  readonly words: Buffer;
  /** whether the beginning of it is missing */
  readonly isCut: boolean;
}

/** A process that has started. One session after another uses it, and never two at once. */
export class KeptProcess {
  readonly stdio: Duplex;
  /** monotonic, in milliseconds */
  readonly startedAt: number;
  /** resolves when nothing of it is left */
  readonly ended: Promise<ProcessEnd>;
  readonly #ending: { end: ProcessEnd | null };
  readonly #stop: AbortController;
  readonly #way: WayOut;
  readonly #job: RunningJob;
  readonly #now: () => number;
  readonly #cpus: number;
  /** since when the use that is charged next goes on, a moment of `now` */
  #usedSince: number;
  /** processor time that calls were charged for, in milliseconds */
  #chargedMs = 0;
  /** resolves with whether it stands still, when that is settled; null while a call has it */
  #resting: Promise<boolean> | null = null;
  /** the calls that it served first and last; null before it served one of somebody */
  calls: WaitingProgram | null = null;
  /** how many sessions it served: a part of each id on its line */
  sessions = 0;
  /** what it answered to the first session; null before, or where it is too long to be kept */
  handshake: Handshake | null = null;

  /**
   * Starts a process. Resolves when its program has started, or with how it ended where it did not.
   * @param now a monotonic clock, in milliseconds
   * @param signal ends it while it starts
   */
  static async start(
    sandbox: Sandbox,
    job: Omit<SandboxJob, 'stdio' | 'egress'>,
    now: () => number,
    signal: AbortSignal,
  ): Promise<KeptProcess | ProcessEnd> {
    const startedAt = now();
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    signal.addEventListener('abort', abort, { once: true });
    const way = new WayOut();
    const { promise: opened, resolve } = Promise.withResolvers<Opened>();
    const ending: { end: ProcessEnd | null } = { end: null };
    const egress = { serve: (connection: Duplex): void => way.serve(connection) };
    const ended = sandbox
      .run({ ...job, stdio: { serve: (stdio, running) => resolve({ stdio, running }) }, egress }, stop.signal)
      .then(endOf, (error: unknown) => ({
        ...NO_WORDS,
        words: Buffer.from(error instanceof Error ? error.message : ''),
      }))
      .then((end) => (ending.end = end));
    const common = { startedAt, now, cpus: job.limits.cpus, ended, ending, stop, way };
    const first = await Promise.race([opened, ended]).finally(() => signal.removeEventListener('abort', abort));
    return 'words' in first ? first : new KeptProcess({ ...first, ...common });
  }

  private constructor(
    parts: Opened & {
      readonly startedAt: number;
      readonly now: () => number;
      readonly cpus: number;
      readonly ended: Promise<ProcessEnd>;
      readonly ending: { end: ProcessEnd | null };
      readonly stop: AbortController;
      readonly way: WayOut;
    },
  ) {
    this.stdio = parts.stdio;
    this.startedAt = parts.startedAt;
    this.ended = parts.ended;
    this.#ending = parts.ending;
    this.#stop = parts.stop;
    this.#way = parts.way;
    this.#job = parts.running;
    this.#now = parts.now;
    this.#cpus = parts.cpus;
    this.#usedSince = parts.startedAt;
    this.stdio.on('error', () => undefined);
  }

  /** Whether it can serve a session. */
  get isAlive(): boolean {
    return (
      this.#ending.end === null && !this.stdio.destroyed && !this.stdio.readableEnded && !this.#stop.signal.aborted
    );
  }

  /** Lets what it sends pass a gate, until the returned function is called. */
  openTo(gate: CallGate): () => void {
    return this.#way.openTo(gate);
  }

  /**
   * What it used since it was asked last, at first since its start. Its peak of memory is that of its whole life. Where
   * its use is unknown, its processors count as busy since then, and the next calls are charged for that much less.
   * Where nobody counts at all, they count as busy since it was woken.
   */
  async used(): Promise<ContainerUsage> {
    const { end } = this.#ending;
    const usage = (end === null ? null : usageOf(end)) ?? (await this.#job.usage());
    const now = this.#now();
    const busyMs = Math.round((now - this.#usedSince) * this.#cpus);
    this.#usedSince = now;
    if (usage.countedBy === undefined) {
      this.#chargedMs += busyMs;
      return { ...usage, cpuMs: busyMs };
    }
    const newMs = Math.max(0, usage.cpuMs - this.#chargedMs);
    this.#chargedMs += newMs;
    return { ...usage, cpuMs: usage.isAssumed === true ? Math.min(newMs, busyMs) : newMs };
  }

  /** MUST be called after each call, before it waits for the next one. */
  served(operationId: string): void {
    this.calls = { first: this.calls?.first ?? operationId, last: operationId };
  }

  /** Stops all of it until `wake`, where the engine can. It is killed where it is unknown whether it runs. */
  rest(): void {
    this.#resting ??= this.#job.freeze().catch(async () => {
      await this.close();
      return false;
    });
  }

  /**
   * Lets it go on after `rest`. Resolves with whether it can serve a session: one that an engine takes too long to stop
   * or to wake can't. It is killed then, as it is where the signal aborts.
   * @throws the reason of the signal
   */
  async wake(signal: AbortSignal): Promise<boolean> {
    this.#usedSince = this.#now();
    const abort = Promise.withResolvers<'aborted'>();
    const aborted = (): void => abort.resolve('aborted');
    signal.addEventListener('abort', aborted, { once: true });
    if (signal.aborted) aborted();
    try {
      const isFrozen = await within(ENGINE_MS, this.#resting ?? false, abort.promise);
      this.#resting = null;
      const thawed = isFrozen === true && this.isAlive ? this.#job.thaw().then(() => true) : !isOver(isFrozen);
      // It counts until nothing of it is left, and the call that waits for that has its own time.
      if ((await within(ENGINE_MS, thawed, abort.promise).catch(() => false)) !== true)
        await Promise.race([this.close(), abort.promise]);
    } finally {
      signal.removeEventListener('abort', aborted);
    }
    signal.throwIfAborted();
    return this.isAlive;
  }

  /** Kills it with all that it has started. Resolves when nothing of it is left. */
  async close(): Promise<ProcessEnd> {
    this.#way.close();
    this.#stop.abort();
    return await this.ended;
  }
}

/** An engine that works stops or wakes a container in a tenth of that. */
const ENGINE_MS = 500;

const isOver = (settled: boolean | 'aborted' | 'late'): settled is 'aborted' | 'late' => typeof settled === 'string';

/** What a step of the engine settles with; or why nobody waits for it any more. */
async function within(
  ms: number,
  step: Promise<boolean> | boolean,
  aborted: Promise<'aborted'>,
): Promise<boolean | 'aborted' | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), ms)));
  return await Promise.race([step, aborted, late]).finally(() => clearTimeout(timer));
}

/** The connection of a job that began, and the job. */
interface Opened {
  readonly stdio: Duplex;
  readonly running: RunningJob;
}

/** What a process that ended has used in all; null where nothing of it began. */
export const usageOf = ({ result }: ProcessEnd): ContainerUsage | null => {
  if (result === null) return null;
  const { cpuMs, memoryPeakBytes, countedBy, isAssumed } = result.usage;
  return {
    cpuMs,
    memoryPeakBytes,
    ...(countedBy === undefined ? {} : { countedBy }),
    ...(isAssumed === undefined ? {} : { isAssumed }),
  };
};

/** Where the connections of a process lead now. */
class WayOut {
  #proxy: Proxy | null = null;
  readonly #connections = new Set<Duplex>();

  serve(connection: Duplex): void {
    connection.on('error', () => undefined);
    if (this.#proxy === null) return void connection.destroy();
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
    this.#proxy.serve(connection);
  }

  openTo(gate: CallGate): () => void {
    this.close();
    this.#proxy = new Proxy(gate);
    return () => this.close();
  }

  /** A connection ends with its call, also where the process would go on. */
  close(): void {
    this.#proxy = null;
    for (const connection of this.#connections) connection.destroy();
  }
}

const NO_WORDS: ProcessEnd = { result: null, words: Buffer.alloc(0), isCut: false };

function endOf(result: SandboxResult): ProcessEnd {
  const words = Buffer.concat(result.output.filter(({ stream }) => stream === 'stderr').map((each) => each.bytes));
  return { result, words, isCut: words.length >= LAST_BYTES };
}
