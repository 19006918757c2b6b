// SPDX-License-Identifier: Apache-2.0

/**
 * Counts steps of work, so that what a calendar says never decides how long a search takes. A step is one day or one
 * time that a rule makes us look at: well under a microsecond.
 */
export class StepBudget {
  #left: number;
  readonly #parent: StepBudget | null;

  constructor(steps: number, parent: StepBudget | null = null) {
    this.#left = steps;
    this.#parent = parent;
  }

  /** Whether there was a step left. Once there was none, there is none again. */
  spend(steps = 1): boolean {
    if (this.exhausted || this.#parent?.spend(steps) === false) return false;
    this.#left -= steps;
    return true;
  }

  get exhausted(): boolean {
    return this.#left <= 0 || this.#parent?.exhausted === true;
  }
}
