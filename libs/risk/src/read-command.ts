// SPDX-License-Identifier: Apache-2.0
import type { Act } from './act.ts';
import { BudgetSpent, COMMAND_BUDGET, Meter, type ShellBudget } from './shell/budget.ts';
import type { ShellGrammar } from './shell/grammar.ts';
import { ShellReader } from './shell/reader.ts';
import { WORKSPACE } from './shell/scope.ts';
import { NOTHING, textSource } from './shell/source.ts';
import { absolute } from './zones.ts';

export interface Command {
  readonly command: string;
  /** a directory of the workspace; by default the workspace itself */
  readonly cwd: string | undefined;
  readonly stdin: string | undefined;
  /** whether the command goes to a shell that keeps its variables from one command to the next */
  readonly isSession?: boolean;
}

/** The possible effects of a command, as far as its text shows them. */
export interface CommandReading {
  readonly acts: readonly Act[];
  /** the budget ended before the reading did: the command may have further effects */
  readonly unread: boolean;
  /** what runs or evaluates the value of a secret that the command was given */
  readonly runsGiven: string | undefined;
  /** the cost of the reading */
  readonly cost: ShellBudget;
}

/**
 * Determines the possible effects of a command from its text. Deterministic, and bounded by the budget for any text.
 * Never throws: at the budget's end it returns the effects found until then, and that there may be more.
 */
export function readCommand(
  { command, cwd, stdin, isSession = false }: Command,
  grammar: ShellGrammar,
  budget: ShellBudget = COMMAND_BUDGET,
): CommandReading {
  return readWithin({ command, cwd, stdin, isSession }, grammar, new Meter(budget));
}

/** Reads the command with the rest of a budget that other work shares. */
export function readWithin(
  { command, cwd, stdin, isSession = false }: Command,
  grammar: ShellGrammar,
  meter: Meter,
): CommandReading {
  const reader = new ShellReader(grammar, meter, absolute(cwd ?? WORKSPACE, WORKSPACE), isSession);
  let unread = false;
  try {
    reader.script(command, stdin === undefined ? NOTHING : textSource(stdin));
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    unread = true;
    reader.act('unread', 'the command', command);
  }
  for (const { form, subject } of reader.scope.emptied.values()) reader.act('empty', form, subject);
  return { acts: [...reader.acts.values()], unread, runsGiven: reader.runsGiven, cost: meter.used };
}
