// SPDX-License-Identifier: Apache-2.0

/**
 * The permitted cost of reading one command, in units that don't depend on the machine. Each unit is a bounded piece of
 * work, so a reading within its budget takes bounded time.
 */
export interface ShellBudget {
  /** nodes of syntax trees that may be copied */
  readonly nodes: number;
  /** progress reports of the parser, which sends one for about a hundred of its operations */
  readonly parserReports: number;
  /** pieces of text that the parser may request, also when it looks ahead and returns */
  readonly reads: number;
  /** statements, commands, words of expansions, entries of copied tables, and characters, 64 to a step */
  readonly steps: number;
}

/** Characters of a piece of text: this bounds the parser's own work between two reads. */
export const READ_CHARS = 256;
/** Characters that are processed in one step. */
const STEP_CHARS = 64;

/**
 * Together they take some 100 ms on a slow machine. A command that needs more counts as not understood. A script of 12
 * KiB fits, and a much longer here-document.
 */
export const COMMAND_BUDGET: ShellBudget = { nodes: 12_000, parserReports: 600, reads: 4_000, steps: 40_000 };

/**
 * The reading of a command reached the end of its budget. This is no fault: the caller treats the command as an unknown
 * one.
 */
export class BudgetSpent extends Error {
  constructor() {
    super('the reading of the command reached the end of its budget');
    this.name = 'BudgetSpent';
  }
}

type Unit = keyof ShellBudget;

/** Counts the cost of one reading, and ends it at the end of its budget. All work within the reading shares it. */
export class Meter {
  readonly #budget: ShellBudget;
  readonly #used: Record<Unit, number> = { nodes: 0, parserReports: 0, reads: 0, steps: 0 };

  constructor(budget: ShellBudget) {
    this.#budget = budget;
  }

  /** The cost so far. */
  get used(): ShellBudget {
    return { ...this.#used };
  }

  /** Spends from the budget and returns whether there was enough. For callbacks of the parser, which MUST NOT throw. */
  affords(unit: Unit, count = 1): boolean {
    this.#used[unit] += count;
    return this.#used[unit] <= this.#budget[unit];
  }

  /**
   * Spends from the budget.
   * @throws BudgetSpent at its end
   */
  spend(unit: Unit, count = 1): void {
    if (!this.affords(unit, count)) throw new BudgetSpent();
  }

  /**
   * Spends one step for each of several items.
   * @throws BudgetSpent at the budget's end
   */
  steps(count = 1): void {
    this.spend('steps', count);
  }

  /**
   * Spends the steps for a text.
   * @throws BudgetSpent at the budget's end
   */
  text(length: number): void {
    this.spend('steps', Math.ceil(length / STEP_CHARS));
  }
}
