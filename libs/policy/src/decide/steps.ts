// SPDX-License-Identifier: Apache-2.0

/** A computation in steps, with a pause possible between any two of them. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps at once. */
export function runToCompletion<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
