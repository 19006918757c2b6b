// SPDX-License-Identifier: Apache-2.0
import type { Field } from './field.ts';
import type { Shell } from './shell.ts';
import { NOTHING, textOf, type Source } from './source.ts';

/** Runs what a source holds as a script. */
export function runSource(source: Source, args: readonly Field[], stdin: Source, shell: Shell): Source {
  if (source.kind === 'nothing') return NOTHING;
  if (source.kind === 'text' && source.decoded) shell.act('run_decoded', 'a shell', source.text);
  return shell.script(textOf(source), stdin, args);
}

/** A word as a script would have to spell it to get the same word; a pattern stays one. */
export function quote({ text, glob }: Field): string {
  return glob ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
