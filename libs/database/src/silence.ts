// SPDX-License-Identifier: Apache-2.0
import type { Pool, PoolClient as Client } from 'pg';

/**
 * What `pg` says of a server that has said nothing for as long as a statement may take and longer: what it says itself
 * comes before.
 */
const SILENT_TEXT = 'Query read timeout';

/** When each connection was last heard, in milliseconds by `performance.now()`. */
const heard = new WeakMap<Client, number>();

/**
 * Answers whether the error means that nothing was heard of the server, so that nothing will be heard on that
 * connection.
 */
export const isSilent = (error: unknown): boolean => error instanceof Error && error.message === SILENT_TEXT;

/** Notes when a connection of the pool is heard: when it is opened, and when whoever had it gives it back in order. */
export function noteHeard(pool: Pool): void {
  const note = (client: Client): void => {
    heard.set(client, performance.now());
  };
  pool.on('connect', note);
  pool.on('release', (error, client) => {
    if (!error) note(client);
  });
}

/** Whether anything was heard on the connection since then, in milliseconds by `performance.now()`. */
export const wasHeardSince = (client: Client, sinceMs: number): boolean => (heard.get(client) ?? -Infinity) >= sinceMs;
