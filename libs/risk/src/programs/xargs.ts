// SPDX-License-Identifier: Apache-2.0
import { field, UNKNOWN, type Field, type Source } from '../shell/field.ts';
import { filledIn } from './find.ts';
import { parseOptions, type Options } from '../shell/options.ts';
import type { Reading } from '../shell/shell.ts';
import { ANYTHING, NOTHING, tainted, textOf } from '../shell/source.ts';

const VALUES = [
  '-I',
  '--replace',
  '-i',
  '-n',
  '--max-args',
  '-P',
  '--max-procs',
  '-L',
  '--max-lines',
  '-d',
  '--delimiter',
  '-a',
  '--arg-file',
  '-s',
  '--max-chars',
  '-E',
];

/** The words that `xargs` reads; unknown input is one unknown word. */
function inputs(stdin: Source, separator: RegExp): readonly Field[] {
  if (stdin.kind === 'paths') return stdin.paths;
  if (stdin.kind === 'text')
    return stdin.text
      .split(separator)
      .filter((word) => word !== '')
      .map((word) => field(word.replace(/^(["'])(.*)\1$/, '$2')));
  return [field(textOf(tainted(stdin)))];
}

/** A command for each line with `-I`, whole texts between NULs with `-0`, else words. */
const separatorOf = (options: Options, isMarked: boolean): RegExp =>
  options.flags.has('-0') || options.flags.has('--null')
    ? /\0|\n$/
    : isMarked || options.flags.has('-L') || options.flags.has('-d')
      ? /\n/
      : /\s+/;

/** Starts its command with the words of its input after it, or in place of the `-I` mark. */
export const xargs: Reading = ({ args, stdin }, shell) => {
  const options = parseOptions(
    args,
    VALUES.filter((flag) => flag !== '-i'),
    true,
  );
  const command = options.operands;
  if (command.length === 0) return tainted(stdin);
  const mark =
    (options.values.get('-I') ?? options.values.get('--replace'))?.text ?? (options.flags.has('-i') ? '{}' : undefined);
  const words =
    options.values.has('-a') || options.values.has('--arg-file')
      ? [field(UNKNOWN)]
      : inputs(stdin, separatorOf(options, mark !== undefined));
  if (mark === undefined) return shell.invoke([...command, ...words], NOTHING);
  for (const word of words) {
    shell.meter.steps(command.length);
    shell.invoke(
      command.map((part) =>
        part.text.includes(mark)
          ? { ...part, text: filledIn(part.text, mark, word.text, shell), glob: part.glob || word.glob }
          : part,
      ),
      NOTHING,
    );
  }
  return ANYTHING;
};
