// SPDX-License-Identifier: Apache-2.0
import { parseJson } from '@writ/digest';
import pg from 'pg';
import { resolvePassword } from './address.ts';
import { parseInt8, parseInt8Array } from './int8.ts';
import { trackReceived } from './unresponsive-connections.ts';

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

export interface PoolOptions {
  /** its parameter `password_file` may name a file with the password */
  readonly url: string;
  /** shows in pg_stat_activity: process name and replica */
  readonly applicationName: string;
  /** limit on connections; POOL_CONNECTIONS_MAX by default */
  readonly max?: number;
  /** timeout of a statement; 10 s by default, so that a stuck one costs a call and not a replica */
  readonly statementTimeoutMs?: number;
  /** timeout of the wait for a free or new connection; 5 s by default */
  readonly connectTimeoutMs?: number;
  /** receives the duration of each wait for a connection, in milliseconds; it must not throw */
  readonly onWait?: (ms: number) => void;
  /** receives the errors of connections that die while idle; the pool replaces them by itself */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * Limit on the connections of a pool: above twice the cores Postgres gains nothing. Operators size Postgres by it
 * (docs/operations/sizing.md).
 */
export const POOL_CONNECTIONS_MAX = 10;

const INT8 = pg.types.builtins.INT8;
/** Array of int8; the driver's table of names has no arrays. */
const INT8_ARRAY = 1016;

/**
 * How much longer than the server's own timeout a client waits for a response. Only a stopped or unreachable server
 * sends none.
 */
const SILENCE_MS = 2_000;
/** How long a connection is unused before TCP keep-alive probes it; ten seconds more without an answer close it. */
const KEEP_ALIVE_MS = 10_000;
/**
 * How long an unused connection is kept. A new one costs a process of the server, which has to load its catalogue and
 * plan every function again, tens of milliseconds in all. Under load that varies by the second, the driver's default of
 * 10 s would make calls wait for that again and again.
 */
const IDLE_MS = 600_000;

const { JSON: JSON_TEXT, JSONB } = pg.types.builtins;

/**
 * The driver's types, with 64-bit integers as numbers (or an error, never a rounded number), and JSON with its member
 * names unchanged.
 */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return parseInt8;
    if (oid === INT8_ARRAY) return parseInt8Array;
    if (oid === JSON_TEXT || oid === JSONB) return parseJson;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

/**
 * A pool of connections that commit durably: `synchronous_commit` is on, whatever the server's default. If a COMMIT
 * could be lost, a call could run without a record. Connects on first use. Timeouts bound a statement, a wait for a
 * lock and an idle transaction.
 */
export function createPool(options: PoolOptions): Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000;
  const pool = new pg.Pool({
    connectionString: resolvePassword(options.url),
    application_name: options.applicationName,
    max: options.max ?? POOL_CONNECTIONS_MAX,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
    idleTimeoutMillis: IDLE_MS,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + SILENCE_MS,
    // It finds a socket that a firewall dropped silently while it is idle, and not after the system's two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options: '-c synchronous_commit=on -c timezone=UTC',
    types: TYPES,
  });
  // Without a listener an idle connection that dies would end the process.
  pool.on('error', (error) => options.onIdleError?.(error));
  trackReceived(pool);
  if (options.onWait !== undefined) waitCallbacks.set(pool, options.onWait);
  return pool;
}

/** The callbacks `onWait`, by pool. */
const waitCallbacks = new WeakMap<Pool, (ms: number) => void>();

/** Reports how long a caller waited for a connection of the pool, in milliseconds. */
export function reportWait(pool: Pool, ms: number): void {
  waitCallbacks.get(pool)?.(ms);
}

/**
 * One connection outside of a pool, for work that changes its session: migrations, provisioning. The caller ends it.
 */
export async function connect(url: string, applicationName: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: resolvePassword(url),
    application_name: applicationName,
    types: TYPES,
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  return client;
}
