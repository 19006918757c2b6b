// SPDX-License-Identifier: Apache-2.0
import type { EnqueueOptions, WorkSubscription, WorkOptions } from './bus.ts';
import { handleOnce } from './handle-once.ts';
import { InFlight } from './in-flight.ts';

/** How often the lane polls a worker's free slots while messages wait: well under the 100 ms that the port promises. */
const slotsPollMs = 20;
/** Deliveries of one message before the lane drops it, as on the NATS lanes. */
const deliveriesMax = 3;

interface QueuedMessage {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly delivery: number;
}

interface Worker {
  readonly options: WorkOptions;
  readonly underWay: InFlight;
}

/** One work lane of the in-memory bus: a queue, and the workers that share it. */
export class MemoryLane {
  readonly #report: (error: unknown) => void;
  readonly #queue: QueuedMessage[] = [];
  readonly #seen = new Set<string>();
  readonly #workers: Worker[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  enqueue(bytes: Uint8Array, options: EnqueueOptions, headers: Readonly<Record<string, string>>): void {
    if (this.#seen.has(options.messageId)) return;
    this.#seen.add(options.messageId);
    this.#queue.push({ bytes: Uint8Array.from(bytes), headers, delivery: 1 });
    this.#after(0, () => this.#pump());
  }

  consume(options: WorkOptions): WorkSubscription {
    const worker: Worker = { options, underWay: new InFlight() };
    this.#workers.push(worker);
    this.#after(0, () => this.#pump());
    return {
      notifySlotFree: () => this.#after(0, () => this.#pump()),
      close: async () => {
        const index = this.#workers.indexOf(worker);
        if (index >= 0) this.#workers.splice(index, 1);
        await worker.underWay.whenIdle();
      },
    };
  }

  /** Drops every message, as a lane does whose storage was deleted. */
  clear(): void {
    this.#queue.length = 0;
    this.#seen.clear();
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #pump(): void {
    while (this.#queue.length > 0 && this.#workers.length > 0) {
      const worker = this.#workers.find(({ options }) => options.slots() > 0);
      if (worker === undefined) {
        this.#after(slotsPollMs, () => this.#pump());
        return;
      }
      // Round robin: the worker that was served goes to the end.
      this.#workers.push(...this.#workers.splice(this.#workers.indexOf(worker), 1));
      const message = this.#queue.shift();
      if (message !== undefined) void this.#deliver(worker, message);
    }
  }

  async #deliver(worker: Worker, message: QueuedMessage): Promise<void> {
    const nak = (delayMs: number): void => {
      if (message.delivery >= deliveriesMax) return;
      this.#after(delayMs, () => {
        this.#queue.push({ ...message, delivery: message.delivery + 1 });
        this.#pump();
      });
    };
    const settle = { ack: () => {}, nak, term: () => {} };
    await worker.underWay.run(() => handleOnce(message, settle, worker.options.handler, this.#report));
    this.#pump();
  }

  #after(delayMs: number, fn: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      fn();
    }, delayMs);
    this.#timers.add(timer);
  }
}
