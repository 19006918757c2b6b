// SPDX-License-Identifier: Apache-2.0
import {
  FrameError,
  NO_USAGE,
  Shell,
  ShellEnded,
  ShellTalk,
  type SandboxUsage,
  type SandboxPatch,
  type ShellSpec,
  type ShellTurn,
  type ShellTurned,
  type Transcript,
} from '@writ/sandbox';
import type { AgentContainer } from './agent-container.ts';
import type { Measure } from './measure.ts';
import { CpuWatch } from './cpu-watch.ts';
import type { RunContext } from './job-run.ts';

/** The workspace, or what changed of it, goes in before anything runs: only an engine that hangs takes this long. */
const SEND_MS_MAX = 60_000;
/** How much later than the agent we give up on a turn by ourselves, the return of a full delta included. */
const RETURN_MS_MAX = 30_000;

type Why = Pick<ShellEnded, 'ended' | 'reason'> & { readonly detail: string | null };

/** A shell in a container: used by one session, and removed with it. */
export class ContainerShell extends Shell {
  readonly #container: AgentContainer;
  readonly #context: Pick<RunContext, 'discard' | 'ranOutOfMemory' | 'isEngineThere'>;
  readonly #talk: ShellTalk;
  readonly #ended = Promise.withResolvers<Why>();
  readonly #gone = Promise.withResolvers<undefined>();
  /** processor time that turns before have been charged with, in milliseconds */
  #charged = 0;
  #why: Why | null = null;

  /**
   * Takes a container over and opens a shell in it. Rejects with ShellEnded, and with SandboxJobError; the container is
   * given back then.
   */
  static async open(
    container: AgentContainer,
    spec: ShellSpec,
    context: Pick<RunContext, 'discard' | 'ranOutOfMemory' | 'isEngineThere'>,
    signal: AbortSignal,
  ): Promise<ContainerShell> {
    const shell = new ContainerShell(container, context);
    try {
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
    context: Pick<RunContext, 'discard' | 'ranOutOfMemory' | 'isEngineThere'>,
  ) {
    super();
    this.#container = container;
    this.#context = context;
    this.#talk = new ShellTalk((parts) => container.send(parts));
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
    try {
      const transcript = await this.#within(turn.yieldMs + RETURN_MS_MAX, signal, this.#talk.turn(turn));
      return await this.#turned(turn, transcript, Math.round(performance.now() - startedAt));
    } catch (error) {
      if (!(error instanceof ShellEnded)) throw error;
      throw await this.#judged(error, Math.round(performance.now() - startedAt));
    } finally {
      watch.stop();
    }
  }

  override bring(patches: readonly SandboxPatch[]): Promise<readonly string[]> {
    return this.#within(SEND_MS_MAX, new AbortController().signal, this.#talk.bring(patches));
  }

  override async close(): Promise<void> {
    this.#end({ ended: 'killed', reason: 'aborted', detail: null });
    await this.#gone.promise;
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

  /** The answer, unless the shell ends before, the signal aborts or the time is over: each of these ends it. */
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

  /** Corrects what the stream says by what the kernel and the engine know. */
  async #judged({ ended, reason, message }: ShellEnded, wallMs: number): Promise<ShellEnded> {
    const usage = await this.#usage(wallMs);
    if (ended !== 'lost') return new ShellEnded(ended, reason, message, usage);
    if (await this.#context.ranOutOfMemory(this.#container.id))
      return new ShellEnded('limit', 'memory', 'the session used more memory than its limit', usage);
    if (!(await this.#context.isEngineThere())) return new ShellEnded(ended, 'engine', 'the engine went away', usage);
    return new ShellEnded(ended, 'container', this.#container.complaint ?? message, usage);
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
