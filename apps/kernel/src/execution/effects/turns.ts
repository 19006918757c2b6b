// SPDX-License-Identifier: Apache-2.0
import type { Head } from '../../foundation/rows/attempt-rows.ts';

interface Turn {
  /** resolves when everybody who came before is done */
  tail: Promise<void>;
  waiting: number;
  /** the head that the last one here left behind */
  head: Head | null;
}

/**
 * Lets commits on one workspace go one after another within this replica. Order between replicas is the database's: a
 * head that moved there is found by the compare-and-swap. This only keeps commits of one replica from losing to each
 * other again and again.
 */
export class Turns {
  readonly #turns = new Map<string, Turn>();

  /**
   * Runs when it is the workspace's turn, with the newer of the head given and the one that was left here; what `run`
   * resolves with says the head it leaves.
   */
  async take<T>(
    workspaceId: string,
    head: Head,
    run: (head: Head, left: (head: Head) => void) => Promise<T>,
  ): Promise<T> {
    const turn = this.#turns.get(workspaceId) ?? { tail: Promise.resolve(), waiting: 0, head: null };
    this.#turns.set(workspaceId, turn);
    turn.waiting += 1;
    const before = turn.tail;
    let done = (): void => undefined;
    turn.tail = new Promise((resolve) => {
      done = resolve;
    });
    await before;
    try {
      const newest = turn.head !== null && turn.head.seq > head.seq ? turn.head : head;
      return await run(newest, (left) => {
        turn.head = left;
      });
    } finally {
      turn.waiting -= 1;
      // Nobody waits: forgotten, so that the map holds only workspaces in use.
      if (turn.waiting === 0) this.#turns.delete(workspaceId);
      done();
    }
  }
}
