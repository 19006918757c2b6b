// SPDX-License-Identifier: Apache-2.0
//
// The processes of MCP servers that this executor has, those of listings too. INVARIANT (never shared): a process
// serves calls of its key alone. A key names tenant, server, settings, image, values of secrets, token, person, session
// and workspace, so that no two of these ever see one process. INVARIANT (bounded): an executor has so many processes,
// with so much memory, and a tenant a part of them. The one that was idle longest makes room. A process counts until
// nothing of it is left.
import type { WaitingProgram } from '@writ/contract';
import type { KeptProcess } from './kept-process.ts';

/** A process that nobody used for so long ends. */
const IDLE_MS = 120_000;
/** A process that is older serves no further call: less than the time after which its container ends. */
export const AGE_MS_MAX = 50 * 60_000;

export interface PoolOptions {
  /** processes of this executor */
  readonly processesMax: number;
  /** of all of them, in bytes */
  readonly memoryBytesMax: number;
  /** monotonic, in milliseconds */
  readonly now: () => number;
}

/** Whose a process is, and what it takes. */
export interface Wanted {
  readonly tenantId: string;
  readonly key: string;
  readonly memoryBytes: number;
}

interface Slot extends Wanted {
  process: KeptProcess | null;
  /** whether a call has it */
  isBusy: boolean;
  /** whether it is being killed; it counts until nothing of it is left */
  isEnding: boolean;
  usedAt: number;
  timer: NodeJS.Timeout | null;
}

/** A process for one call. */
export interface Lease {
  /** It MUST be woken before its use. null: the caller is to start one, and to set it */
  process: KeptProcess | null;
  /** Ends the use. A process that isn't to be kept MUST be closed before. */
  release(isKept: boolean): void;
}

/** The processes of a tenant that wait for another call. */
export interface TenantWaiting {
  readonly tenantId: string;
  readonly programs: readonly WaitingProgram[];
  /** Ends those whose last calls are not among these. */
  endUnless(live: ReadonlySet<string>): void;
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
  async take(wanted: Wanted, waitMs: number, signal: AbortSignal): Promise<Lease | null> {
    const until = this.#options.now() + waitMs;
    for (;;) {
      signal.throwIfAborted();
      const slot = this.#idle(wanted) ?? this.#fresh(wanted);
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

  /** The processes that wait for another call, by tenant. */
  waiting(): readonly TenantWaiting[] {
    const waiting = [...this.#slots].flatMap((slot) => {
      const calls = slot.process?.calls ?? null;
      return isIdle(slot) && calls !== null ? [{ slot, calls }] : [];
    });
    return [...Map.groupBy(waiting, ({ slot }) => slot.tenantId)].map(([tenantId, those]) => ({
      tenantId,
      programs: those.map(({ calls }) => calls),
      endUnless: (live) => {
        for (const { slot, calls } of those)
          // A call that came meanwhile was redeemed, and says more than an answer about the one before it.
          if (!live.has(calls.last) && isIdle(slot) && slot.process?.calls === calls) this.#end(slot);
      },
    }));
  }

  #idle({ tenantId, key }: Wanted): Slot | null {
    const { now } = this.#options;
    const idle = [...this.#slots]
      .filter((slot) => slot.tenantId === tenantId && slot.key === key && isIdle(slot))
      .toSorted((a, b) => b.usedAt - a.usedAt);
    for (const slot of idle) {
      if (slot.process?.isAlive === true && now() - slot.process.startedAt < AGE_MS_MAX) return slot;
      this.#end(slot);
    }
    return null;
  }

  /** Room for a process: idle ones of other keys may have to end for it, and then it is there a moment later. */
  #fresh(wanted: Wanted): Slot | null {
    if (this.#isDraining) return null;
    const own = [...this.#slots].filter(({ tenantId }) => tenantId === wanted.tenantId);
    const { processesMax, memoryBytesMax, now } = this.#options;
    if (own.length >= eachOf(processesMax)) return this.#makeRoom(own);
    const memoryBytes = [...this.#slots].reduce((sum, slot) => sum + slot.memoryBytes, wanted.memoryBytes);
    if (this.#slots.size >= processesMax || memoryBytes > memoryBytesMax) return this.#makeRoom([...this.#slots]);
    const slot: Slot = { ...wanted, process: null, isBusy: false, isEnding: false, usedAt: now(), timer: null };
    this.#slots.add(slot);
    return slot;
  }

  /** Ends the one that was idle longest, and none more where as many are ending as calls wait. */
  #makeRoom(among: readonly Slot[]): null {
    const ending = among.filter(({ isEnding }) => isEnding).length;
    const [oldest] = among.filter(isIdle).toSorted((a, b) => a.usedAt - b.usedAt);
    if (oldest !== undefined && ending <= this.#waiting.size) this.#end(oldest);
    return null;
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
      slot.process.rest();
      slot.timer = setTimeout(() => this.#end(slot), IDLE_MS).unref();
      // A process that dies by itself makes room at once.
      void slot.process.ended.then(() => slot.isBusy || this.#end(slot));
    }
    this.#wake();
  }

  #end(slot: Slot): void {
    if (slot.isEnding) return;
    slot.isEnding = true;
    if (slot.timer !== null) clearTimeout(slot.timer);
    const gone = (): void => {
      this.#slots.delete(slot);
      this.#wake();
    };
    if (slot.process === null) gone();
    else void slot.process.close().then(gone);
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
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

const isIdle = ({ isBusy, isEnding }: Slot): boolean => !isBusy && !isEnding;

/** Of one tenant: with more than one, none takes all of them. */
const eachOf = (processesMax: number): number => Math.max(1, Math.ceil(processesMax / 2));
