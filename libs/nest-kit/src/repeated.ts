// SPDX-License-Identifier: Apache-2.0

/**
 * When this process began, by `performance.now()`. It differs between processes, so they don't query a database in
 * step.
 */
const BEGAN = performance.now();

/** Milliseconds until the next beat that is at least half a pause away. All beats of a process have the same origin. */
function untilNext(pauseMs: number): number {
  const sinceBegan = performance.now() - BEGAN;
  return Math.ceil((sinceBegan + pauseMs / 2) / pauseMs) * pauseMs - sinceBegan;
}

/**
 * Runs a task repeatedly, never twice at once, on a beat. Tasks of one process whose pauses are multiples of each other
 * run at the same moments. On an idle machine, each moment wakes processors and fills their caches again, which costs
 * more than most tasks do.
 */
export class Repeated {
  readonly #task: () => Promise<unknown>;
  readonly #pauseMs: number;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  /**
   * Errors of the task go to `report`, and the next run comes all the same. Runs begin `pauseMs` apart. After a run
   * that took longer, the next one begins 0.5 to 1.5 pauses after its end.
   */
  constructor(task: () => Promise<unknown>, pauseMs: number, report: (error: unknown) => void) {
    this.#task = task;
    this.#pauseMs = pauseMs;
    this.#report = report;
  }

  /** Starts, unless it has started or was stopped. */
  start(): void {
    if (this.#timer === undefined && !this.#stopped) this.#next();
  }

  /** Resolves when the current run has ended; no run follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #next(): void {
    this.#timer = setTimeout(() => {
      this.#running = this.#run();
    }, untilNext(this.#pauseMs));
  }

  async #run(): Promise<void> {
    try {
      await this.#task();
    } catch (error) {
      this.#report(error);
    }
    if (!this.#stopped) this.#next();
  }
}
