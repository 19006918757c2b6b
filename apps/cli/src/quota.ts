// SPDX-License-Identifier: Apache-2.0
import { InvalidArgumentError } from 'commander';

/** The objects that a quota counts. */
export const FILES = 'files, links and directories';

/** A limit on the command line. */
export type Bound = number | 'none';

export function parseBound(text: string): Bound {
  if (text === 'none') return text;
  const bound = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(bound))
    throw new InvalidArgumentError(`\`${text}\` is neither a number from 0 nor \`none\``);
  return bound;
}

/** The given limits in the API's form; `none` removes one. */
export function boundsOf<Name extends string>(
  named: Readonly<Record<Name, Bound | undefined>>,
): Partial<Record<Name, number | null>> {
  const given = Object.entries<Bound | undefined>(named).flatMap(([name, bound]) =>
    bound === undefined ? [] : [[name, bound === 'none' ? null : bound]],
  );
  return Object.fromEntries(given) as Partial<Record<Name, number | null>>;
}

/** The usage out of the limit. */
export const usageText = (now: number | null, max: number | null): string =>
  `${now === null ? 'not counted yet' : String(now)} of ${max === null ? 'any number' : String(max)}`;
