// SPDX-License-Identifier: Apache-2.0
import {
  AGENT_FRAMES,
  EntryTree,
  FrameDecoder,
  FrameError,
  parseAgentMessage,
  type AgentMessage,
  type Parts,
  type ToldUsage,
} from '@writ/sandbox';
import type { Meter } from './measure.ts';
import type { Wire } from './wire.ts';

/** What an agent may complain before it counts as a flood. */
const STDERR_BYTES_MAX = 64 * 1024;
/** The part of it that is kept for operators. */
const STDERR_KEPT = 1024;

/** Who listens to a container; replaced when a job takes it over. */
export interface ContainerListener {
  /** The next message of the agent: well-formed, and otherwise the job's word. */
  message(message: AgentMessage): void;
  /** The stream ended or broke its protocol; nothing comes after it. */
  closed(error: Error | null): void;
}

export interface AgentContainerParts {
  /** what its engine calls it */
  readonly id: string;
  readonly wire: Wire;
  /**
   * Kills and removes it; resolves when the engine has, and also when it was gone before. Rejects when the engine
   * doesn't answer.
   */
  readonly remove: () => Promise<void>;
  /** Hears usage where the agent was started to tell it; absent: an agent that does breaks its protocol. */
  readonly usage?: (told: ToldUsage) => void;
}

/** One container with its agent at the other end of a wire. */
export class AgentContainer {
  readonly id: string;
  /** what was sent into its workspace */
  readonly standing = new EntryTree();
  readonly #wire: Wire;
  readonly #remove: () => Promise<void>;
  #listener: ContainerListener | null = null;
  #closed: { error: Error | null } | null = null;
  #stderr = '';
  #stderrBytes = 0;
  #meter: Meter | null = null;
  #awaited = 0;

  /** Takes over a wire that is attached before the container starts, so that nothing is missed. */
  constructor({ id, wire, remove, usage }: AgentContainerParts) {
    this.id = id;
    this.#wire = wire;
    this.#remove = remove;
    const frames = new FrameDecoder(AGENT_FRAMES);
    wire.hear({
      stdout: (bytes) =>
        this.#guarded(() => {
          for (const frame of frames.push(bytes)) {
            const message = parseAgentMessage(frame);
            if (message.type === 'usage' && usage !== undefined) usage(message);
            else this.#listener?.message(message);
          }
        }),
      stderr: (bytes) => this.#guarded(() => this.#takeStderr(bytes)),
      closed: (error) => this.#close(error),
    });
  }

  /** What the agent complained last, for operators. */
  get complaint(): string | null {
    return this.#stderr === '' ? null : this.#stderr;
  }

  /** Counts what it uses; there once it has been started. */
  get meter(): Meter {
    if (!this.#meter) throw new Error('a container is measured once it has been started');
    return this.#meter;
  }

  /** Engines call it when the container has been started. */
  measureBy(meter: Meter): void {
    this.#meter = meter;
  }

  /** Hands the container to a listener, which is told at once when the stream is already over. */
  listen(listener: ContainerListener): void {
    this.#listener = listener;
    if (this.#closed) listener.closed(this.#closed.error);
  }

  /**
   * Resolves when its agent says hello. Rejects with FrameError when it begins with something else, and when the
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
              new Error(`the container ended before its agent spoke${this.complaint ? `: ${this.complaint}` : ''}`),
          ),
      });
    });
  }

  /** Bytes that were sent and that nobody has taken yet. */
  get waitingBytes(): number {
    return this.#wire.input.writableLength;
  }

  /** Sends bytes, whether or not they are taken: callers bound what waits. */
  post(bytes: Buffer): void {
    if (!this.#closed) this.#wire.input.write(bytes);
  }

  /** Sends bytes; resolves when more may be sent, also when the stream is over: the listener knows. */
  async send(parts: Parts): Promise<void> {
    if (this.#closed) return;
    const { input } = this.#wire;
    input.cork();
    for (const part of parts) input.write(part);
    input.uncork();
    // False of what has been destroyed, which tells of it once: that may have been before.
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
   * Reads nothing more until that has settled, which MUST NOT reject: the agent then waits as at a full pipe. What was
   * read already is still heard. Calls `resumed` when nothing is waited for any more.
   */
  waitFor(settled: Promise<unknown>, resumed: () => void): void {
    this.#awaited += 1;
    this.#wire.pause();
    void settled.then(() => {
      this.#awaited -= 1;
      if (this.#awaited > 0 || this.#listener === null) return;
      this.#wire.resume();
      resumed();
    });
  }

  /** Whether something is waited for before more is read. */
  get isWaiting(): boolean {
    return this.#awaited > 0;
  }

  /** Hears nothing of it any more; whatever still speaks there fills its own pipe. */
  hush(): void {
    this.#listener = null;
    this.#wire.pause();
  }

  /**
   * Kills and removes it; resolves when the engine has, and also when it was gone before. Rejects when the engine
   * doesn't answer.
   */
  async remove(): Promise<void> {
    this.#listener = null;
    this.#wire.destroy();
    await this.#remove();
  }

  /** What can't stand where it stands ends the container; nothing of it is heard after that. */
  #guarded(take: () => void): void {
    if (this.#closed) return;
    try {
      take();
    } catch (error) {
      this.#close(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #takeStderr(bytes: Buffer): void {
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
