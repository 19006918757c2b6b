// SPDX-License-Identifier: Apache-2.0
import { Argument, Command } from 'commander';
import type { Context } from '../context.ts';
import { visibleLine } from '../visible.ts';
import { parseCount } from '../http/lists.ts';
import { candidatesFor, LISTING_MS, type Candidate } from './candidates.ts';
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts';

/** `writ completion SHELL`. */
export function completionCommand(context: Context): Command {
  return new Command('completion')
    .description('prints the script that completes commands, options, and ids that the server lists')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => context.write(SCRIPTS[shell]));
}

/** `writ __complete SHELL -- WORD…`, which the scripts call. */
export function candidatesCommand(context: Context): Command {
  return new Command('__complete')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('[word...]')
    .option('--within <ms>', 'how long to wait for the server', parseCount, LISTING_MS)
    .allowUnknownOption()
    .action(async (shell: Shell, words: string[], { within }: { within: number }) => {
      const program = await context.programFor?.(words);
      if (program === undefined) return;
      const candidates = await candidatesFor(program, words, { ...context, listingMs: within });
      for (const candidate of candidates) context.write(`${lineFor(shell, candidate)}\n`);
    });
}

/** What bash takes for several words, so that it would insert such a candidate in the wrong place. */
const BREAKS = /[:=@]/;

/** Labels come from the server: they are shown, and never read by the shell. */
function lineFor(shell: Shell, { word, about }: Candidate): string {
  const [shown, label] = [visibleLine(word), visibleLine(about)];
  if (shell === 'bash') return BREAKS.test(shown) ? '' : shown;
  if (label === '') return shell === 'zsh' ? shown.replaceAll(':', String.raw`\:`) : shown;
  return shell === 'zsh' ? `${shown.replaceAll(':', String.raw`\:`)}:${label}` : `${shown}\t${label}`;
}
