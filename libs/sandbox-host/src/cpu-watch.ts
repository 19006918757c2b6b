// SPDX-License-Identifier: Apache-2.0

/** Between two looks at the least: what a job can use beyond its limit before it is seen, on one processor. */
const LOOK_MS_MIN = 50;

export interface CpuWatchOptions {
  /** processor time that may be used, in milliseconds */
  readonly limitMs: number;
  readonly cpus: number;
  /** processor time used so far, in milliseconds; null when nobody can tell */
  readonly read: () => Promise<number | null>;
  /** milliseconds of a monotonic clock */
  readonly now: () => number;
  /** called once, when more was used than may be */
  readonly spent: () => void;
}

/**
 * Watches the processor time of one job from outside. It looks no earlier than the limit can be reached, so that a job
 * with plenty of it costs nothing. Time that can't be measured counts as used on every processor: a limit that can't be
 * seen is still one.
 */
export class CpuWatch {
  readonly #options: CpuWatchOptions;
  readonly #startedAt: number;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** Begins at once. */
  constructor(options: CpuWatchOptions) {
    this.#options = options;
    this.#startedAt = options.now();
    this.#lookAfter(options.limitMs);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #lookAfter(leftMs: number): void {
    if (this.#stopped) return;
    // The limit itself may be used up: what ends a job is a millisecond more.
    this.#timer = setTimeout(
      () => void this.#look(),
      Math.max(LOOK_MS_MIN, Math.ceil((leftMs + 1) / this.#options.cpus)),
    );
  }

  async #look(): Promise<void> {
    const { limitMs, cpus, read, now, spent } = this.#options;
    const used = (await read().catch(() => null)) ?? (now() - this.#startedAt) * cpus;
    if (this.#stopped) return;
    if (used <= limitMs) return this.#lookAfter(limitMs - used);
    this.stop();
    spent();
  }
}
