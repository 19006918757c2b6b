// SPDX-License-Identifier: Apache-2.0
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import pg from 'pg';
import { newPassword } from '@writ/nest-kit/keys';
import { launch, type Child } from '../process/launch.ts';
import type { Part, Running, Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { freePort } from './ports.ts';
import { findBinaries } from './postgres-binaries.ts';
import { choosePlace, type Place } from './postgres-location.ts';
import { waitUntilReady } from './ready.ts';
import { ensureSecret } from './secret.ts';

export interface Postgres extends Running {
  /** The URL of a superuser, or WRIT_DATABASE_URL. Its database `writ` need not exist yet. */
  readonly url: string;
}

const SUPERUSER = 'postgres';
const DATABASE = 'writ';

/** Includes a recovery after a kill. */
const READY_MS = 60_000;

/** A fast shutdown writes a checkpoint; below the watchdog's ten seconds. */
const STOP_MS = 5_000;

/** Enough for four services and their replicas, the fault tests' second copies, and a person with a console. */
const CONNECTIONS_MAX = 300;

const asOwner = (place: Place): { uid?: number; gid?: number } => (place.owner === undefined ? {} : { ...place.owner });

/** Creates the data directory, once. By rename: an interrupted initdb leaves nothing that looks like a cluster. */
const initialise = (setup: Setup, place: Place, password: string): string => {
  const data = join(place.dir, 'data');
  const major = (path: string): string => readFileSync(path, 'utf8').trim();
  if (existsSync(data)) return data;
  const fresh = join(place.dir, 'data.new');
  rmSync(fresh, { recursive: true, force: true });
  // A separate file, since initdb runs as another user, who can't read ours.
  const passwordFile = join(place.dir, 'password.new');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (place.owner !== undefined) chownSync(passwordFile, place.owner.uid, place.owner.gid);
  const args = [
    `--pgdata=${fresh}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--data-checksums',
  ];
  const env = { ...setup.env, LC_ALL: 'C' };
  const done = spawnSync(join(place.native, 'bin', 'initdb'), args, {
    ...asOwner(place),
    cwd: place.dir,
    env,
    encoding: 'utf8',
  });
  rmSync(passwordFile);
  if (done.status !== 0) {
    throw new SetupError(
      'initdb failed',
      [done.error?.message ?? '', ...done.stderr.trim().split('\n')].filter(Boolean),
    );
  }
  renameSync(fresh, data);
  setup.report(`a new cluster of Postgres ${major(join(data, 'PG_VERSION'))}`);
  return data;
};

/**
 * Tests create and drop some 200 databases: a checkpoint every five minutes would write each to disk first. Commits
 * stay durable.
 */
const FOR_TESTS = { max_wal_size: '8GB', checkpoint_timeout: '1h' };

const start = async (
  setup: Setup,
  place: Place,
  data: string,
  port: number,
  more: Readonly<Record<string, string>>,
): Promise<Child> => {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port,
    max_connections: CONNECTIONS_MAX,
    logging_collector: 'off',
    ...more,
  };
  return launch(setup, {
    name: 'postgres',
    kind: 'part',
    command: join(place.native, 'bin', 'postgres'),
    args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    env: { ...setup.env, LC_ALL: 'C' },
    owner: place.owner,
    cwd: place.dir,
    // Fast shutdown: rolls back open transactions and disconnects clients.
    signal: 'SIGINT',
    graceMs: STOP_MS,
  });
};

const withClient = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

const useReal = async (url: string): Promise<Postgres> => {
  try {
    await withClient(url, (client) => client.query('SELECT 1'));
  } catch (cause) {
    throw new SetupError(
      'WRIT_DATABASE_URL is set, but nothing answers there',
      [cause instanceof Error ? cause.message : String(cause)],
      cause,
    );
  }
  return { url, child: null };
};

const postgresWith = (settings: Readonly<Record<string, string>>): Part<Postgres> => ({
  name: 'Postgres',
  replacedBy: 'WRIT_DATABASE_URL',
  ensure: async (setup) => {
    const real = setup.env['WRIT_DATABASE_URL'];
    if (real) return useReal(real);
    const { native, version } = findBinaries();
    const place = choosePlace(setup, native, version);
    const { text: password } = ensureSecret(setup.stateDir, 'postgres-superuser', newPassword);
    const data = initialise(setup, place, password);
    const port = await freePort();
    const child = await start(setup, place, data, port, settings);
    const url = (database: string): string => `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
    await waitUntilReady(
      child,
      () =>
        withClient(url('postgres'), async (client) => {
          await client.query('SELECT 1');
          return true;
        }),
      READY_MS,
    );
    return { url: url(DATABASE), child };
  },
});

/** Postgres from npm, as a child process on a loopback port; WRIT_DATABASE_URL replaces it by a real one. */
export const postgres = postgresWith({});

/** The same for tests, which create and drop many databases. */
export const testPostgres = postgresWith(FOR_TESTS);
