// SPDX-License-Identifier: Apache-2.0
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot, type TestDatabase } from '@writ/testing';
import { OwnPostgres, whyNoOwnPostgres } from './own-postgres.ts';

const LOSSYFS = join(repositoryRoot(), 'tests', 'fault', 'lossyfs');

/** Why a power cut can't be had here; null where it can. */
export function whyNoPowerCut(): string | null {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  if (spawnSync('go', ['version']).status !== 0) return 'the Go toolchain is missing';
  if (spawnSync('go', ['mod', 'download'], { cwd: LOSSYFS, timeout: 60_000 }).status !== 0)
    return 'the modules of lossyfs can not be had';
  const whyNot = whyNoOwnPostgres();
  if (whyNot !== null) return whyNot;
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    return null;
  } catch {
    return '/dev/fuse is missing';
  }
}

/** A Postgres of a test's own on a file system that forgets, at a power cut, what was not synced. */
export class LossyPostgres {
  readonly #postgres = new OwnPostgres();
  readonly #lies: boolean;
  #fs: ChildProcess | undefined;

  private constructor(lies: boolean) {
    this.#lies = lies;
  }

  /** @param lies the disk acknowledges a sync and forgets all the same */
  static async make(options: { readonly lies: boolean }): Promise<LossyPostgres> {
    const made = new LossyPostgres(options.lies);
    for (const name of ['backing', 'mounted']) made.#postgres.ownFolder(name);
    const built = spawnSync('go', ['build', '-o', made.#program, '.'], { cwd: LOSSYFS, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`lossyfs can't be built: ${built.stderr}`);
    try {
      await made.#mount();
      await made.#postgres.init(made.#data);
      await made.#serve();
      return made;
    } catch (error) {
      // A file system that stays mounted holds the output of this process open, and whoever waits for its end waits for
      // ever.
      await made.remove().catch(() => undefined);
      throw error;
    }
  }

  get url(): string {
    return this.#postgres.url;
  }

  /** Lays out a database as the set-up does. */
  database(): Promise<TestDatabase> {
    return this.#postgres.database();
  }

  /** The power goes: file system and server end at once, and with them everything that was not synced. */
  async cutPower(): Promise<void> {
    const fs = this.#fs;
    const gone = fs === undefined || fs.exitCode !== null || fs.signalCode !== null ? undefined : once(fs, 'exit');
    fs?.kill('SIGKILL');
    await Promise.all([gone, this.#postgres.end('SIGKILL')]);
    // The postmaster's children end when they notice; what they still want to write goes nowhere.
    spawnSync('umount', ['-l', this.#mountpoint]);
  }

  /** The power is back. Rejects where Postgres doesn't start from what reached the disk. */
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
    const args = [join(this.#postgres.folder, 'backing'), this.#mountpoint, ...(this.#lies ? ['--lie'] : [])];
    this.#fs = spawn(this.#program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(this.#fs.stdout as NonNullable<ChildProcess['stdout']>, 'data');
  }

  #serve(): Promise<void> {
    return this.#postgres.start(this.#data, { max_wal_size: '128MB', checkpoint_timeout: '30s' });
  }
}
