// SPDX-License-Identifier: Apache-2.0
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { reportWait, type Client, type Pool } from './pool.ts';
import { isSilent, hasReceivedSince } from './unresponsive-connections.ts';

/**
 * Lends a connection of the pool to `use`. `use` calls `close` if the state of the connection is unknown, so that it is
 * not used again; the same happens if it died meanwhile. Rejects with the error of `use`, or if no connection becomes
 * free. If it got no response, idle connections that received nothing meanwhile are closed too.
 */
export async function withConnection<T>(
  pool: Pool,
  use: (client: Client, close: () => void) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const client = await pool.connect();
  reportWait(pool, performance.now() - startedAt);
  let isBroken = false;
  const close = (): void => {
    isBroken = true;
  };
  // A connection that dies between two statements emits an error; the next statement fails and reports it.
  client.on('error', close);
  try {
    return await use(client, close);
  } catch (error) {
    if (isSilent(error)) {
      close();
      closeUnresponsive(pool, startedAt);
    }
    throw error;
  } finally {
    client.off('error', close);
    client.release(isBroken);
  }
}

/**
 * Closes the idle connections that received nothing since a statement was sent that got no response. A firewall that
 * drops its connections, or a failover of the server, silences all of them at once. Found one by one, each would cost a
 * call the timeout of a statement. It runs in the background.
 */
function closeUnresponsive(pool: Pool, sinceMs: number): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    void withConnection(pool, async (client, close) => {
      if (!hasReceivedSince(client, sinceMs)) close();
      // The pool lends the most recent connection first, and the others still have to be checked.
      else await endOfTurn();
    }).catch(() => undefined);
  }
}
