// SPDX-License-Identifier: Apache-2.0

/**
 * The shortest time between two measurements. On one processor, a job can use this much beyond its limit before that is
 * detected.
 */
const LOOK_MS_MIN = 50;

export interface CpuWatchOptions {
  /** the limit of processor time, in milliseconds */
  readonly limitMs: number;
  readonly cpus: number;
  /** whether a job of which no value was ever available goes on: its time alone bounds it then */
  readonly mayBeUncounted?: boolean;
  /** processor time used so far, in milliseconds; null when no value is available */
  readonly read: () => Promise<number | null>;
  /** milliseconds of a monotonic clock */
  readonly now: () => number;
  /** called once, when the job exceeds its limit */
  readonly spent: () => void;
}

/**
 * Watches the processor time of one job from outside. It measures no earlier than the job can reach the limit, so a job
 * far below it costs nothing. Where the time can't be measured, all processors count as busy, so the limit is enforced
 * all the same, unless nothing was ever measured of a job that may be uncounted.
 */
export class CpuWatch {
  readonly #options: CpuWatchOptions;
  readonly #startedAt: number;
  #hasCounted = false;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** Starts at once. */
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
    // The job may use up the limit itself: only a millisecond more ends it.
    this.#timer = setTimeout(
      () => void this.#look(),
      Math.max(LOOK_MS_MIN, Math.ceil((leftMs + 1) / this.#options.cpus)),
    );
  }

  async #look(): Promise<void> {
    const { limitMs, cpus, read, now, spent } = this.#options;
    const counted = await read().catch(() => null);
    this.#hasCounted ||= counted !== null;
    if (this.#stopped) return;
    if (!this.#hasCounted && this.#options.mayBeUncounted === true) return this.#lookAfter(limitMs);
    const used = counted ?? (now() - this.#startedAt) * cpus;
    if (used <= limitMs) return this.#lookAfter(limitMs - used);
    this.stop();
    spent();
  }
}
