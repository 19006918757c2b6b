// SPDX-License-Identifier: Apache-2.0
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { toldWait, type Client, type Pool } from './pool.ts';
import { isSilent, wasHeardSince } from './silence.ts';

/**
 * Lends a connection of the pool to `use`, which calls `close` where its state is unknown: it serves nobody else then.
 * Neither does one that died meanwhile. Rejects with what `use` rejects with, and where no connection becomes free. One
 * that fell silent takes those with it that weren't heard meanwhile.
 */
export async function withConnection<T>(
  pool: Pool,
  use: (client: Client, close: () => void) => Promise<T>,
): Promise<T> {
  const sinceMs = performance.now();
  const client = await pool.connect();
  toldWait(pool, performance.now() - sinceMs);
  let isBroken = false;
  const close = (): void => {
    isBroken = true;
  };
  // A connection that dies between two statements says so here; the next statement fails and reports it.
  client.on('error', close);
  try {
    return await use(client, close);
  } catch (error) {
    if (isSilent(error)) {
      close();
      dropUnheard(pool, sinceMs);
    }
    throw error;
  } finally {
    client.off('error', close);
    client.release(isBroken);
  }
}

/**
 * Closes the connections that wait in the pool and weren't heard since a statement was sent that nobody answered. A
 * firewall that forgets its connections, or a server whose place another has taken, lets all of them fall silent at
 * once: found one by one, each would cost a call as long as that statement took. Nobody waits for it.
 */
function dropUnheard(pool: Pool, sinceMs: number): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    void withConnection(pool, async (client, close) => {
      if (!wasHeardSince(client, sinceMs)) close();
      // The pool lends first what it got back last, and the others are still to be looked at.
      else await endOfTurn();
    }).catch(() => undefined);
  }
}
