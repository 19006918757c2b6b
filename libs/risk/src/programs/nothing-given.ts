// SPDX-License-Identifier: Apache-2.0
import type { Field, Source } from '../shell/field.ts';
import { takeOptions } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { EMPTY } from '../shell/source.ts';
import { noteEmptied } from './write.ts';

/* Files that a program is told to write, and gets nothing for: told by its options, whichever program it is. */

const OUT = ['-o', '-out', '--out', '--output', '--output-file', '--outfile'];
const IN = ['-in', '-i', '--in', '--input'];
const isNull = ({ text }: Field): boolean => text === '/dev/null';

/** Notes an output that is made of nothing, or of the very file: that is cut off before it is read. */
export function noteNothingGiven({ name, args }: Invocation, shell: Shell): void {
  if (
    !args.some(({ text }) =>
      OUT.some((flag) => text === flag || text.startsWith(`${flag}=`) || (flag === '-o' && text.startsWith('-o'))),
    )
  )
    return;
  const { allValues, operands } = takeOptions(args, [...OUT, ...IN]);
  const given = IN.flatMap((flag) => allValues.get(flag) ?? []);
  const read = READS_AS_IT_WRITES.has(name) ? new Set(given.map((from) => shell.path(from))) : new Set<string>();
  const nothingIn = [...operands, ...given].some(isNull);
  for (const to of OUT.flatMap((flag) => allValues.get(flag) ?? [])) {
    const path = shell.path(to);
    if (nothingIn || (path !== undefined && read.has(path))) noteEmptied(name, to, shell);
  }
}

/** Others read all of it first. */
const READS_AS_IT_WRITES = new Set(['openssl', 'ffmpeg', 'gpg', 'age', 'xmllint']);

/** What is printed of files: nothing where none of them holds anything. */
export const printedOf = (files: readonly Field[], otherwise: Source): Source =>
  files.length > 0 && files.every(isNull) ? EMPTY : otherwise;
