// SPDX-License-Identifier: Apache-2.0

/** What is left of a call once its job has ended: the report, the commit and the answer. */
const ANSWER_MS = 20;
/** However busy it is, a chore waits for no longer: the next calls need it. */
const HOLD_MS_MAX = 150;

interface Waiting {
  readonly until: number;
  readonly start: () => Promise<void>;
}

/**
 * The engine's work that nobody waits for: new containers for the pool, and the removal of used ones. On a small
 * machine it would take the processors from the call that has caused it. So it waits for a moment in which no job runs
 * and the last one's answer is out, and is done one piece after the other.
 */
export class Chores {
  #jobs = 0;
  #quietAt = 0;
  #closed = false;
  #working = false;
  readonly #waiting: Waiting[] = [];
  readonly #wakers = new Set<() => void>();

  /** A job begins. The answer MUST be called once, at its end. */
  begin(): () => void {
    this.#jobs += 1;
    return () => {
      this.#jobs -= 1;
      this.#quietAt = performance.now() + ANSWER_MS;
      if (this.#jobs === 0) this.#wake();
    };
  }

  /** Does one piece of work in a quiet moment, after those that came before. Settles as it does. */
  do<T>(chore: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ until: performance.now() + HOLD_MS_MAX, start: () => chore().then(resolve, reject) });
    void this.#work();
    return promise;
  }

  /** The same before all that wait, and not later than 150 ms from now, whatever else is being done. */
  doFirst<T>(chore: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const start = (): Promise<void> => {
      clearTimeout(timer);
      return chore().then(resolve, reject);
    };
    const waiting = { until: performance.now() + HOLD_MS_MAX, start };
    const timer = setTimeout(() => {
      const at = this.#waiting.indexOf(waiting);
      if (at !== -1) void this.#waiting.splice(at, 1)[0]?.start();
    }, HOLD_MS_MAX);
    this.#waiting.unshift(waiting);
    void this.#work();
    return promise;
  }

  /** Nothing waits any more. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      await this.#quiet(next.until);
      // Meanwhile another may have come that goes first, or this one's time have run out.
      if (this.#waiting[0] === next) await this.#waiting.shift()?.start();
    }
    this.#working = false;
  }

  async #quiet(until: number): Promise<void> {
    for (;;) {
      const now = performance.now();
      if (this.#closed || now >= until || (this.#jobs === 0 && now >= this.#quietAt)) return;
      await this.#pause(this.#jobs === 0 ? Math.min(this.#quietAt, until) - now : until - now);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(go);
        resolve();
      };
      const timer = setTimeout(go, Math.ceil(ms));
      this.#wakers.add(go);
    });
  }

  #wake(): void {
    for (const go of [...this.#wakers]) go();
  }
}
