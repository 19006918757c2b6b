// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (a sample, not the first): where there are more files than are looked into, a keyed hash of the path
// chooses them, so that nobody who does not know the key can put what they destroy where nobody looks. Long files never
// take the room of short ones.
import type { FileState } from '@writ/contract';
import { CONTENT_BYTES_MAX } from './contents.ts';
import type { Turns } from './in-turns.ts';
import { drawnBy } from './drawn-by.ts';
import type { FileChange } from './changed-files.ts';

/** Short files that are looked into, of those that are gone or nearly so and of those that were rewritten. */
const SHORT_FILES = 2_048;
/** A file is short up to this many bytes, before and after together: all that are looked into have 64 MiB. */
const SHORT_BYTES = 32 * 1024;
/** Bytes of longer files that are looked into, the shortest first, so that as many as can be are. */
const LONG_BYTES = 64 * 1024 * 1024;
/** An estimate is raised by so many standard deviations: it is too low once in a thousand times. */
const SURE_DEVIATIONS = 3;

/** What is looked into of a list of changes. */
export interface Sample {
  readonly drawn: readonly FileChange[];
  /** longer ones that are looked into */
  readonly long: readonly FileChange[];
  /** how many short ones are not looked into, and are like those that are */
  readonly rest: number;
  /** longer ones that are not looked into */
  readonly unread: readonly FileChange[];
}

/** Answers whether two contents may be compared. */
export const isComparable = (before: FileState, after: FileState | null): boolean =>
  before.kind === 'file' && before.size <= CONTENT_BYTES_MAX && (after?.size ?? 0) <= CONTENT_BYTES_MAX;

/**
 * How many of the rest may be lost where so many of those drawn are. Who adds harmless changes to dilute a sample gains
 * nothing: the estimate leans the other way.
 */
export const atMost = (rest: number, lost: number, drawn: number): number =>
  rest === 0 ? 0 : Math.min(rest, Math.ceil((rest / drawn) * (lost + SURE_DEVIATIONS * Math.sqrt(lost + 1))));

/** The files to look into. */
export async function sampleOf(all: readonly FileChange[], key: Uint8Array, turns: Turns): Promise<Sample> {
  const [short, long, unread]: [FileChange[], FileChange[], FileChange[]] = [[], [], []];
  for (const each of all) {
    if (!isComparable(each.before, each.after)) unread.push(each);
    else if (bytesOf(each) <= SHORT_BYTES) short.push(each);
    else long.push(each);
  }
  const drawn = short.length <= SHORT_FILES ? short : await drawnBy(key, short, SHORT_FILES, turns);
  let left = LONG_BYTES;
  // By path where sizes are alike, so that the order of changes decides nothing.
  const read = long
    .toSorted((a, b) => bytesOf(a) - bytesOf(b) || (a.path < b.path ? -1 : 1))
    .map((file) => ({ file, fits: (left -= bytesOf(file)) >= 0 }));
  return {
    drawn,
    long: read.filter(({ fits }) => fits).map(({ file }) => file),
    rest: short.length - drawn.length,
    unread: [...unread, ...read.filter(({ fits }) => !fits).map(({ file }) => file)],
  };
}

const bytesOf = ({ before, after }: FileChange): number => before.size + (after?.size ?? 0);
