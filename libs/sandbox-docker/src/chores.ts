// SPDX-License-Identifier: Apache-2.0

/** What is left of a call once its job has ended: the report, the commit and the answer. */
const ANSWER_MS = 20;
/** However busy it is, a chore waits for no longer: the next calls need it. */
const HOLD_MS_MAX = 150;

/**
 * The engine's work that nobody waits for: new containers for the pool. On a small machine it would take the processors from the call whose container it
 * replaces. So it waits for a moment in which no job runs and the last one's answer is out, and is done one piece after the other.
 */
export class Chores {
  #jobs = 0;
  #quietAt = 0;
  #closed = false;
  #last: Promise<unknown> = Promise.resolve();
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
    const until = performance.now() + HOLD_MS_MAX;
    const done = this.#last.then(() => this.#quiet(until)).then(chore);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Nothing waits any more. */
  close(): void {
    this.#closed = true;
    this.#wake();
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
