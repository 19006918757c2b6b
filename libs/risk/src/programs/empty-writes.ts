// SPDX-License-Identifier: Apache-2.0
import type { Field, Source } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { EMPTY } from '../shell/source.ts';
import { noteEmptied } from './write.ts';

/* Files that a program writes without any content, recognized by options, whatever the program. */

const OUT = ['-o', '-out', '--out', '--output', '--output-file', '--outfile'];
const IN = ['-in', '-i', '--in', '--input'];
const isNull = ({ text }: Field): boolean => text === '/dev/null';

/** Notes an output that is made from nothing, or from the file itself, which is truncated before it is read. */
export function noteEmptyWrite({ name, args }: Invocation, shell: Shell): void {
  if (
    !args.some(({ text }) =>
      OUT.some((flag) => text === flag || text.startsWith(`${flag}=`) || (flag === '-o' && text.startsWith('-o'))),
    )
  )
    return;
  const { allValues, operands } = parseOptions(args, [...OUT, ...IN]);
  const given = IN.flatMap((flag) => allValues.get(flag) ?? []);
  const read = READS_AS_IT_WRITES.has(name) ? new Set(given.map((from) => shell.path(from))) : new Set<string>();
  const nothingIn = [...operands, ...given].some(isNull);
  for (const to of OUT.flatMap((flag) => allValues.get(flag) ?? [])) {
    const path = shell.path(to);
    if (nothingIn || (path !== undefined && read.has(path))) noteEmptied(name, to, shell);
  }
}

/** Others read the whole input first. */
const READS_AS_IT_WRITES = new Set(['openssl', 'ffmpeg', 'gpg', 'age', 'xmllint']);

/** The printed content of files: nothing where all of them are empty. */
export const printedOf = (files: readonly Field[], otherwise: Source): Source =>
  files.length > 0 && files.every(isNull) ? EMPTY : otherwise;
