// SPDX-License-Identifier: Apache-2.0
import type { Field, Source } from './field.ts';
import type { Shell } from './shell.ts';
import { NOTHING, textOf } from './source.ts';

/** Runs the content of a source as a separate script, or in the current shell. */
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

/** A word in the quoting with which a script gets the same word; a pattern stays one. */
export function quote({ text, glob }: Field): string {
  return glob ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
