// SPDX-License-Identifier: Apache-2.0
import type { AgentContainer } from './agent-container.ts';

const BACKOFF_MS_MIN = 200;
const BACKOFF_MS_MAX = 5_000;

export interface WarmPoolOptions {
  /** containers that wait, in the idle state */
  readonly count: number;
  /** containers that start concurrently, at most */
  readonly startsAtOnce: number;
  /** creates a container whose agent is ready */
  readonly start: () => Promise<AgentContainer>;
  /** removes a container that is no longer useful */
  readonly remove: (container: AgentContainer) => void;
  readonly failed: (error: Error) => void;
  /** runs work that can wait for a quiet moment */
  readonly later: (chore: () => Promise<void>) => void;
}

/**
 * Containers of one image and size that are started before they are needed. Each is given away once. A container that
 * is given away, or dies while it waits, is replaced in the background. A failing engine is retried with a growing
 * pause.
 */
export class WarmPool {
  readonly #options: WarmPoolOptions;
  readonly #ready: AgentContainer[] = [];
  /** callers that wait for a container that is starting */
  readonly #waiting: ((container: AgentContainer | null) => void)[] = [];
  readonly #full: (() => void)[] = [];
  #starting = 0;
  /** to be started in a quiet moment */
  #later = 0;
  #backoffMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: WarmPoolOptions) {
    this.#options = options;
  }

  /** Number of containers that wait now. */
  get idle(): number {
    return this.#ready.length;
  }

  /** Number of containers that are starting. */
  get starting(): number {
    return this.#starting;
  }

  /**
   * Resolves with a ready container, or one that is about to be ready; with null when there is neither and the caller
   * must start its own.
   */
  async acquire(): Promise<AgentContainer | null> {
    const container = this.#ready.shift();
    if (container) {
      if (this.#isHalfFull) this.#refillLater();
      else this.#refill();
      return container;
    }
    // Starting another container beside the current one would delay both.
    if (this.#closed || this.#starting <= this.#waiting.length) {
      this.#refill();
      return null;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Fills the pool; resolves when it is full. */
  full(): Promise<void> {
    this.#refill();
    if (this.#ready.length >= this.#options.count) return Promise.resolve();
    return new Promise((resolve) => {
      this.#full.push(resolve);
    });
  }

  /** Forgets an earlier failure: the engine is back. */
  retry(): void {
    this.#backoffMs = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#refill();
  }

  /** Stops refilling, and removes the waiting containers. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const container of this.#ready.splice(0)) this.#options.remove(container);
    for (const resolve of this.#waiting.splice(0)) resolve(null);
    for (const resolve of this.#full.splice(0)) resolve();
  }

  /**
   * With half of the pool left, the next call finds a container, and the call that took the last one needs the
   * processors.
   */
  get #isHalfFull(): boolean {
    return this.#ready.length * 2 >= this.#options.count;
  }

  #refillLater(): void {
    this.#later += 1;
    this.#options.later(async () => {
      this.#later -= 1;
      if (this.#isShort()) await this.#startOne();
    });
  }

  #refill(): void {
    while (this.#isShort()) void this.#startOne();
  }

  #isShort(): boolean {
    const coming = this.#starting + (this.#isHalfFull ? this.#later : 0);
    return (
      !this.#closed &&
      !this.#timer &&
      this.#starting < this.#options.startsAtOnce &&
      this.#ready.length + coming < this.#options.count
    );
  }

  async #startOne(): Promise<void> {
    this.#starting++;
    try {
      const container = await this.#options.start();
      this.#starting--;
      this.#backoffMs = 0;
      this.#offer(container);
    } catch (error) {
      this.#starting--;
      // The waiting caller tries to start its own, and gets the reason for the failure.
      this.#waiting.shift()?.(null);
      if (this.#closed) return;
      this.#options.failed(error instanceof Error ? error : new Error(String(error)));
      this.#backOff();
    }
    this.#refill();
  }

  #offer(container: AgentContainer): void {
    if (this.#closed) return this.#options.remove(container);
    const waiting = this.#waiting.shift();
    if (waiting) return waiting(container);
    this.#ready.push(container);
    container.listen({ message: () => this.#drop(container), closed: () => this.#drop(container) });
    if (this.#ready.length >= this.#options.count) for (const resolve of this.#full.splice(0)) resolve();
  }

  /** A container whose agent ends or sends a message while it waits is not trusted with a job. */
  #drop(container: AgentContainer): void {
    const at = this.#ready.indexOf(container);
    if (at === -1) return;
    this.#ready.splice(at, 1);
    this.#options.remove(container);
    this.#refill();
  }

  #backOff(): void {
    if (this.#timer) return;
    this.#backoffMs = Math.min(BACKOFF_MS_MAX, Math.max(BACKOFF_MS_MIN, this.#backoffMs * 2));
    // Jitter: executors that lost one engine don't reconnect in step.
    const wait = this.#backoffMs * (0.5 + Math.random());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#refill();
    }, wait).unref();
  }
}
