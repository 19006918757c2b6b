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
  /** a directory of the workspace; the workspace itself unless said */
  readonly cwd: string | undefined;
  readonly stdin: string | undefined;
  /** whether the command goes to a shell that keeps its variables from one command to the next */
  readonly isSession?: boolean;
}

/** What a command would do, as far as its text tells. */
export interface CommandReading {
  readonly acts: readonly Act[];
  /** the budget ended before the reading did: the command may do more than its acts */
  readonly unread: boolean;
  /** what runs, or evaluates, the value of a secret that the command was given */
  readonly runsGiven: string | undefined;
  /** what the reading has cost */
  readonly cost: ShellBudget;
}

/**
 * Reads what the command would do, as far as its text tells. Deterministic, and bounded by the budget whatever the text
 * is. Never throws: at the budget's end it answers with what was found until then, and that more isn't known.
 */
export function readCommand(
  { command, cwd, stdin, isSession = false }: Command,
  grammar: ShellGrammar,
  budget: ShellBudget = COMMAND_BUDGET,
): CommandReading {
  return readWithin({ command, cwd, stdin, isSession }, grammar, new Meter(budget));
}

/** Reads the command with what is left of a budget that something else draws on too. */
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
