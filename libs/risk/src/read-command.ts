// SPDX-License-Identifier: Apache-2.0
import type { Act } from './act.ts';
import { absolute } from './zones.ts';
import type { ShellGrammar } from './shell/grammar.ts';
import { ShellReader } from './shell/reader.ts';
import { WORKSPACE } from './shell/scope.ts';
import { NOTHING, textSource } from './shell/source.ts';
import type { ShellBudget } from './shell/syntax.ts';

/**
 * What the reading of one command may cost, in parts that don't depend on the machine. Together they take some 100 ms where it is
 * slow; a command that needs more counts as not understood. A script of 12 KiB fits, and a much longer here-document.
 */
export const COMMAND_BUDGET: ShellBudget = { nodes: 8_000, parserReports: 400, steps: 3000 };

export interface Command {
  readonly command: string;
  /** a directory of the workspace; the workspace itself unless said */
  readonly cwd: string | undefined;
  readonly stdin: string | undefined;
}

/** What the command would do, as far as its text tells. Deterministic and bounded, whatever the text is. */
export function readCommand({ command, cwd, stdin }: Command, grammar: ShellGrammar): readonly Act[] {
  const reader = new ShellReader(grammar, { ...COMMAND_BUDGET }, absolute(cwd ?? WORKSPACE, WORKSPACE));
  reader.script(command, stdin === undefined ? NOTHING : textSource(stdin));
  for (const { form, subject } of reader.scope.emptied.values()) reader.act('empty', form, subject);
  return [...reader.acts.values()];
}
