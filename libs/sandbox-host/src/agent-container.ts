// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_FRAMES,
  EntryTree,
  FrameDecoder,
  FrameError,
  parseAgentMessage,
  type AgentMessage,
  type Parts,
  type ReportedUsage,
} from '@writ/sandbox';
import type { Meter } from './measure.ts';
import type { Wire } from './wire.ts';

/** Bytes on the agent's error stream above which it counts as a flood. */
const STDERR_BYTES_MAX = 64 * 1024;
/** The part of them that is kept for operators. */
const STDERR_KEPT = 1024;

/** Receives the messages of a container; replaced when a job takes the container over. */
export interface ContainerListener {
  /** The next message of the agent: well-formed, but possibly forged by the job. */
  message(message: AgentMessage): void;
  /** The stream ended or broke its protocol; no message follows. */
  closed(error: Error | null): void;
}

/** Stops all processes of a container, its agent too, from outside it. Both reject where the engine fails. */
export interface Freezer {
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

export interface AgentContainerParts {
  /** the engine's id of it */
  readonly id: string;
  readonly wire: Wire;
  /**
   * Kills and removes it. Resolves when the engine has done so, and also when it was gone before. Rejects when the
   * engine doesn't answer.
   */
  readonly remove: () => Promise<void>;
  /** Stops its processes and lets them go on. Absent: the engine can't. */
  readonly freezer?: Freezer;
  /** Receives usage where the agent was started to report it. Absent: an agent that reports it breaks its protocol. */
  readonly usage?: (reported: ReportedUsage) => void;
}

/** One container, with its agent at the other end of a wire. */
export class AgentContainer {
  readonly id: string;
  /** the entries that were sent into its workspace */
  readonly presentEntries = new EntryTree();
  readonly #wire: Wire;
  readonly #remove: () => Promise<void>;
  readonly #freezer: Freezer | null;
  #listener: ContainerListener | null = null;
  #closed: { error: Error | null } | null = null;
  #stderr = '';
  #stderrBytes = 0;
  #meter: Meter | null = null;
  #awaited = 0;

  /** Uses a wire that is attached before the container starts, so that no output is missed. */
  constructor({ id, wire, remove, freezer, usage }: AgentContainerParts) {
    this.id = id;
    this.#wire = wire;
    this.#remove = remove;
    this.#freezer = freezer ?? null;
    const frames = new FrameDecoder(AGENT_FRAMES);
    wire.listen({
      stdout: (bytes) =>
        this.#guarded(() => {
          for (const frame of frames.push(bytes)) {
            const message = parseAgentMessage(frame);
            if (message.type === 'usage' && usage !== undefined) usage(message);
            else this.#listener?.message(message);
          }
        }),
      stderr: (bytes) => this.#guarded(() => this.#receiveStderr(bytes)),
      closed: (error) => this.#close(error),
    });
  }

  /** The last output on the agent's error stream, for operators. */
  get lastStderr(): string | null {
    return this.#stderr === '' ? null : this.#stderr;
  }

  /** Counts the usage; available once the container has been started. */
  get meter(): Meter {
    if (!this.#meter) throw new Error('a container is measured once it has been started');
    return this.#meter;
  }

  /** Engines call it when the container has been started. */
  measureBy(meter: Meter): void {
    this.#meter = meter;
  }

  /** Sets the listener. It is called at once when the stream is already over. */
  listen(listener: ContainerListener): void {
    this.#listener = listener;
    if (this.#closed) listener.closed(this.#closed.error);
  }

  /**
   * Resolves with its agent's hello. Rejects with FrameError when the first message is another one, and when the
   * container ends before.
   */
  hello(): Promise<Extract<AgentMessage, { type: 'hello' }>> {
    return new Promise((resolve, reject) => {
      this.listen({
        message: (message) =>
          message.type === 'hello' ? resolve(message) : reject(new FrameError('the agent does not begin with hello')),
        closed: (error) =>
          reject(
            error ??
              new Error(`the container ended before its agent spoke${this.lastStderr ? `: ${this.lastStderr}` : ''}`),
          ),
      });
    });
  }

  /** Bytes that were sent and that the container has not read yet. */
  get waitingBytes(): number {
    return this.#wire.input.writableLength;
  }

  /** Sends bytes without waiting: callers bound the waiting bytes. */
  post(bytes: Buffer): void {
    if (!this.#closed) this.#wire.input.write(bytes);
  }

  /** Sends bytes. Resolves when more may be sent, also when the stream is over, which the listener learns. */
  async send(parts: Parts): Promise<void> {
    if (this.#closed) return;
    const { input } = this.#wire;
    input.cork();
    for (const part of parts) input.write(part);
    input.uncork();
    // `writableNeedDrain` is false for a destroyed stream, whose `close` event may already be past.
    if (!input.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        input.off('drain', go).off('close', go);
        resolve();
      };
      input.once('drain', go).once('close', go);
    });
  }

  /**
   * Pauses reading until the promise has settled, which MUST NOT reject: the agent then waits as at a full pipe. Output
   * that was read before is still delivered. Calls `resumed` when reading continues.
   */
  pauseFor(settled: Promise<unknown>, resumed: () => void): void {
    this.#awaited += 1;
    this.#wire.pause();
    void settled.then(() => {
      this.#awaited -= 1;
      if (this.#awaited > 0 || this.#listener === null) return;
      this.#wire.resume();
      resumed();
    });
  }

  /** Whether reading is paused by a promise. */
  get isWaiting(): boolean {
    return this.#awaited > 0;
  }

  /** As `RunningJob.freeze`. */
  async freeze(): Promise<boolean> {
    await this.#freezer?.freeze();
    return this.#freezer !== null;
  }

  /** As `RunningJob.thaw`. */
  async thaw(): Promise<void> {
    await this.#freezer?.thaw();
  }

  /** Stops listening; further output only fills the pipe of its writer. */
  stopListening(): void {
    this.#listener = null;
    this.#wire.pause();
  }

  /**
   * Kills and removes it. Resolves when the engine has done so, and also when it was gone before. Rejects when the
   * engine doesn't answer.
   */
  async remove(): Promise<void> {
    this.#listener = null;
    this.#wire.destroy();
    await this.#remove();
  }

  /** A message that is invalid in its state ends the container; later ones are ignored. */
  #guarded(take: () => void): void {
    if (this.#closed) return;
    try {
      take();
    } catch (error) {
      this.#close(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #receiveStderr(bytes: Buffer): void {
    this.#stderrBytes += bytes.length;
    if (this.#stderrBytes > STDERR_BYTES_MAX) throw new FrameError("the agent's error stream is flooded");
    this.#stderr = (this.#stderr + bytes.toString('latin1').replaceAll(/[^\x20-\x7e]+/g, ' ')).slice(-STDERR_KEPT);
  }

  #close(error: Error | null): void {
    if (this.#closed) return;
    this.#closed = { error };
    this.#wire.destroy();
    this.#listener?.closed(error);
  }
}
