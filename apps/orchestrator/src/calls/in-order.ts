// SPDX-License-Identifier: Apache-2.0
import { readyOf, type CallStanding, type Touch } from '@writ/agent-loop';

/** One thing of several that were asked for together. */
export interface Step<T> {
  /** null where it isn't known what it touches: it runs alone */
  readonly touches: readonly Touch[] | null;
  /** Begins it, and waits for its end up to `waitMs`. `isOver`: nothing waits behind it any more. */
  begin(waitMs: number): Promise<{ readonly came: T; readonly isOver: boolean }>;
}

/** In which order steps begin, and for how long. */
export interface Terms {
  readonly order: 'sequence' | 'disjoint';
  /** for all of them together */
  readonly waitMs: number;
  /** aborts when nobody waits for the answer */
  readonly gone: AbortSignal;
  readonly monotonic: () => number;
}

/** Steps that are under way at once: a part of what a tenant may have. */
const AT_ONCE_MAX = 16;
/**
 * How long after the wait is over steps are still begun: those that ended before are only passed over, each in
 * milliseconds. With the longest wait it stays below a minute.
 */
const OVERTIME_MS = 4_000;

/**
 * What came of each step, in their order, when nothing more can begin: all are over, or the rest waits (null) behind
 * what isn't. What one of them throws is thrown once nothing that was begun is waited for any more.
 */
export async function runInOrder<T>(steps: readonly Step<T>[], terms: Terms): Promise<(T | null)[]> {
  return await new Round(steps, terms).run();
}

class Round<T> {
  readonly #steps: readonly Step<T>[];
  readonly #terms: Terms;
  readonly #began: number;
  readonly #running = new Map<number, Promise<void>>();
  readonly #came: ({ readonly came: T; readonly isOver: boolean } | null)[];
  #broken: { readonly error: unknown } | null = null;

  constructor(steps: readonly Step<T>[], terms: Terms) {
    this.#steps = steps;
    this.#terms = terms;
    this.#began = terms.monotonic();
    this.#came = steps.map(() => null);
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
    if (this.#broken !== null) throw this.#broken.error;
    return this.#came.map((each) => each && each.came);
  }

  #next(): number[] {
    if (this.#broken !== null || this.#terms.gone.aborted || this.#left() < -OVERTIME_MS) return [];
    return readyOf(
      this.#steps.map((step, index) => this.#standing(step, index)),
      this.#terms.order,
    ).slice(0, AT_ONCE_MAX - this.#running.size);
  }

  #standing({ touches }: Step<T>, index: number): CallStanding {
    const came = this.#came[index] ?? null;
    if (came?.isOver === true) return { stands: 'ended' };
    return { stands: came !== null || this.#running.has(index) ? 'open' : 'waits', touches };
  }

  async #begin(index: number): Promise<void> {
    try {
      this.#came[index] = (await this.#steps[index]?.begin(Math.max(0, this.#left()))) ?? null;
    } catch (error) {
      this.#broken ??= { error };
    }
  }

  #left(): number {
    return this.#began + this.#terms.waitMs - this.#terms.monotonic();
  }
}
