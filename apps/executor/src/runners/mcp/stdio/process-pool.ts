// SPDX-License-Identifier: Apache-2.0
//
// The processes of MCP servers that this executor keeps. INVARIANT (never shared): a process serves calls of its key
// alone. A key names tenant, server, settings, image, values of secrets, token and person, so that no two tenants,
// persons or tokens ever see one process. INVARIANT (bounded): an executor has so many processes, and a tenant a part
// of them. The one that was idle longest makes room.
import type { KeptProcess } from './kept-process.ts';

/** A process that nobody used for so long ends. */
const IDLE_MS = 120_000;
/** A process that is older serves no further call: less than the time after which its container ends. */
export const AGE_MS_MAX = 50 * 60_000;

export interface PoolOptions {
  /** processes of this executor */
  readonly processesMax: number;
  /** monotonic, in milliseconds */
  readonly now: () => number;
}

interface Slot {
  readonly tenantId: string;
  readonly key: string;
  process: KeptProcess | null;
  /** whether a call has it */
  isBusy: boolean;
  usedAt: number;
  timer: NodeJS.Timeout | null;
}

/** A process for one call. */
export interface Lease {
  /** null: the caller is to start one, and to set it */
  process: KeptProcess | null;
  /** Ends the use. A process that isn't to be kept MUST be closed before. */
  release(isKept: boolean): void;
}

export class ProcessPool {
  readonly #options: PoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #waiting = new Set<() => void>();
  #isDraining = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Processes that it has, or that are starting. */
  get size(): number {
    return this.#slots.size;
  }

  /**
   * A process of that key which is idle, or room for a new one; null where there was none in time.
   * @throws the reason of the signal
   */
  async take(tenantId: string, key: string, waitMs: number, signal: AbortSignal): Promise<Lease | null> {
    const until = this.#options.now() + waitMs;
    for (;;) {
      signal.throwIfAborted();
      const slot = this.#idle(tenantId, key) ?? this.#fresh(tenantId, key);
      if (slot !== null) return this.#lease(slot);
      const leftMs = until - this.#options.now();
      if (leftMs <= 0 || this.#isDraining) return null;
      await this.#released(leftMs, signal);
    }
  }

  /** Keeps no process any more, and ends the idle ones. */
  drain(): void {
    this.#isDraining = true;
    for (const slot of [...this.#slots]) if (!slot.isBusy) this.#end(slot);
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.drain();
    await Promise.all([...this.#slots].map(async ({ process }) => await process?.close()));
  }

  #idle(tenantId: string, key: string): Slot | null {
    const { now } = this.#options;
    const idle = [...this.#slots]
      .filter((slot) => slot.tenantId === tenantId && slot.key === key && !slot.isBusy)
      .toSorted((a, b) => b.usedAt - a.usedAt);
    for (const slot of idle) {
      if (slot.process?.isAlive === true && now() - slot.process.startedAt < AGE_MS_MAX) return slot;
      this.#end(slot);
    }
    return null;
  }

  /** Room for a process: an idle one of another key may have to end for it. */
  #fresh(tenantId: string, key: string): Slot | null {
    if (this.#isDraining) return null;
    const { processesMax, now } = this.#options;
    const own = [...this.#slots].filter((slot) => slot.tenantId === tenantId);
    const isTenantFull = own.length >= eachOf(processesMax);
    if (isTenantFull || this.#slots.size >= processesMax) {
      const [oldest] = (isTenantFull ? own : [...this.#slots])
        .filter(({ isBusy }) => !isBusy)
        .toSorted((a, b) => a.usedAt - b.usedAt);
      if (oldest === undefined) return null;
      this.#end(oldest);
    }
    const slot: Slot = { tenantId, key, process: null, isBusy: false, usedAt: now(), timer: null };
    this.#slots.add(slot);
    return slot;
  }

  #lease(slot: Slot): Lease {
    slot.isBusy = true;
    if (slot.timer !== null) clearTimeout(slot.timer);
    return {
      get process() {
        return slot.process;
      },
      set process(process) {
        slot.process = process;
      },
      release: (isKept) => this.#release(slot, isKept),
    };
  }

  #release(slot: Slot, isKept: boolean): void {
    slot.isBusy = false;
    slot.usedAt = this.#options.now();
    if (!isKept || this.#isDraining || slot.process?.isAlive !== true) this.#end(slot);
    else {
      slot.timer = setTimeout(() => this.#end(slot), IDLE_MS).unref();
      // A process that dies by itself makes room at once.
      void slot.process.ended.then(() => slot.isBusy || this.#end(slot));
    }
    for (const wake of [...this.#waiting]) wake();
  }

  #end(slot: Slot): void {
    if (!this.#slots.delete(slot)) return;
    if (slot.timer !== null) clearTimeout(slot.timer);
    void slot.process?.close();
  }

  async #released(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.add(done);
    });
  }
}

/** Of one tenant: with more than one, none takes all of them. */
const eachOf = (processesMax: number): number => Math.max(1, Math.ceil(processesMax / 2));
