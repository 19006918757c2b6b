// SPDX-License-Identifier: Apache-2.0

/** Something that the process does again and again by itself. */
export interface Task {
  /** the pause between the end of one run and the start of the next, in milliseconds */
  readonly everyMs: number;
  readonly run: () => Promise<unknown>;
}
