// SPDX-License-Identifier: Apache-2.0
import type { ActKind } from '../act.ts';
import { takeOptions } from '../shell/options.ts';
import type { Invocation, Shell } from '../shell/shell.ts';
import { TABLE } from './table-rows.ts';

/** A program, or a form of it told by its words and flags, that does a thing whatever it is pointed at. */
export interface TableRow {
  readonly programs: readonly string[];
  /** words that must stand in this order among the first operands; `a|b` is either */
  readonly words?: readonly string[];
  /** whether the words must be the very first operands */
  readonly first?: boolean;
  /** whether it does nothing of the kind without any argument */
  readonly needsArguments?: boolean;
  /** flags of which one must be given */
  readonly flags?: readonly string[];
  /** flags of which none may be given: with them it only shows what it would do */
  readonly unless?: readonly string[];
  readonly kind: ActKind;
}

/** Operands among which the words are looked for; further ones are names of things. Options of unknown programs may hide a value among them. */
const FIRST_OPERANDS = 5;

const BY_PROGRAM = new Map<string, TableRow[]>();
for (const row of TABLE) for (const program of row.programs) BY_PROGRAM.set(program, [...(BY_PROGRAM.get(program) ?? []), row]);

/** Notes what the table says of the program. Names with a suffix count by their stem: `mkfs.ext4` is `mkfs`. */
export function noteTableRows({ name, args }: Invocation, shell: Shell): void {
  const rows = BY_PROGRAM.get(name) ?? BY_PROGRAM.get(name.split('.')[0] ?? '');
  if (!rows) return;
  const { operands } = takeOptions(args);
  const words = operands.map(({ text }) => text);
  const given = args.map(({ text }) => text);
  for (const row of rows) {
    if (row.needsArguments && args.length === 0) continue;
    if (!inOrder(words.slice(0, row.first ? row.words?.length : FIRST_OPERANDS), row.words ?? [])) continue;
    if (row.flags && !row.flags.some((flag) => isGiven(given, flag))) continue;
    if (row.unless?.some((flag) => isGiven(given, flag))) continue;
    shell.act(row.kind, [name, ...(row.words ?? []).map((word) => words.find((one) => isOneOf(one, word)) ?? word)].join(' '), words.join(' '));
  }
}

function inOrder(words: readonly string[], wanted: readonly string[]): boolean {
  let from = 0;
  for (const want of wanted) {
    const at = words.findIndex((word, index) => index >= from && isOneOf(word, want));
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

const isOneOf = (word: string, either: string): boolean => either.split('|').some((one) => (one.endsWith('*') ? word.startsWith(one.slice(0, -1)) : word === one));

/** A short flag also counts in a cluster, a long one also with a value. */
function isGiven(given: readonly string[], flag: string): boolean {
  if (flag.startsWith('--')) return given.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  if (flag.length > 2) return given.includes(flag);
  return given.some((arg) => /^-[A-Za-z0-9]+$/.test(arg) && arg.includes(flag.charAt(1)));
}
