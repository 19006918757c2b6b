// SPDX-License-Identifier: Apache-2.0
import type { Consumer, ConsumerMessages, JetStreamClient, JsMsg } from '@nats-io/jetstream';
import { handleOnce, InFlight, type BusDependencies, type WorkSubscription, type WorkOptions } from '@writ/bus';
import type { LaneKeeper } from './lane-keeper.ts';
import { fromNatsHeaders } from './nats-headers.ts';

/** Interval between calls of `slots` without free slots; the port promises at most this. */
const slotsPollMs = 100;
/** How long one fetch waits for messages. The server drops it then, and the next fetch follows at once. */
const fetchMs = 5_000;
/**
 * Interval of the server's heartbeats for a waiting fetch. After two missing ones the fetch is lost, and the worker
 * looks up the lane again.
 */
const heartbeatMs = 500;
/** Pause before a missing lane is looked up again, while the kernel makes it. Half of it is jitter. */
const missingLaneMs = 300;
/** How long a starting worker looks for its lane before it reports that the lane is missing. */
const startMs = 10_000;
/**
 * How long a message without a free slot waits here: after a reconnection doubled a fetch, or another lane took the
 * slot. It is less than the lane waits for its acknowledgement.
 */
const slotWaitMs = 2_000;
/** After that, the message goes back to the lane for this long. */
const noSlotDelayMs = 50;

/** Consumes messages of one lane, never more than the worker has free slots. */
export class NatsWorker implements WorkSubscription {
  readonly #jetstream: JetStreamClient;
  readonly #stream: string;
  readonly #options: WorkOptions;
  readonly #dependencies: BusDependencies;
  readonly #keeper: LaneKeeper | undefined;
  readonly #inFlight = new InFlight();
  readonly #running: Promise<void>;
  #consumer: Consumer | undefined;
  #messages: ConsumerMessages | undefined;
  #isOpen = true;
  /** since when the lane is missing, by a monotonic clock; null while the worker has it */
  #missingSince: number | null = performance.now();
  #isReported = false;
  #reportAfterMs = startMs;
  #wake: () => void = () => {};

  constructor(
    client: JetStreamClient,
    stream: string,
    options: WorkOptions,
    surroundings: BusDependencies,
    keeper: LaneKeeper | undefined,
  ) {
    this.#jetstream = client;
    this.#stream = stream;
    this.#options = options;
    this.#dependencies = surroundings;
    this.#keeper = keeper;
    this.#running = this.#run();
  }

  notifySlotFree(): void {
    this.#wake();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#wake();
    await this.#messages?.close();
    await this.#running;
    await this.#inFlight.whenIdle();
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
    [this.#missingSince, this.#isReported, this.#reportAfterMs] = [null, false, 0];
    for await (const message of this.#messages) {
      await this.#untilSlotFree();
      if (this.#isOpen && this.#options.slots() > 0) this.#dispatch(message);
      else message.nak(noSlotDelayMs);
    }
  }

  async #untilSlotFree(): Promise<void> {
    const until = performance.now() + slotWaitMs;
    while (this.#isOpen && this.#options.slots() <= 0 && performance.now() < until) await this.#rest(slotsPollMs);
  }

  #dispatch(message: JsMsg): void {
    const headers = fromNatsHeaders(message.headers);
    const received = { bytes: message.data, headers, delivery: message.info.deliveryCount };
    const settle = {
      ack: () => message.ack(),
      nak: (delayMs: number) => message.nak(delayMs),
      term: () => message.term(),
    };
    const handle = () => handleOnce(received, settle, this.#options.handler, this.#dependencies.report);
    void this.#inFlight.run(() => this.#dependencies.trace.extract(headers, handle)).then(() => this.#wake());
  }

  /**
   * The lane or the server is gone. It is reported once, not at each attempt. After a start it is reported only after a
   * while, since a worker may start before the process that makes the lanes.
   */
  async #recover(error: unknown): Promise<void> {
    this.#consumer = undefined;
    this.#missingSince ??= performance.now();
    if (!this.#isReported && performance.now() - this.#missingSince >= this.#reportAfterMs) {
      this.#dependencies.report(error);
      this.#isReported = true;
    }
    await this.#keeper?.ensure().catch(() => {});
    await this.#rest(missingLaneMs / 2 + Math.random() * (missingLaneMs / 2));
  }

  /** Waits for `ms`, or until a handler has settled. */
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
