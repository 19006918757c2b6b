// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, type TestDatabase } from '@writ/testing';
import { PrivatePostgres, whyNoPrivatePostgres } from './private-postgres.ts';

const LOSSYFS = join(repositoryRoot(), 'tests', 'fault', 'lossyfs');

/** Why a power cut can't be simulated here; null where it can. */
export function whyNoPowerCut(): string | null {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  if (spawnSync('go', ['version']).status !== 0) return 'the Go toolchain is missing';
  if (spawnSync('go', ['mod', 'download'], { cwd: LOSSYFS, timeout: 60_000 }).status !== 0)
    return 'the modules of lossyfs are not available';
  const whyNot = whyNoPrivatePostgres();
  if (whyNot !== null) return whyNot;
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    return null;
  } catch {
    return '/dev/fuse is missing';
  }
}

/** A Postgres for one test, on a file system that drops at a power cut what was not synced. */
export class LossyPostgres {
  readonly #postgres = new PrivatePostgres();
  readonly #dropsSynced: boolean;
  #fs: ChildProcess | undefined;

  private constructor(dropsSynced: boolean) {
    this.#dropsSynced = dropsSynced;
  }

  /** @param lies the disk acknowledges a sync and drops the data all the same */
  static async make(options: { readonly dropsSynced: boolean }): Promise<LossyPostgres> {
    const made = new LossyPostgres(options.dropsSynced);
    for (const name of ['backing', 'mounted']) made.#postgres.ownFolder(name);
    const built = spawnSync('go', ['build', '-o', made.#program, '.'], { cwd: LOSSYFS, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`lossyfs can't be built: ${built.stderr}`);
    try {
      await made.#mount();
      await made.#postgres.init(made.#data);
      await made.#serve();
      return made;
    } catch (error) {
      // A mounted file system holds the output of this process open, and a reader of that output would wait for ever.
      await made.remove().catch(() => undefined);
      throw error;
    }
  }

  get url(): string {
    return this.#postgres.url;
  }

  /** Creates a database as the set-up does. */
  database(): Promise<TestDatabase> {
    return this.#postgres.database();
  }

  /** The power cut: file system and server end at once, and everything that was not synced is lost. */
  async cutPower(): Promise<void> {
    const fs = this.#fs;
    const gone = fs === undefined || fs.exitCode !== null || fs.signalCode !== null ? undefined : once(fs, 'exit');
    fs?.kill('SIGKILL');
    await Promise.all([gone, this.#postgres.end('SIGKILL')]);
    // The postmaster's children end when they notice; what they still write is lost.
    spawnSync('umount', ['-l', this.#mountpoint]);
  }

  /** Power returns. Rejects where Postgres doesn't start from the synced data. */
  async powerUp(): Promise<void> {
    await this.#mount();
    await this.#serve();
  }

  async remove(): Promise<void> {
    await this.cutPower();
    await this.#postgres.remove();
  }

  get #program(): string {
    return join(this.#postgres.folder, 'lossyfs');
  }

  get #mountpoint(): string {
    return join(this.#postgres.folder, 'mounted');
  }

  get #data(): string {
    return join(this.#mountpoint, 'data');
  }

  async #mount(): Promise<void> {
    const args = [join(this.#postgres.folder, 'backing'), this.#mountpoint, ...(this.#dropsSynced ? ['--lie'] : [])];
    this.#fs = spawn(this.#program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(this.#fs.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  }

  #serve(): Promise<void> {
    return this.#postgres.start(this.#data, { max_wal_size: '128MB', checkpoint_timeout: '30s' });
  }
}
