// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { FrameError, isChannelMessage, type AgentMessage, type HostMessage, type JobOrder } from '@writ/sandbox';
import type { Baseline, BaselineEntry } from './baseline.ts';
import { differences } from './compare.ts';
import { AgentFault } from './fault.ts';
import { OutputCut } from './output-cut.ts';
import { perform, type Exit, type Place } from './perform.ts';
import { Proxy } from './proxy.ts';
import { sendBack } from './send-back.ts';
import { Patcher } from './session/patcher.ts';
import { Session, verifyTerminal } from './session/session.ts';
import { StdinFile } from './stdin-file.ts';
import { Unpacker } from './unpack.ts';

/** A mark that nobody prints by accident. */
const NONCE_BYTES = 16;

/** One job in one container: workspace in, command, delta out; or one shell, and its turns. */
export class Agent {
  readonly #place: Place;
  readonly #speak: (message: AgentMessage) => void;
  readonly #unpacker: Unpacker;
  #started = false;
  #failed = false;
  #stdin: StdinFile | null = null;
  #proxy: Proxy | null = null;
  /** opened before there was a job */
  #ready: Proxy | null = null;
  #session: Session | null = null;
  /** Updates files that were pre-populated for an earlier job; there once it has begun. */
  #patcher: Patcher | null = null;
  #baseline: Map<string, BaselineEntry> | null = null;

  constructor(place: Place, speak: (message: AgentMessage) => void) {
    this.#place = place;
    this.#speak = speak;
    this.#unpacker = new Unpacker(place.root);
  }

  /** Whether it has been given its job or its shell. */
  get isStarted(): boolean {
    return this.#started;
  }

  /**
   * Opens a port for the way out that most jobs have, while nobody waits. MUST be over before a message is taken.
   * Rejects where it can't be opened; a job tries by itself then.
   */
  async prepare(): Promise<void> {
    this.#ready = await this.#openProxy();
  }

  /**
   * Takes the adapter's next message. What goes wrong is told to the adapter, once; after that nothing is done any
   * more.
   */
  take(message: HostMessage): void {
    if (this.#failed) return;
    this.#orFault(() => {
      if (this.#session)
        this.#session.take(message, (error) =>
          this.#orFault(() => {
            throw error;
          }),
        );
      else if (isChannelMessage(message)) this.#proxy?.take(message);
      else if (message.type === 'file' && !this.#patcher) this.#unpacker.entry(message.head, message.bytes);
      else if (message.type === 'data') (this.#patcher ?? this.#unpacker).data(message.bytes);
      else if (message.type === 'patch') this.#patch(message);
      else if (message.type === 'job') this.#start(message.job);
      else if (message.type === 'shell') this.#openShell(message);
      else if (message.type !== 'stdin') throw new FrameError('there is no shell');
      else (this.#stdin ??= new StdinFile(this.#place.scratch)).append(message.bytes);
    });
  }

  #patch({ path, after, bytes }: Extract<HostMessage, { type: 'patch' }>): void {
    if (this.#started) throw new FrameError('a container runs one job');
    this.#patcher ??= new Patcher(this.#place.root, (this.#baseline = new Map(this.#unpacker.finish())));
    this.#patcher.apply(path, after, bytes);
  }

  #start(order: JobOrder): void {
    if (this.#started) throw new FrameError('a container runs one job');
    this.#started = true;
    if (this.#patcher?.isOpen) throw new FrameError('a file is shorter than announced');
    const baseline = this.#baseline ?? this.#unpacker.finish();
    const output = new OutputCut(order.output_bytes_max, this.#speak);
    const stdin = order.stdin ? (this.#stdin ?? new StdinFile(this.#place.scratch)) : null;
    void this.#perform(order, stdin, output).then(({ code, signal, timedOut }) => {
      stdin?.close();
      this.#speak({ type: 'exit', code, signal, timedOut, droppedBytes: output.droppedBytes });
      // What a command left behind that was cut off half-way is no effect.
      if (!timedOut) this.#orFault(() => this.#compare(order, baseline));
    });
  }

  async #perform(order: JobOrder, stdin: StdinFile | null, output: OutputCut): Promise<Exit> {
    const ready = this.#takeReady();
    if (order.proxy !== true) {
      ready?.close();
      return await perform(order, stdin, this.#place, output);
    }
    this.#proxy = ready ?? (await this.#openProxy());
    try {
      return await perform({ ...order, env: { ...this.#proxy.env, ...order.env } }, stdin, this.#place, output);
    } finally {
      this.#proxy.close();
    }
  }

  #openProxy(): Promise<Proxy> {
    return Proxy.open((message) => this.#speak(message));
  }

  #takeReady(): Proxy | null {
    const ready = this.#ready;
    this.#ready = null;
    return ready;
  }

  #openShell(message: Extract<HostMessage, { type: 'shell' }>): void {
    if (this.#started) throw new FrameError('a container runs one job');
    this.#started = true;
    this.#takeReady()?.close();
    verifyTerminal(spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0);
    this.#session = new Session(
      this.#place,
      this.#unpacker.finish(),
      message,
      randomBytes(NONCE_BYTES).toString('hex'),
      this.#speak,
    );
  }

  #compare(order: JobOrder, baseline: Baseline): void {
    const { root } = this.#place;
    const found = differences(root, baseline, { changesMax: order.delta_files_max, bytesMax: order.delta_bytes_max });
    sendBack(root, found, this.#speak);
  }

  #orFault(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#failed = true;
      if (error instanceof AgentFault) this.#speak({ type: 'fault', reason: error.reason, detail: error.message });
      else if (error instanceof FrameError) this.#speak({ type: 'fault', reason: 'protocol', detail: error.message });
      else throw error;
    }
  }
}
