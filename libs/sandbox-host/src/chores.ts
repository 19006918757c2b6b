// SPDX-License-Identifier: Apache-2.0

/** The rest of a call once its job has ended: the report, the commit and the answer. */
const ANSWER_MS = 20;
/** The longest wait of a chore on a busy machine: the next calls need its result. */
const HOLD_MS_MAX = 150;

interface Waiting {
  readonly until: number;
  readonly start: () => Promise<void>;
}

/**
 * Background work of the engine: new containers for the pool, and the removal of used ones. On a small machine it would
 * take the processors from the call that caused it. So it waits until no job runs and the last job's answer is sent,
 * and runs one chore after the other.
 */
export class Chores {
  #jobs = 0;
  #quietAt = 0;
  #closed = false;
  #working = false;
  readonly #waiting: Waiting[] = [];
  readonly #wakers = new Set<() => void>();

  /** Marks the start of a job. The returned function MUST be called once, at the job's end. */
  begin(): () => void {
    this.#jobs += 1;
    return () => {
      this.#jobs -= 1;
      this.#quietAt = performance.now() + ANSWER_MS;
      if (this.#jobs === 0) this.#wake();
    };
  }

  /** Runs one chore in a quiet moment, after earlier ones. Settles as the chore does. */
  do<T>(chore: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push({ until: performance.now() + HOLD_MS_MAX, start: () => chore().then(resolve, reject) });
    void this.#work();
    return promise;
  }

  /** Runs a chore before all waiting ones, within 150 ms, whatever else is running. */
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

  /** Removes all waiting chores. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      await this.#quiet(next.until);
      // Meanwhile another chore may have come with priority, or this one's time may have run out.
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
