// SPDX-License-Identifier: Apache-2.0
import type { Duplex, Writable } from 'node:stream';
import type Docker from 'dockerode';
import { AGENT_FRAMES, EntryTree, FrameDecoder, FrameError, parseAgentMessage, type AgentMessage, type Parts } from '@writ/sandbox';
import { containerOptions, type ContainerSpec } from './container-options.ts';
import { Demux } from './demux.ts';
import { openInput } from './direct-input.ts';
import { askEngine } from './engine-requests.ts';
import { Meter } from './measure.ts';

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

/** One container with its agent at the other end of an attached stream. */
export class AgentContainer {
  readonly id: string;
  /** what was sent into its workspace */
  readonly standing = new EntryTree();
  readonly #docker: Docker;
  readonly #container: Docker.Container;
  readonly #stream: Duplex;
  /** what the agent reads; the attached stream where there is no shorter way */
  #input: Writable;
  #listener: ContainerListener | null = null;
  #closed: { error: Error | null } | null = null;
  #stderr = '';
  #stderrBytes = 0;
  #meter: Meter | null = null;
  #awaited = 0;

  /** Makes, attaches and starts one; tells its id as soon as there is one; resolves when its agent has said hello. Rejects when the engine can't. */
  static async start(docker: Docker, spec: ContainerSpec, made: (id: string) => void = () => undefined): Promise<AgentContainer> {
    const making = docker.createContainer(containerOptions(spec));
    const container = await askEngine(docker, 'make a container', making, (late) => void late.remove({ force: true }).catch(() => undefined));
    made(container.id);
    try {
      const options = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
      const stream = await askEngine(docker, 'attach to a container', container.attach(options));
      const started = new AgentContainer(docker, container, stream as Duplex);
      const hello = started.#hello();
      // The hello is awaited last, and a failed start is the better explanation.
      hello.catch(() => undefined);
      await askEngine(docker, 'start a container', container.start());
      const looked = askEngine(docker, 'look at a container', container.inspect());
      started.#meter = new Meter(container, looked);
      await askEngine(docker, 'get an answer from an agent', hello);
      // Where nobody tells its number it is spoken to through the engine.
      await looked.then(({ State, Id }) => started.#shorten(openInput(State.Pid, Id)), () => undefined);
      return started;
    } catch (error) {
      await askEngine(docker, 'remove a container', container.remove({ force: true })).catch(() => undefined);
      throw error;
    }
  }

  private constructor(docker: Docker, container: Docker.Container, stream: Duplex) {
    this.#docker = docker;
    this.id = container.id;
    this.#container = container;
    this.#stream = stream;
    this.#input = stream;
    const frames = new FrameDecoder(AGENT_FRAMES);
    const demux = new Demux((bytes) => {
      for (const frame of frames.push(bytes)) this.#listener?.message(parseAgentMessage(frame));
    }, (bytes) => this.#takeStderr(bytes));
    stream.on('data', (chunk: Buffer) => {
      if (this.#closed) return;
      try {
        demux.push(chunk);
      } catch (error) {
        this.#close(error instanceof Error ? error : new Error(String(error)));
      }
    });
    stream.on('error', (error: Error) => this.#close(error));
    stream.on('close', () => this.#close(null));
    stream.on('end', () => this.#close(null));
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

  /** Hands the container to a listener, which is told at once when the stream is already over. */
  listen(listener: ContainerListener): void {
    this.#listener = listener;
    if (this.#closed) listener.closed(this.#closed.error);
  }

  /** Bytes that were sent and that nobody has taken yet. */
  get waitingBytes(): number {
    return this.#input.writableLength;
  }

  /** Sends bytes, whether or not they are taken: callers bound what waits. */
  post(bytes: Buffer): void {
    if (!this.#closed) this.#input.write(bytes);
  }

  /** Sends bytes; resolves when more may be sent, also when the stream is over: the listener knows. */
  async send(parts: Parts): Promise<void> {
    if (this.#closed) return;
    this.#input.cork();
    for (const part of parts) this.#input.write(part);
    this.#input.uncork();
    // False of what has been destroyed, which tells of it once: that may have been before.
    if (!this.#input.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#input.off('drain', go).off('close', go);
        resolve();
      };
      this.#input.once('drain', go).once('close', go);
    });
  }

  /**
   * Reads nothing more until that has settled, which MUST NOT reject: the agent then waits as at a full pipe. What was read already is still heard. Calls `resumed` when
   * nothing is waited for any more.
   */
  waitFor(settled: Promise<unknown>, resumed: () => void): void {
    this.#awaited += 1;
    this.#stream.pause();
    void settled.then(() => {
      this.#awaited -= 1;
      if (this.#awaited > 0 || this.#listener === null) return;
      this.#stream.resume();
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
    this.#stream.pause();
  }

  /** Kills and removes it; resolves when the engine has, and also when it was gone before. Rejects when the engine doesn't answer. */
  async remove(): Promise<void> {
    this.#listener = null;
    this.#disconnect();
    try {
      await askEngine(this.#docker, 'remove a container', this.#container.remove({ force: true }));
    } catch (error) {
      if (statusOf(error) === GONE) return;
      if (statusOf(error) !== BEING_REMOVED) throw error;
      // Its end of the stream is closed, so it may end by itself, and the engine removes it then.
      await askEngine(this.#docker, 'remove a container', this.#container.wait({ condition: 'removed' })).catch((late: unknown) => {
        if (statusOf(late) !== GONE) throw late;
      });
    }
  }

  #hello(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.listen({
        message: (message) => (message.type === 'hello' ? resolve() : reject(new FrameError('the agent does not begin with hello'))),
        closed: (error) => reject(error ?? new Error(`the container ended before its agent spoke${this.complaint ? `: ${this.complaint}` : ''}`)),
      });
    });
  }

  /** Sends by that way from here on. What ends it ends the attached stream too, which tells. */
  #shorten(input: Writable | null): void {
    if (input === null) return;
    input.on('error', () => undefined);
    if (this.#closed) input.destroy();
    else this.#input = input;
  }

  #disconnect(): void {
    this.#input.destroy();
    this.#stream.destroy();
  }

  #takeStderr(bytes: Buffer): void {
    this.#stderrBytes += bytes.length;
    if (this.#stderrBytes > STDERR_BYTES_MAX) throw new FrameError('the agent\'s error stream is flooded');
    this.#stderr = (this.#stderr + bytes.toString('latin1').replaceAll(/[^\x20-\x7e]+/g, ' ')).slice(-STDERR_KEPT);
  }

  #close(error: Error | null): void {
    if (this.#closed) return;
    this.#closed = { error };
    this.#disconnect();
    this.#listener?.closed(error);
  }
}

/** What an engine answers of a container that isn't there. */
const GONE = 404;
const BEING_REMOVED = 409;

/** The status of an engine's answer; undefined for any other error. */
function statusOf(error: unknown): unknown {
  return error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
}
