// SPDX-License-Identifier: Apache-2.0

/** Work that the process repeats at an interval. */
export interface PeriodicTask {
  /** the pause between the end of one run and the start of the next, in milliseconds */
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}
