// SPDX-License-Identifier: Apache-2.0
//
// The processes of MCP servers that this executor has, those of listings too. INVARIANT (never shared): a process
// serves calls of its key alone. A key names tenant, server, settings, image, values of secrets, token, person, session
// and workspace, so that no two of these ever see one process. INVARIANT (bounded): an executor has so many processes,
// with so much memory, and a tenant a part of them. The one that was idle longest makes room. A process counts until
// nothing of it is left.
import { PROGRAMS_ASKED_MAX, type WaitingProgram } from '@writ/contract';
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
  /** the process whose end is awaited */
  watched: KeptProcess | null;
  /** a process that nobody may call any more: it ends with the call that has it */
  over: KeptProcess | null;
}

/** A process for one call. */
export interface Lease {
  /** It MUST be woken before its use. null: the caller is to start one, and to set it */
  process: KeptProcess | null;
  /** Ends the use. A process that isn't to be kept MUST be closed before. */
  release(isKept: boolean): void;
}

/** Processes of a tenant that served a call and are kept for another one: as many as one request may ask about. */
export interface TenantWaiting {
  readonly tenantId: string;
  readonly programs: readonly WaitingProgram[];
  /** Ends those whose last calls are not among these; one that a call has by now ends with that call. */
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

  /** The processes that served a call and are kept, by tenant: those that a call has again, too. */
  waiting(): readonly TenantWaiting[] {
    const kept = [...this.#slots].flatMap((slot): readonly Kept[] => {
      const { process, isEnding } = slot;
      return isEnding || process === null || process.calls === null ? [] : [{ slot, process, calls: process.calls }];
    });
    return [...Map.groupBy(kept, ({ slot }) => slot.tenantId)].flatMap(([tenantId, those]) =>
      batchesOf(those).map((batch) => ({
        tenantId,
        programs: batch.map(({ calls }) => calls),
        endUnless: (live) => {
          for (const each of batch) if (!live.has(each.calls.last)) this.#endAfterUse(each);
        },
      })),
    );
  }

  /** A call that came meanwhile was redeemed, and may end. It puts nothing right of what the process has. */
  #endAfterUse({ slot, process }: Kept): void {
    if (slot.process !== process) return;
    if (slot.isBusy) slot.over = process;
    else this.#end(slot);
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
    const slot: Slot = { ...wanted, ...NEW_SLOT, usedAt: now() };
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
    const { process } = slot;
    if (!isKept || this.#isDraining || process?.isAlive !== true || slot.over === process) this.#end(slot);
    else {
      process.rest();
      slot.timer = setTimeout(() => this.#end(slot), IDLE_MS).unref();
      this.#watch(slot, process);
    }
    this.#wake();
  }

  /** A process that dies by itself makes room at once. Its place may have another process by then, which stays. */
  #watch(slot: Slot, process: KeptProcess): void {
    if (slot.watched === process) return;
    slot.watched = process;
    void process.ended.then(() => {
      if (slot.process === process && !slot.isBusy) this.#end(slot);
    });
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

/** A process that served a call, and the calls of which somebody is asked. */
interface Kept {
  readonly slot: Slot;
  readonly process: KeptProcess;
  readonly calls: WaitingProgram;
}

const NEW_SLOT = { process: null, isBusy: false, isEnding: false, timer: null, watched: null, over: null } as const;

const batchesOf = (those: readonly Kept[]): readonly (readonly Kept[])[] =>
  Array.from({ length: Math.ceil(those.length / PROGRAMS_ASKED_MAX) }, (_, at) =>
    those.slice(at * PROGRAMS_ASKED_MAX, (at + 1) * PROGRAMS_ASKED_MAX),
  );

const isIdle = ({ isBusy, isEnding }: Slot): boolean => !isBusy && !isEnding;

/** Of one tenant: with more than one, none takes all of them. */
const eachOf = (processesMax: number): number => Math.max(1, Math.ceil(processesMax / 2));
