// SPDX-License-Identifier: Apache-2.0
import type { Consumer, ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { handleOnce, UnderWay, type Surroundings, type Work, type WorkOptions } from '@writ/bus';
import type { LaneKeeper } from './lane-keeper.ts';
import { fromNatsHeaders } from './nats-headers.ts';

/** The port promises to ask for free slots at least this often. */
const slotsPollMs = 100;
/** How long one fetch waits for messages. The server forgets it then; the next follows at once. */
const fetchMs = 5_000;
/**
 * The server says this often that a fetch still waits. Two missing, and it was forgotten: the lane is looked at again.
 */
const heartbeatMs = 500;
/**
 * Pause before a lane that is gone is looked for again: an executor waits for the kernel to make it. Half of it is
 * jitter.
 */
const missingLaneMs = 300;
/** How long a worker that starts looks for its lane before it reports that there is none. */
const startMs = 10_000;
/**
 * How long a message too many waits here for a slot: since a reconnection doubled a fetch, or a slot was taken
 * otherwise. Less than the lane waits for its acknowledgement.
 */
const heldMs = 2_000;
/** Then it goes back for this long. */
const noSlotDelayMs = 50;

/** Takes messages of one lane, never more than the worker has free slots. */
export class NatsWorker implements Work {
  readonly #jetstream: JetStreamClient;
  readonly #stream: string;
  readonly #options: WorkOptions;
  readonly #with: Surroundings;
  readonly #keeper: LaneKeeper | undefined;
  readonly #underWay = new UnderWay();
  readonly #running: Promise<void>;
  #consumer: Consumer | undefined;
  #messages: ConsumerMessages | undefined;
  #isOpen = true;
  /** when it began to look for the lane, by a monotonic clock; null while it has one */
  #missingSince: number | null = performance.now();
  #isReported = false;
  #silentMs = startMs;
  #wake: () => void = () => {};

  constructor(
    client: JetStreamClient,
    stream: string,
    options: WorkOptions,
    surroundings: Surroundings,
    keeper: LaneKeeper | undefined,
  ) {
    this.#jetstream = client;
    this.#stream = stream;
    this.#options = options;
    this.#with = surroundings;
    this.#keeper = keeper;
    this.#running = this.#run();
  }

  freed(): void {
    this.#wake();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#wake();
    await this.#messages?.close();
    await this.#running;
    await this.#underWay.idle();
  }

  async #run(): Promise<void> {
    while (this.#isOpen) {
      const free = this.#options.slots();
      if (free <= 0) {
        await this.#rest(slotsPollMs);
        continue;
      }
      try {
        await this.#fetch(free);
      } catch (error) {
        await this.#recover(error);
      }
    }
  }

  async #fetch(count: number): Promise<void> {
    this.#consumer ??= await this.#jetstream.consumers.get(this.#stream, this.#options.durable);
    if (!this.#isOpen) return;
    this.#messages = await this.#consumer.fetch({ max_messages: count, expires: fetchMs, idle_heartbeat: heartbeatMs });
    [this.#missingSince, this.#isReported, this.#silentMs] = [null, false, 0];
    for await (const message of this.#messages) {
      await this.#untilFree();
      if (this.#isOpen && this.#options.slots() > 0) this.#take(message);
      else message.nak(noSlotDelayMs);
    }
  }

  async #untilFree(): Promise<void> {
    const until = performance.now() + heldMs;
    while (this.#isOpen && this.#options.slots() <= 0 && performance.now() < until) await this.#rest(slotsPollMs);
  }

  #take(message: JsMsg): void {
    const headers = fromNatsHeaders(message.headers);
    const received = { bytes: message.data, headers, delivery: message.info.deliveryCount };
    const settle = {
      ack: () => message.ack(),
      nak: (delayMs: number) => message.nak(delayMs),
      term: () => message.term(),
    };
    const handle = () => handleOnce(received, settle, this.#options.handler, this.#with.report);
    void this.#underWay.run(() => this.#with.trace.extract(headers, handle)).then(() => this.#wake());
  }

  /**
   * The lane is gone, or the server is. Reported once, not at every look; and at the start only after a while, since a
   * process that starts before the one that makes the lanes is as it should be.
   */
  async #recover(error: unknown): Promise<void> {
    this.#consumer = undefined;
    this.#missingSince ??= performance.now();
    if (!this.#isReported && performance.now() - this.#missingSince >= this.#silentMs) {
      this.#with.report(error);
      this.#isReported = true;
    }
    await this.#keeper?.ensure().catch(() => {});
    await this.#rest(missingLaneMs / 2 + Math.random() * (missingLaneMs / 2));
  }

  /** Waits, at most until a handler has settled. */
  async #rest(ms: number): Promise<void> {
    if (!this.#isOpen) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
