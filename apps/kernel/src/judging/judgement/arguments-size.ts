// SPDX-License-Identifier: Apache-2.0
import { LIMITS } from '@writ/contract';
import { refusal, type Refusal } from './call.ts';

/** The size of a JSON value. */
export interface JsonSize {
  /** lists, objects and their members, itself among them */
  readonly values: number;
  /** different names of members */
  readonly names: number;
  /** whether there is more of either than was counted */
  readonly isMore: boolean;
}

/** Counts values and names until there are more of either than these. Recurses as deep as the value nests. */
export function jsonSizeOf(value: unknown, valuesMax: number, namesMax: number): JsonSize {
  const names = new Set<string>();
  let values = 0;
  const isWithin = (member: unknown): boolean => {
    values += 1;
    if (values > valuesMax) return false;
    if (typeof member !== 'object' || member === null) return true;
    if (Array.isArray(member)) return member.every(isWithin);
    for (const name in member) {
      names.add(name);
      if (names.size > namesMax || !isWithin((member as Record<string, unknown>)[name])) return false;
    }
    return true;
  };
  const isMore = !isWithin(value);
  return { values, names: names.size, isMore };
}

/** How much of a name a pointer shows: the caller chose the name, and its length. */
const NAME_SHOWN_MAX = 64;
const HINT = 'put larger contents into the workspace as files, and name those';

/** Refuses arguments that hold more values or names than arguments may; null for all others. */
export function decideSize(args: Readonly<Record<string, unknown>>): Refusal | null {
  const { argsValues, argsNames } = LIMITS;
  const { values, isMore } = jsonSizeOf(args, argsValues.max, argsNames.max);
  if (!isMore) return null;
  const boundText =
    values > argsValues.max
      ? `${argsValues.max} values (lists, objects and what is in them)`
      : `${argsNames.max} different names of members`;
  return refusal(
    argsValues.fault,
    `arguments hold at most ${boundText}, and these hold more${largestMemberHint(args)}`,
    HINT,
  );
}

/**
 * Names the member that holds most: the first that holds more than half of the bound, or else the one with most values.
 */
function largestMemberHint(args: Readonly<Record<string, unknown>>): string {
  const { argsValues, argsNames } = LIMITS;
  let [largest, name] = [1, ''];
  // With so many members of the arguments themselves, no single one holds most.
  for (const [member, value] of Object.entries(args).slice(0, argsNames.max)) {
    const { values } = jsonSizeOf(value, argsValues.max, argsNames.max);
    if (values <= largest) continue;
    [largest, name] = [values, member];
    if (values * 2 > argsValues.max) break;
  }
  if (name === '') return '';
  return `; most of them are in \`/${name.length > NAME_SHOWN_MAX ? `${name.slice(0, NAME_SHOWN_MAX)}…` : name}\``;
}
