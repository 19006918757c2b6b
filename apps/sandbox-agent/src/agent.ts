// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { FrameError, isChannelMessage, type AgentMessage, type HostMessage, type JobOrder } from '@writ/sandbox';
import type { Baseline, BaselineEntry } from './baseline.ts';
import { differences } from './compare.ts';
import { AgentFault } from './fault.ts';
import { BoundedOutput } from './bounded-output.ts';
import { perform, type Exit, type JobEnvironment } from './perform.ts';
import { performOnConnection } from './perform-on-connection.ts';
import { Proxy } from './proxy.ts';
import { sendDifferences } from './send-differences.ts';
import { Patcher } from './session/patcher.ts';
import { Session, verifyTerminal } from './session/session.ts';
import { StdinFile } from './stdin-file.ts';
import { Unpacker } from './unpack.ts';

type ShellMessage = Extract<HostMessage, { type: 'shell' }>;

/** Random bytes of a marker that no program prints by accident. */
const NONCE_BYTES = 16;

/**
 * Runs one job in one container: receives the workspace, runs the command, sends the delta. Or runs one shell with its
 * turns.
 */
export class Agent {
  readonly #environment: JobEnvironment;
  readonly #send: (message: AgentMessage) => void;
  readonly #unpacker: Unpacker;
  #started = false;
  #failed = false;
  #stdin: StdinFile | null = null;
  #proxy: Proxy | null = null;
  /** opened before the job arrived */
  #readyProxy: Proxy | null = null;
  #session: Session | null = null;
  /** messages that arrived while the proxy of a shell is opened; null at any other time */
  #heldMessages: HostMessage[] | null = null;
  /** Updates files that were pre-populated for an earlier job; set once that has begun. */
  #patcher: Patcher | null = null;
  #baseline: Map<string, BaselineEntry> | null = null;

  constructor(environment: JobEnvironment, send: (message: AgentMessage) => void) {
    this.#environment = environment;
    this.#send = send;
    this.#unpacker = new Unpacker(environment.root);
  }

  /** Whether it has received its job or its shell. */
  get isStarted(): boolean {
    return this.#started;
  }

  /**
   * Opens the proxy port that most jobs need, while nothing waits for it. Callers MUST await it before they pass a
   * message. Rejects where the port can't be opened; then the job tries itself.
   */
  async prepare(): Promise<void> {
    this.#readyProxy = await this.#openProxy();
  }

  /** Handles the adapter's next message. A failure is reported to the adapter once; later messages are ignored. */
  handle(message: HostMessage): void {
    if (this.#failed) return;
    if (this.#heldMessages !== null) return void this.#heldMessages.push(message);
    this.#reportFaults(() => {
      if (this.#session)
        this.#session.handle(message, (error) =>
          this.#reportFaults(() => {
            throw error;
          }),
        );
      else if (isChannelMessage(message)) this.#proxy?.handle(message);
      else if (message.type === 'file' && !this.#patcher) this.#unpacker.entry(message.head, message.bytes);
      else if (message.type === 'data') (this.#patcher ?? this.#unpacker).data(message.bytes);
      else if (message.type === 'patch') this.#patch(message);
      else if (message.type === 'job') this.#start(message.job);
      else if (message.type === 'shell') this.#openShell(message);
      else if (message.type !== 'stdin') throw new FrameError('there is no shell');
      else (this.#stdin ??= new StdinFile(this.#environment.scratch)).append(message.bytes);
    });
  }

  #patch({ path, after, bytes }: Extract<HostMessage, { type: 'patch' }>): void {
    if (this.#started) throw new FrameError('a container runs one job');
    this.#patcher ??= new Patcher(this.#environment.root, (this.#baseline = new Map(this.#unpacker.finish())));
    this.#patcher.apply(path, after, bytes);
  }

  #start(order: JobOrder): void {
    if (this.#started) throw new FrameError('a container runs one job');
    this.#started = true;
    if (this.#patcher?.isOpen) throw new FrameError('a file is shorter than announced');
    const baseline = this.#baseline ?? this.#unpacker.finish();
    const output = new BoundedOutput(order.output_bytes_max, this.#send);
    const stdin = order.stdin ? (this.#stdin ?? new StdinFile(this.#environment.scratch)) : null;
    void this.#perform(order, stdin, output).then(({ code, signal, timedOut }) => {
      stdin?.close();
      this.#send({ type: 'exit', code, signal, timedOut, droppedBytes: output.droppedBytes });
      // The changes of a command that was cut off are no effect.
      if (!timedOut) this.#reportFaults(() => this.#compare(order, baseline));
    });
  }

  async #perform(order: JobOrder, stdin: StdinFile | null, output: BoundedOutput): Promise<Exit> {
    const ready = this.#claimReadyProxy();
    if (order.proxy !== true && order.stdio !== true) {
      ready?.close();
      return await perform(order, stdin, this.#environment, output);
    }
    this.#proxy = ready ?? (await this.#openProxy());
    this.#proxy.begin();
    const proxied = order.proxy === true ? { ...order, env: { ...this.#proxy.env, ...order.env } } : order;
    try {
      if (order.stdio !== true) return await perform(proxied, stdin, this.#environment, output);
      // The first channel, so that the adapter knows which one it is. The job has not begun yet, and so can't forge it.
      const connection = this.#proxy.connect();
      if (connection === null) throw new FrameError('no channel can be opened');
      return await performOnConnection(proxied, connection, this.#environment, output);
    } finally {
      this.#proxy.close();
    }
  }

  #openProxy(): Promise<Proxy> {
    return Proxy.open((message) => this.#send(message));
  }

  #claimReadyProxy(): Proxy | null {
    const ready = this.#readyProxy;
    this.#readyProxy = null;
    return ready;
  }

  #openShell(message: ShellMessage): void {
    if (this.#started) throw new FrameError('a container runs one job');
    this.#started = true;
    verifyTerminal(spawnSync('script', ['--version'], { stdio: 'ignore' }).status === 0);
    const ready = this.#claimReadyProxy();
    if (message.proxy !== true) {
      ready?.close();
      this.#beginSession(message, null);
    } else if (ready !== null) this.#beginSession(message, ready);
    else void this.#openProxyFor(message);
  }

  async #openProxyFor(message: ShellMessage): Promise<void> {
    this.#heldMessages = [];
    const proxy = await this.#openProxy().catch((error: Error) => error);
    this.#reportFaults(() => {
      if (proxy instanceof Error) throw new AgentFault('shell', `no proxy can be opened: ${proxy.message}`);
      this.#beginSession(message, proxy);
    });
    const held = this.#heldMessages;
    this.#heldMessages = null;
    for (const each of held) this.handle(each);
  }

  #beginSession(message: ShellMessage, proxy: Proxy | null): void {
    this.#session = new Session({
      environment: this.#environment,
      baseline: this.#unpacker.finish(),
      shell: message,
      nonce: randomBytes(NONCE_BYTES).toString('hex'),
      proxy,
      send: this.#send,
    });
  }

  #compare(order: JobOrder, baseline: Baseline): void {
    const { root } = this.#environment;
    const found = differences(root, baseline, { changesMax: order.delta_files_max, bytesMax: order.delta_bytes_max });
    sendDifferences(root, found, this.#send);
  }

  #reportFaults(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#failed = true;
      if (error instanceof AgentFault) this.#send({ type: 'fault', reason: error.reason, detail: error.message });
      else if (error instanceof FrameError) this.#send({ type: 'fault', reason: 'protocol', detail: error.message });
      else throw error;
    }
  }
}
