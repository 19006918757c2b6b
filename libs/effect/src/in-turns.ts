// SPDX-License-Identifier: Apache-2.0

/** Yields the event loop to others. */
export interface Turns {
  /** Resolves in a later turn of the event loop. A loop over a long list yields in this way. */
  pause(): Promise<void>;
}

/** Items that are processed in one turn of the event loop: some two milliseconds. */
const TURN_ITEMS = 500;

/** Yields batches of a list, which may be arbitrarily long, one in each turn of the event loop. */
export async function* inTurns<T>(list: readonly T[], { pause }: Turns): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < list.length; at += TURN_ITEMS) {
    if (at > 0) await pause();
    yield list.slice(at, at + TURN_ITEMS);
  }
}
