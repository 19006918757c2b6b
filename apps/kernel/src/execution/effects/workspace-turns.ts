// SPDX-License-Identifier: Apache-2.0
import type { Head } from '../../foundation/rows/attempt-rows.ts';

interface Turn {
  /** resolves when all commits before it are done */
  tail: Promise<void>;
  waiting: number;
  /** the head after the last commit here */
  head: Head | null;
}

/**
 * Lets commits on one workspace run one after another within this replica. The database decides the order between
 * replicas: the compare-and-swap detects a head that another replica moved. This only keeps commits of one replica from
 * losing to each other again and again.
 */
export class WorkspaceTurns {
  readonly #turns = new Map<string, Turn>();

  /**
   * Runs when it is the workspace's turn, with the newer of the given head and the last one here; `run` reports the
   * head that it leaves by calling `left`.
   */
  async run<T>(
    workspaceId: string,
    head: Head,
    run: (head: Head, onMoved: (head: Head) => void) => Promise<T>,
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
      return await run(newest, (onMoved) => {
        turn.head = onMoved;
      });
    } finally {
      turn.waiting -= 1;
      // No commit waits: the entry is deleted, so that the map holds only workspaces in use.
      if (turn.waiting === 0) this.#turns.delete(workspaceId);
      done();
    }
  }
}
