// SPDX-License-Identifier: Apache-2.0
import type { WorkspaceLimitsChange } from '@writ/contract';
import { InvalidArgumentError } from 'commander';

/** What a quota counts. */
export const FILES = 'files, links and directories';

/** A bound as it is given on the command line. */
export type Bound = number | 'none';

export function parseBound(text: string): Bound {
  if (text === 'none') return text;
  const bound = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(bound)) throw new InvalidArgumentError(`\`${text}\` is neither a number from 0 nor \`none\``);
  return bound;
}

/** The bounds that are named, as the API takes them; `none` takes one away. */
export function boundsOf(named: Readonly<Record<'files_max' | 'bytes_max', Bound | undefined>>): WorkspaceLimitsChange {
  return Object.fromEntries(Object.entries(named).flatMap(([name, bound]) => (bound === undefined ? [] : [[name, bound === 'none' ? null : bound]])));
}

/** What is there, of what may be. */
export const heldOf = (now: number | null, max: number | null): string => `${now === null ? 'not counted yet' : String(now)} of ${max === null ? 'any number' : String(max)}`;
