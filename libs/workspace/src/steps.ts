// SPDX-License-Identifier: Apache-2.0
// Computations on large directories are generators that yield between steps of at most a millisecond. Small ones run to
// their end; those on a shared event loop make pauses.

/** A computation that yields between its steps. */
export type Steps<T> = Generator<void, T, undefined>;

/**
 * Resolves when the computation may continue: at once, or after other work had its turn. Its rejection ends the
 * computation.
 */
export type Pause = () => Promise<void>;

/** Runs the computation to its end without a pause. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the computation to its end, with pauses between its steps if `pause` is given. */
export async function runWithPauses<T>(steps: Steps<T>, pause: Pause | undefined): Promise<T> {
  if (pause === undefined) return runAtOnce(steps);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Members of a list between two pauses: some tenths of a millisecond at a few microseconds each. */
export const PART = 128;

/** Splits the list into parts of `PART` members. */
export function* partsOf<T>(list: readonly T[]): Generator<readonly T[], void, undefined> {
  for (let at = 0; at < list.length; at += PART) yield list.slice(at, at + PART);
}

/** Length of runs that are sorted at once; the runs are then merged. */
const RUN = 512;

/** Sorts the list into a new one; stable. */
export function* sorting<T>(list: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < list.length; at += RUN) {
    runs.push(list.slice(at, at + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [a, b] = [runs[at] ?? [], runs[at + 1]];
      merged.push(b === undefined ? a : yield* merging(a, b, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merging<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < a.length && right < b.length) {
    // If both are equal, the one that came first stays first.
    if (compare(a[left] as T, b[right] as T) <= 0) merged.push(a[left++] as T);
    else merged.push(b[right++] as T);
    if (merged.length % RUN === 0) yield;
  }
  for (const rest of [a.slice(left), b.slice(right)]) {
    for (const item of rest) {
      merged.push(item);
      if (merged.length % RUN === 0) yield;
    }
  }
  return merged;
}
