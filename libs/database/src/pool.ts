// SPDX-License-Identifier: Apache-2.0
import { parseJson } from '@writ/digest';
import pg from 'pg';
import { resolvePassword } from './address.ts';
import { parseInt8, parseInt8Array } from './int8.ts';
import { noteHeard } from './silence.ts';

export type Pool = pg.Pool;
export type Client = pg.PoolClient;

export interface PoolOptions {
  /** its parameter `password_file` names a file with the password */
  readonly url: string;
  /** shows in pg_stat_activity: process name and replica */
  readonly applicationName: string;
  /** connections at most; POOL_CONNECTIONS_MAX unless said */
  readonly max?: number;
  /** the longest that one statement may take; 10 s unless said, so that a stuck one costs a call and not a replica */
  readonly statementTimeoutMs?: number;
  /** the longest to wait for a free or new connection; 5 s unless said */
  readonly connectTimeoutMs?: number;
  /** told how long each wait for a connection took, in milliseconds; it must not throw */
  readonly onWait?: (ms: number) => void;
  /** told of connections that die while idle; the pool replaces them by itself */
  readonly onIdleError?: (error: Error) => void;
}

/**
 * Connections of a pool at most: above twice the cores Postgres gains nothing. Operators size Postgres by it
 * (docs/operations/sizing.md).
 */
export const POOL_CONNECTIONS_MAX = 10;

const INT8 = pg.types.builtins.INT8;
/** Array of int8; the driver's table of names has no arrays. */
const INT8_ARRAY = 1016;

/**
 * How much longer than the server's own bound a client waits for its word: only a server that is stopped, or out of
 * reach, says nothing.
 */
const SILENCE_MS = 2_000;
/**
 * How long a connection is unused before the system asks whether its other end is there; ten seconds more without an
 * answer close it.
 */
const KEEP_ALIVE_MS = 10_000;
/**
 * Longest that a connection waits unused before it's closed. A new one costs a process of the server that has to read
 * its catalogue and plan every function anew, tens of milliseconds in all: under load that comes and goes by the
 * second, the driver's own 10 s make calls wait for that again and again.
 */
const IDLE_MS = 600_000;

const { JSON: JSON_TEXT, JSONB } = pg.types.builtins;

/**
 * The driver's types, with 64-bit integers as numbers (or an error, never a rounded number), and JSON with names as
 * they are written.
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
 * A pool of connections that commit durably: `synchronous_commit` is on whatever the server's default is, because the
 * promise that nothing runs unrecorded ends where a COMMIT may be lost. Connects on first use. A statement, a wait for
 * a lock and an idle transaction are bounded in time.
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
    // A socket that a firewall dropped silently is found while nobody uses it, and not after the system's two hours.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options: '-c synchronous_commit=on -c timezone=UTC',
    types: TYPES,
  });
  // Without a listener an idle connection that dies would end the process.
  pool.on('error', (error) => options.onIdleError?.(error));
  noteHeard(pool);
  if (options.onWait !== undefined) WAITS.set(pool, options.onWait);
  return pool;
}

/** Who is told of waits, by pool. */
const WAITS = new WeakMap<Pool, (ms: number) => void>();

/** Whoever got a connection of the pool says how long it waited for it, in milliseconds. */
export function toldWait(pool: Pool, ms: number): void {
  WAITS.get(pool)?.(ms);
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
