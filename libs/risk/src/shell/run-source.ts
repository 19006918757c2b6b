// SPDX-License-Identifier: Apache-2.0
import type { Field, Source } from './field.ts';
import type { Shell } from './shell.ts';
import { NOTHING, textOf } from './source.ts';

/** Runs what a source holds as a script of its own, or where the shell is. */
export function runSource(
  source: Source,
  args: readonly Field[],
  stdin: Source,
  shell: Shell,
  where: 'apart' | 'here' = 'apart',
): Source {
  if (source.kind === 'nothing') return NOTHING;
  if (source.kind === 'text' && source.decoded) shell.act('run_decoded', 'a shell', source.text);
  if (where === 'here') return shell.evaluate(textOf(source), stdin, args.length > 0 ? args : undefined);
  return shell.script(textOf(source), stdin, args);
}

/** A word as a script would have to spell it to get the same word; a pattern stays one. */
export function quote({ text, glob }: Field): string {
  return glob ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
