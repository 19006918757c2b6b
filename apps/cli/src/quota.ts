// SPDX-License-Identifier: Apache-2.0
import { InvalidArgumentError } from 'commander';

/** What a quota counts. */
export const FILES = 'files, links and directories';

/** A bound as it is given on the command line. */
export type Bound = number | 'none';

export function parseBound(text: string): Bound {
  if (text === 'none') return text;
  const bound = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(bound))
    throw new InvalidArgumentError(`\`${text}\` is neither a number from 0 nor \`none\``);
  return bound;
}

/** The bounds that are named, as the API takes them; `none` takes one away. */
export function boundsOf<Name extends string>(
  named: Readonly<Record<Name, Bound | undefined>>,
): Partial<Record<Name, number | null>> {
  const given = Object.entries<Bound | undefined>(named).flatMap(([name, bound]) =>
    bound === undefined ? [] : [[name, bound === 'none' ? null : bound]],
  );
  return Object.fromEntries(given) as Partial<Record<Name, number | null>>;
}

/** What is there, of what may be. */
export const heldOf = (now: number | null, max: number | null): string =>
  `${now === null ? 'not counted yet' : String(now)} of ${max === null ? 'any number' : String(max)}`;
