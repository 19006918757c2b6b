// SPDX-License-Identifier: Apache-2.0

/**
 * What the reading of one command may cost, in units that don't depend on the machine. Each unit stands for a bounded
 * piece of work, so a reading that spends no more than its budget takes no more than a bounded time.
 */
export interface ShellBudget {
  /** nodes of syntax trees that may be copied */
  readonly nodes: number;
  /** progress reports of the parser; it sends one for about a hundred of its operations */
  readonly parserReports: number;
  /** pieces of text that the parser may ask for, also when it looks ahead and returns */
  readonly reads: number;
  /**
   * statements, commands, words that an expansion makes, entries of tables that are copied, and characters, 64 to a
   * step
   */
  readonly steps: number;
}

/** Characters of a piece of text: the parser's own work between two reads is bounded by it. */
export const READ_CHARS = 256;
/** Characters that are handled in one step. */
const STEP_CHARS = 64;

/**
 * Together they take some 100 ms where a machine is slow. A command that needs more counts as not understood. A script
 * of 12 KiB fits, and a much longer here-document.
 */
export const COMMAND_BUDGET: ShellBudget = { nodes: 12_000, parserReports: 600, reads: 4_000, steps: 40_000 };

/**
 * The reading of a command reached the end of its budget. Not a fault: the caller treats the command as one that can't
 * be told.
 */
export class BudgetSpent extends Error {
  constructor() {
    super('the reading of the command reached the end of its budget');
    this.name = 'BudgetSpent';
  }
}

type Unit = keyof ShellBudget;

/**
 * Counts what one reading has cost, and ends it at the end of its budget. Shared by everything that is read within it.
 */
export class Meter {
  readonly #budget: ShellBudget;
  readonly #used: Record<Unit, number> = { nodes: 0, parserReports: 0, reads: 0, steps: 0 };

  constructor(budget: ShellBudget) {
    this.#budget = budget;
  }

  /** What was used so far. */
  get used(): ShellBudget {
    return { ...this.#used };
  }

  /** Takes from the budget and answers whether there was enough. For callbacks of the parser, which MUST NOT throw. */
  affords(unit: Unit, count = 1): boolean {
    this.#used[unit] += count;
    return this.#used[unit] <= this.#budget[unit];
  }

  /** Takes from the budget. @throws BudgetSpent at its end */
  spend(unit: Unit, count = 1): void {
    if (!this.affords(unit, count)) throw new BudgetSpent();
  }

  /** Takes a step for each of so many things. @throws BudgetSpent at the budget's end */
  steps(count = 1): void {
    this.spend('steps', count);
  }

  /** Takes the steps for a text. @throws BudgetSpent at the budget's end */
  text(length: number): void {
    this.spend('steps', Math.ceil(length / STEP_CHARS));
  }
}
