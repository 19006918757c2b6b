// SPDX-License-Identifier: Apache-2.0
import { readyOf, type CallStanding, type Touch } from '@writ/agent-loop';

/** One of several calls that were requested together. */
export interface Step<T> {
  /** null where it is unknown what it touches: it then runs alone */
  readonly touches: readonly Touch[] | null;
  /** Begins it, and waits for its end up to `waitMs`. `isOver`: later steps need not wait for it any more. */
  begin(waitMs: number): Promise<{ readonly result: T; readonly isOver: boolean }>;
}

/** The order of the steps, and how long to wait for them. */
export interface OrderOptions {
  readonly order: 'sequence' | 'disjoint';
  /** for all steps together */
  readonly waitMs: number;
  /** aborts when no client waits for the response */
  readonly gone: AbortSignal;
  readonly monotonic: () => number;
}

/** Steps that run at once: a part of what a tenant may have. */
const AT_ONCE_MAX = 16;
/**
 * How long after the wait steps may still begin. Steps that ended earlier return within milliseconds, so this lets a
 * repeated turn reach its first open step. With the longest wait the total stays below a minute.
 */
const OVERTIME_MS = 4_000;

/**
 * Runs the steps until no further step can begin. Returns their results in order; null for a step that waits behind an
 * unfinished one. If a step throws, this function throws the error after all running steps have returned.
 */
export async function runInOrder<T>(steps: readonly Step<T>[], options: OrderOptions): Promise<(T | null)[]> {
  return await new StepRunner(steps, options).run();
}

class StepRunner<T> {
  readonly #steps: readonly Step<T>[];
  readonly #options: OrderOptions;
  readonly #startedAt: number;
  readonly #running = new Map<number, Promise<void>>();
  readonly #results: ({ readonly result: T; readonly isOver: boolean } | null)[];
  #failure: { readonly error: unknown } | null = null;

  constructor(steps: readonly Step<T>[], options: OrderOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#startedAt = options.monotonic();
    this.#results = steps.map(() => null);
  }

  async run(): Promise<(T | null)[]> {
    for (;;) {
      for (const index of this.#next())
        this.#running.set(
          index,
          this.#begin(index).finally(() => this.#running.delete(index)),
        );
      if (this.#running.size === 0) break;
      await Promise.race(this.#running.values());
    }
    if (this.#failure !== null) throw this.#failure.error;
    return this.#results.map((each) => each && each.result);
  }

  #next(): number[] {
    if (this.#failure !== null || this.#options.gone.aborted || this.#remainingMs() < -OVERTIME_MS) return [];
    return readyOf(
      this.#steps.map((step, index) => this.#statusOf(step, index)),
      this.#options.order,
    ).slice(0, AT_ONCE_MAX - this.#running.size);
  }

  #statusOf({ touches }: Step<T>, index: number): CallStanding {
    const came = this.#results[index] ?? null;
    if (came?.isOver === true) return { stands: 'ended' };
    return { stands: came !== null || this.#running.has(index) ? 'open' : 'waits', touches };
  }

  async #begin(index: number): Promise<void> {
    try {
      this.#results[index] = (await this.#steps[index]?.begin(Math.max(0, this.#remainingMs()))) ?? null;
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #remainingMs(): number {
    return this.#startedAt + this.#options.waitMs - this.#options.monotonic();
  }
}
