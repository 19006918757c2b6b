// SPDX-License-Identifier: Apache-2.0
import type { RingOptions, Work, WorkOptions } from './bus.ts';
import { handleOnce } from './settle-once.ts';
import { UnderWay } from './under-way.ts';

/** How often a worker's free slots are asked for while messages wait: well under the 100 ms that the port promises. */
const slotsPollMs = 20;
/** Deliveries of one message before the lane gives up on it, as on the real lanes. */
const deliveriesMax = 3;

interface Queued {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly delivery: number;
}

interface Worker {
  readonly options: WorkOptions;
  readonly underWay: UnderWay;
}

/** One work lane of the in-memory bus: a queue, and the workers that share it. */
export class MemoryLane {
  readonly #report: (error: unknown) => void;
  readonly #queue: Queued[] = [];
  readonly #seen = new Set<string>();
  readonly #workers: Worker[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  ring(bytes: Uint8Array, options: RingOptions, headers: Readonly<Record<string, string>>): void {
    if (this.#seen.has(options.messageId)) return;
    this.#seen.add(options.messageId);
    this.#queue.push({ bytes: Uint8Array.from(bytes), headers, delivery: 1 });
    this.#after(0, () => this.#pump());
  }

  work(options: WorkOptions): Work {
    const worker: Worker = { options, underWay: new UnderWay() };
    this.#workers.push(worker);
    this.#after(0, () => this.#pump());
    return {
      freed: () => this.#after(0, () => this.#pump()),
      close: async () => {
        const index = this.#workers.indexOf(worker);
        if (index >= 0) this.#workers.splice(index, 1);
        await worker.underWay.idle();
      },
    };
  }

  /** Forgets every message, as a lane does whose storage was deleted. */
  lose(): void {
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
      // Whoever was served goes to the end of the line.
      this.#workers.push(...this.#workers.splice(this.#workers.indexOf(worker), 1));
      const message = this.#queue.shift();
      if (message !== undefined) void this.#deliver(worker, message);
    }
  }

  async #deliver(worker: Worker, message: Queued): Promise<void> {
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
