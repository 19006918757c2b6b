// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { findProgram } from './packages.ts';

/** Postgres refuses to run as root, so root starts it as this user, which only owns the data directory. */
const USER = 'writ-postgres';

/** For a checkout that this user can't reach, for example below /root. */
const OUTSIDE = '/var/lib/writ';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The folders of Postgres, and its user. */
export interface Place {
  /** Contains `data`, and belongs to the user. */
  readonly dir: string;
  /** Contains `bin`, `lib` and `share`. */
  readonly native: string;
  readonly owner: Owner | undefined;
}

const idOf = (flag: '-u' | '-g'): number | undefined => {
  const { status, stdout } = spawnSync('id', [flag, USER], { encoding: 'utf8' });
  return status === 0 ? Number(stdout.trim()) : undefined;
};

const findOwner = (): Owner | undefined => {
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
};

/** The unprivileged user for Postgres when we are root; none otherwise. */
const ensureOwner = (env: Setup['env']): Owner | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const found = findOwner();
  if (found !== undefined) return found;
  const useradd = findProgram(env, 'useradd') ?? 'useradd';
  const args = [
    '--system',
    '--user-group',
    '--no-create-home',
    '--home-dir',
    '/nonexistent',
    '--shell',
    '/usr/sbin/nologin',
    USER,
  ];
  const { stderr, error } = spawnSync(useradd, args, { encoding: 'utf8' });
  const made = findOwner();
  if (made === undefined)
    throw new SetupError(`could not make the user ${USER}, which Postgres runs as`, [error?.message ?? stderr.trim()]);
  return made;
};

/** The system itself decides, since modes, groups and access lists all matter. */
export const canReach = (path: string, owner: Owner): boolean =>
  spawnSync('test', ['-x', path], { ...owner }).status === 0;

const isLink = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** Data and binaries outside of the checkout, with a link from the state directory. */
const placeOutside = (setup: Setup, native: string, version: string, owner: Owner): Place => {
  const base = join(OUTSIDE, setup.stateId);
  const link = join(setup.stateDir, 'postgres');
  // Without the link the state directory is new, or was deleted: data outside belongs to the old one.
  if (!isLink(link)) rmSync(base, { recursive: true, force: true });
  const dir = join(base, 'cluster');
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  chownSync(dir, owner.uid, owner.gid);
  const copy = join(base, `native-${version}`);
  if (!existsSync(copy)) {
    setup.report(`${USER} cannot reach ${dirname(native)}: Postgres goes to ${base}`);
    cpSync(native, `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  if (!isLink(link)) symlinkSync(base, link);
  return { dir, native: copy, owner };
};

/**
 * Decides where Postgres runs: in the state directory, or outside when we are root and its user can't reach that.
 *
 * @param native directory of the binaries, with their `version`
 */
export const choosePlace = (setup: Setup, native: string, version: string): Place => {
  const owner = ensureOwner(setup.env);
  const reachable =
    owner === undefined || (canReach(join(native, 'bin', 'postgres'), owner) && canReach(setup.stateDir, owner));
  if (owner !== undefined && !reachable) return placeOutside(setup, native, version, owner);
  const dir = join(setup.stateDir, 'postgres');
  if (isLink(dir)) rmSync(dir);
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  if (owner !== undefined) chownSync(dir, owner.uid, owner.gid);
  return { dir, native, owner };
};
