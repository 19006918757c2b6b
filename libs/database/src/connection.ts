// SPDX-License-Identifier: Apache-2.0
import type { Client, Pool } from './pool.ts';

/**
 * Lends a connection of the pool to `use`, which calls `close` where its state is unknown: it serves nobody else then. Neither does one that died meanwhile.
 * Rejects with what `use` rejects with, and where no connection becomes free.
 */
export async function withConnection<T>(pool: Pool, use: (client: Client, close: () => void) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  const close = (): void => { isBroken = true; };
  // A connection that dies between two statements says so here; the next statement fails and reports it.
  client.on('error', close);
  try {
    return await use(client, close);
  } finally {
    client.off('error', close);
    client.release(isBroken);
  }
}
