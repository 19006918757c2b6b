// SPDX-License-Identifier: Apache-2.0
import {
  FrameError,
  NO_USAGE,
  Shell,
  ShellEnded,
  ShellClient,
  type Channels,
  type SandboxEgress,
  type SandboxUsage,
  type SandboxPatch,
  type ShellSpec,
  type ShellTurn,
  type ShellTurned,
  type Transcript,
} from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';
import { channelsOf } from './container-channels.ts';
import type { Measure } from './measure.ts';
import { CpuWatch } from './cpu-watch.ts';
import type { RunContext } from './job-run.ts';

/** The workspace, or its changes, are sent before anything runs: only an engine that hangs takes this long. */
const SEND_MS_MAX = 60_000;
/** How much later than the agent we end a turn ourselves, which includes the return of a full delta. */
const RETURN_MS_MAX = 30_000;

type Why = Pick<ShellEnded, 'ended' | 'reason'> & { readonly detail: string | null };

/** The egress of a turn that has none. */
const CLOSED: SandboxEgress = { serve: (connection) => void connection.destroy() };

/** A shell in a container: one session uses it, and it is removed with the session. */
export class ContainerShell extends Shell {
  readonly #container: AgentContainer;
  readonly #context: Pick<RunContext, 'discard' | 'ranOutOfMemory' | 'isEngineReachable'>;
  readonly #talk: ShellClient;
  readonly #ended = Promise.withResolvers<Why>();
  readonly #gone = Promise.withResolvers<undefined>();
  /** processor time charged to earlier turns, in milliseconds */
  #charged = 0;
  #hasProxy = false;
  #why: Why | null = null;

  /**
   * Takes a container over and opens a shell in it. Rejects with ShellEnded or SandboxJobError, and gives the container
   * back.
   */
  static async open(
    container: AgentContainer,
    spec: ShellSpec,
    context: Pick<RunContext, 'discard' | 'ranOutOfMemory' | 'isEngineReachable'>,
    signal: AbortSignal,
  ): Promise<ContainerShell> {
    const shell = new ContainerShell(container, context);
    try {
      shell.#hasProxy = spec.proxy === true;
      await container.meter.begin();
      await shell.#within(SEND_MS_MAX, signal, shell.#talk.open(spec));
      return shell;
    } catch (error) {
      await shell.close();
      throw error;
    }
  }

  private constructor(
    container: AgentContainer,
    context: Pick<RunContext, 'discard' | 'ranOutOfMemory' | 'isEngineReachable'>,
  ) {
    super();
    this.#container = container;
    this.#context = context;
    this.#talk = new ShellClient((parts) => container.send(parts));
    container.listen({
      message: (message) => this.#talk.accept(message),
      closed: (error) =>
        this.#end(
          error instanceof FrameError
            ? { ended: 'invalid', reason: 'protocol', detail: error.message }
            : { ended: 'lost', reason: 'container', detail: error?.message ?? null },
        ),
    });
  }

  override get gone(): Promise<void> {
    return this.#gone.promise;
  }

  override async turn(turn: ShellTurn, signal: AbortSignal): Promise<ShellTurned> {
    const startedAt = performance.now();
    const watch = new CpuWatch({
      limitMs: turn.limits.cpuMs,
      cpus: turn.limits.cpus,
      read: () => this.#cpuMs(),
      now: () => performance.now(),
      spent: () =>
        this.#end({ ended: 'limit', reason: 'cpu', detail: 'the session used more processor time than the call may' }),
    });
    const channels = this.#channelsOf(turn);
    try {
      const transcript = await this.#within(turn.yieldMs + RETURN_MS_MAX, signal, this.#talk.turn(turn, channels));
      return await this.#turned(turn, transcript, Math.round(performance.now() - startedAt));
    } catch (error) {
      if (!(error instanceof ShellEnded)) throw error;
      throw await this.#judged(error, Math.round(performance.now() - startedAt));
    } finally {
      channels?.close();
      watch.stop();
    }
  }

  override applyPatches(patches: readonly SandboxPatch[]): Promise<readonly string[]> {
    return this.#within(SEND_MS_MAX, new AbortController().signal, this.#talk.applyPatches(patches));
  }

  override async close(): Promise<void> {
    this.#end({ ended: 'killed', reason: 'aborted', detail: null });
    await this.#gone.promise;
  }

  /**
   * INVARIANT (egress of one turn): a connection belongs to the turn in which the container opened it, and closes with
   * it at the latest. Nothing is accepted between turns.
   */
  #channelsOf({ egress = CLOSED }: ShellTurn): Channels | null {
    if (!this.#hasProxy) return null;
    const channels = channelsOf(this.#container, egress, (error) => {
      channels.close();
      this.#end({ ended: 'invalid', reason: 'protocol', detail: error.message });
    });
    return channels;
  }

  async #turned({ limits }: ShellTurn, transcript: Transcript, wallMs: number): Promise<ShellTurned> {
    const { end, turned } = transcript;
    if (end?.ended !== 'exited' || turned === null) {
      const why: Why = {
        ended: end?.ended === 'limit' ? 'limit' : 'invalid',
        reason: end?.reason ?? null,
        detail: end?.detail ?? null,
      };
      this.#end(why);
      throw new ShellEnded(why.ended, why.reason, why.detail, NO_USAGE);
    }
    const outputBytes = transcript.outputBytes + transcript.droppedBytes;
    const usage = { ...(await this.#usage(wallMs)), outputBytes };
    if (usage.cpuMs > limits.cpuMs) {
      const why: Why = {
        ended: 'limit',
        reason: 'cpu',
        detail: 'the session used more processor time than the call may',
      };
      this.#end(why);
      throw new ShellEnded(why.ended, why.reason, why.detail, usage);
    }
    this.#charged += usage.cpuMs;
    if (turned.state === 'gone') this.#end({ ended: 'killed', reason: null, detail: 'the shell has exited' });
    return {
      state: turned.state,
      refused: turned.refused,
      exitCode: turned.code,
      output: Buffer.concat(transcript.output.map(({ bytes }) => bytes)),
      truncatedBytes: transcript.droppedBytes,
      changes: transcript.changes,
      usage,
    };
  }

  /**
   * Resolves with the answer, unless the shell ends, the signal aborts or the time is over before; the last two end the
   * shell.
   */
  async #within<T>(ms: number, signal: AbortSignal, answer: Promise<T>): Promise<T> {
    const abort = () => this.#end({ ended: 'killed', reason: 'aborted', detail: null });
    const timer = setTimeout(
      () =>
        this.#end({
          ended: 'timeout',
          reason: 'wall',
          detail: 'the container did not keep to the time and was killed',
        }),
      ms,
    );
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      const first = await Promise.race([answer, this.#ended.promise.then((why) => ({ why }))]);
      if (typeof first === 'object' && first !== null && 'why' in first)
        throw new ShellEnded(first.why.ended, first.why.reason, first.why.detail, NO_USAGE);
      return first as T;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Corrects the stream's report by the facts of the kernel and the engine. */
  async #judged({ ended, reason, message }: ShellEnded, wallMs: number): Promise<ShellEnded> {
    const usage = await this.#usage(wallMs);
    if (ended !== 'lost') return new ShellEnded(ended, reason, message, usage);
    if (await this.#context.ranOutOfMemory(this.#container.id))
      return new ShellEnded('limit', 'memory', 'the session used more memory than its limit', usage);
    if (!(await this.#context.isEngineReachable()))
      return new ShellEnded(ended, 'engine', 'the engine went away', usage);
    return new ShellEnded(ended, 'container', this.#container.lastStderr ?? message, usage);
  }

  async #usage(wallMs: number): Promise<SandboxUsage> {
    const { cpuMs, memoryPeakBytes, countedBy }: Measure = await this.#container.meter.read();
    return {
      wallMs,
      cpuMs: Math.max(0, cpuMs - this.#charged),
      memoryPeakBytes,
      outputBytes: 0,
      ...(countedBy === undefined ? {} : { countedBy }),
    };
  }

  async #cpuMs(): Promise<number | null> {
    const all = await this.#container.meter.cpuMs();
    return all === null ? null : all - this.#charged;
  }

  #end(why: Why): void {
    if (this.#why) return;
    this.#why = why;
    this.#ended.resolve(why);
    this.#context.discard(this.#container);
    this.#gone.resolve(undefined);
  }
}
