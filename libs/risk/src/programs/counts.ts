// SPDX-License-Identifier: Apache-2.0
import { isNumber, NUMBER, type Source } from '../shell/field.ts';
import { parseOptions } from '../shell/options.ts';
import type { Invocation, Reading } from '../shell/shell.ts';
import { ANYTHING, textSource } from '../shell/source.ts';

/* Programs whose whole output is a number, so that it may be used in arithmetic. */

/** The output of such a program. */
export const A_NUMBER: Source = textSource(`${NUMBER}\n`);
const counts =
  (when: (call: Invocation) => boolean): Reading =>
  (call) =>
    when(call) ? A_NUMBER : ANYTHING;

const isFlagged = (call: Invocation, flag: RegExp): boolean => call.args.some(({ text }) => flag.test(text));
const operandsOf = (call: Invocation, values: readonly string[] = []): readonly string[] =>
  parseOptions(call.args, values).operands.map(({ text }) => text);

/** `wc -l < file`: with a file's name it prints that too, and without a flag several counts. */
const wc = counts(
  (call) =>
    operandsOf(call).length === 0 &&
    call.args.filter(({ text }) => /^-(?:[lwcmL]|-(?:lines|words|bytes|chars))$/.test(text)).length === 1,
);
/** From numbers to numbers; with a format it may print any text. */
const seq = counts((call) => !isFlagged(call, /^-[fs]|^--(?:format|separator)/) && operandsOf(call).every(isNumber));
const date = counts((call) => operandsOf(call).some((text) => /^\+(?:%[sYmdHMSjuNUVWGgCIly]|%-[mdHMSj])+$/.test(text)));
const stat = counts(
  (call) =>
    call.args.some(
      ({ text }, index) =>
        /^%[sYXZWbBhiug]$/.test(text) && /^(?:-c|-f|--format|--printf)$/.test(call.args[index - 1]?.text ?? ''),
    ) || isFlagged(call, /^--format=%[sYXZWbBhiug]$|^-c%[sYXZWbBhiug]$/),
);
const expr = counts((call) =>
  call.args.every(({ text }) => isNumber(text) || /^(?:[-+*/%<>=!()|&]|\\\*|!=|<=|>=)$/.test(text)),
);
const id = counts((call) => isFlagged(call, /^-(?:u|g)$/) && !isFlagged(call, /n/));
const tput = counts((call) => /^(?:cols|lines|colors)$/.test(operandsOf(call)[0] ?? ''));

export const COUNTS: Readonly<Record<string, Reading>> = {
  wc,
  seq,
  gseq: seq,
  date,
  gdate: date,
  stat,
  expr,
  id,
  tput,
  nproc: counts(() => true),
};

/** Answers whether `grep` prints the number of matching lines of one file, or of its input. */
export const countsLines = (call: Invocation): boolean =>
  isFlagged(call, /^-\w*c$|^--count$/) &&
  operandsOf(call, ['-e', '-f', '-m', '-A', '-B', '-C']).length <= 2 &&
  !isFlagged(call, /^-\w*[rRH]/);
