// SPDX-License-Identifier: Apache-2.0
//
// INVARIANT (a sample, not the first): where there are more files than are compared, a keyed hash of the path selects
// them. Without the key, nobody can place a destroyed file where it isn't compared. Long files never take the share of
// short ones.
import type { FileState } from '@writ/contract';
import { CONTENT_BYTES_MAX } from './contents.ts';
import type { Turns } from './in-turns.ts';
import { keyedSample } from './keyed-sample.ts';
import type { FileChange } from './changed-files.ts';

/** Short files that are compared, of the deleted or nearly empty ones and of the rewritten ones. */
const SHORT_FILES = 2_048;
/** A file is short up to this many bytes, before and after together. All compared short files have 64 MiB. */
const SHORT_BYTES = 32 * 1024;
/** Bytes of longer files that are compared, the shortest first, which maximizes the number of files. */
const LONG_BYTES = 64 * 1024 * 1024;
/** An estimate is raised by this many standard deviations: it is too low once in a thousand times. */
const SURE_DEVIATIONS = 3;

/** The compared part of a list of changes. */
export interface Sample {
  readonly sampled: readonly FileChange[];
  /** longer files that are compared */
  readonly long: readonly FileChange[];
  /** the number of short files that are not compared, which are like those that are */
  readonly rest: number;
  /** longer files that are not compared */
  readonly unread: readonly FileChange[];
}

/** Answers whether two contents may be compared. */
export const isComparable = (before: FileState, after: FileState | null): boolean =>
  before.kind === 'file' && before.size <= CONTENT_BYTES_MAX && (after?.size ?? 0) <= CONTENT_BYTES_MAX;

/**
 * How many of the rest may be lost where this many of the sample are. Adding harmless changes to dilute the sample
 * gains nothing, since the estimate is an upper bound.
 */
export const atMost = (rest: number, lost: number, sampled: number): number =>
  rest === 0 ? 0 : Math.min(rest, Math.ceil((rest / sampled) * (lost + SURE_DEVIATIONS * Math.sqrt(lost + 1))));

/** The files to compare. */
export async function sampleOf(all: readonly FileChange[], key: Uint8Array, turns: Turns): Promise<Sample> {
  const [short, long, unread]: [FileChange[], FileChange[], FileChange[]] = [[], [], []];
  for (const each of all) {
    if (!isComparable(each.before, each.after)) unread.push(each);
    else if (bytesOf(each) <= SHORT_BYTES) short.push(each);
    else long.push(each);
  }
  const sampled = short.length <= SHORT_FILES ? short : await keyedSample(key, short, SHORT_FILES, turns);
  let left = LONG_BYTES;
  // By path where sizes are equal, so that the order of changes has no influence.
  const read = long
    .toSorted((a, b) => bytesOf(a) - bytesOf(b) || (a.path < b.path ? -1 : 1))
    .map((file) => ({ file, fits: (left -= bytesOf(file)) >= 0 }));
  return {
    sampled,
    long: read.filter(({ fits }) => fits).map(({ file }) => file),
    rest: short.length - sampled.length,
    unread: [...unread, ...read.filter(({ fits }) => !fits).map(({ file }) => file)],
  };
}

const bytesOf = ({ before, after }: FileChange): number => before.size + (after?.size ?? 0);
