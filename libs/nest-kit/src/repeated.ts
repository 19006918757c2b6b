// SPDX-License-Identifier: Apache-2.0

/** Milliseconds from one run's end to the next one's beginning; where that depends on how long the run took, it is told. */
export type Pause = number | ((ranMs: number) => number);

/** Runs a task again and again, never twice at once. */
export class Repeated {
  readonly #task: () => Promise<unknown>;
  readonly #pause: (ranMs: number) => number;
  readonly #report: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;

  /** What the task throws goes to `report`, and the next run comes all the same. */
  constructor(task: () => Promise<unknown>, pause: Pause, report: (error: unknown) => void) {
    this.#task = task;
    this.#pause = typeof pause === 'number' ? () => pause : pause;
    this.#report = report;
  }

  start(): void {
    this.#after(0);
  }

  /** Resolves when the run under way has ended; none comes after it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #after(ranMs: number): void {
    this.#timer = setTimeout(() => { this.#running = this.#run(); }, this.#pause(ranMs));
  }

  async #run(): Promise<void> {
    const began = performance.now();
    try {
      await this.#task();
    } catch (error) {
      this.#report(error);
    }
    if (!this.#stopped) this.#after(performance.now() - began);
  }
}
