// SPDX-License-Identifier: Apache-2.0

/** Gives the event loop back to others. */
export interface Turns {
  /** Resolves in a later turn of the event loop: what goes through long lists gives it back in between. */
  pause(): Promise<void>;
}

/** Items that are gone through in one turn of the event loop: some two milliseconds. */
const TURN_ITEMS = 500;

/** Goes through a list, which may be as long as a caller likes, a turn of the event loop at a time. */
export async function* inTurns<T>(list: readonly T[], { pause }: Turns): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < list.length; at += TURN_ITEMS) {
    if (at > 0) await pause();
    yield list.slice(at, at + TURN_ITEMS);
  }
}
