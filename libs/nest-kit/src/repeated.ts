// SPDX-License-Identifier: Apache-2.0

/**
 * When this process began, by `performance.now()`: no two processes have it in common, so they don't ask a database in
 * step.
 */
const BEGAN = performance.now();

/**
 * Milliseconds until the next time of a beat that is at least half a pause away. All beats of a process begin together.
 */
function untilNext(pauseMs: number): number {
  const sinceBegan = performance.now() - BEGAN;
  return Math.ceil((sinceBegan + pauseMs / 2) / pauseMs) * pauseMs - sinceBegan;
}

/**
 * Runs a task again and again, never twice at once, on a beat: tasks of one process whose pauses are multiples of each
 * other run at the same moments. On a machine that has little to do each moment wakes processors and fills their caches
 * anew, which costs more than most tasks do.
 */
export class Repeated {
  readonly #task: () => Promise<unknown>;
  readonly #pauseMs: number;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  /**
   * What the task throws goes to `report`, and the next run comes all the same. Runs begin `pauseMs` apart, or, behind
   * one that took longer, half as long to one and a half times as long after its end.
   */
  constructor(task: () => Promise<unknown>, pauseMs: number, report: (error: unknown) => void) {
    this.#task = task;
    this.#pauseMs = pauseMs;
    this.#report = report;
  }

  /** Begins, unless it has begun or was stopped. */
  start(): void {
    if (this.#timer === undefined && !this.#stopped) this.#next();
  }

  /** Resolves when the run under way has ended; none comes after it. */
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
