// SPDX-License-Identifier: Apache-2.0
import type { Pool, PoolClient as Client } from 'pg';

/**
 * The error of `pg` for a server that has sent nothing for longer than the timeout of a statement. The server's own
 * timeout error would come before.
 */
const SILENT_TEXT = 'Query read timeout';

/** When each connection last received a message, in milliseconds by `performance.now()`. */
const lastReceived = new WeakMap<Client, number>();

/** Answers whether the error means that the server sent nothing, so that the connection is probably dead. */
export const isSilent = (error: unknown): boolean => error instanceof Error && error.message === SILENT_TEXT;

/**
 * Tracks when a connection of the pool last received a message: when it opens, and when its user returns it without an
 * error.
 */
export function trackReceived(pool: Pool): void {
  const note = (client: Client): void => {
    lastReceived.set(client, performance.now());
  };
  pool.on('connect', note);
  pool.on('release', (error, client) => {
    if (!error) note(client);
  });
}

/** Answers whether the connection received a message since then, in milliseconds by `performance.now()`. */
export const hasReceivedSince = (client: Client, sinceMs: number): boolean =>
  (lastReceived.get(client) ?? -Infinity) >= sinceMs;
