// SPDX-License-Identifier: Apache-2.0

/** Runs a task again and again, never twice at once. */
export class Repeated {
  readonly #task: () => Promise<unknown>;
  readonly #pauseMs: number;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  /** What the task throws goes to `report`, and the next run comes all the same, so many milliseconds after the last one's end. */
  constructor(task: () => Promise<unknown>, pauseMs: number, report: (error: unknown) => void) {
    this.#task = task;
    this.#pauseMs = pauseMs;
    this.#report = report;
  }

  start(): void {
    this.#next();
  }

  /** Resolves when the run under way has ended; none comes after it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #next(): void {
    this.#timer = setTimeout(() => { this.#running = this.#run(); }, this.#pauseMs);
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
