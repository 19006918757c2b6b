// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { engineTask } from '@writ/sandbox-docker';
import { MARK } from '../process/marked.ts';
import { unmountBelow } from '../process/mounts.ts';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';
import { ensureProgram, runProgram } from './packages.ts';
import { DPKG_OPTIONS, LEFT_OUT, type Recipe } from './image-recipe.ts';

const DEFAULT_MIRROR = 'http://deb.debian.org/debian';

/**
 * The mirror of this machine's apt for Debian itself, from lines of `SITE CODENAME COMPONENT`; a closed network may
 * have no other.
 */
export const chooseMirror = (targets: string): string =>
  targets
    .split('\n')
    .map((line) => line.split(' '))
    .find(([site = '', , component]) => component === 'main' && /\/debian\/?$/.test(site))?.[0] ?? DEFAULT_MIRROR;

const mirror = async (setup: Setup): Promise<string> => {
  const { tail } = await runProgram(
    'apt-get',
    ['indextargets', '--format', '$(SITE) $(CODENAME) $(COMPONENT)', 'Created-By: Packages'],
    setup.env,
  );
  return chooseMirror(tail.join('\n'));
};

const must = async (setup: Setup, what: string, command: string, args: readonly string[]): Promise<void> => {
  // Marked, so that the clean-up finds processes of a killed set-up.
  const { status, tail } = await runProgram(command, args, { ...setup.env, [MARK]: setup.stateId }, setup.report);
  if (status !== 0) throw new SetupError(`could not ${what}; the end of what ${command} said:`, tail);
};

/** A killed debootstrap leaves /proc mounted in its tree: it must not be deleted through the mount. */
const clear = (dir: string): void => {
  unmountBelow(dir);
  rmSync(dir, { recursive: true, force: true });
};

/** Debian's minimal system as a tar file in the cache directory, made with debootstrap if it is missing. */
const ensureArchive = async (setup: Setup, recipe: Recipe, name: string): Promise<string> => {
  const archive = join(setup.cacheDir, `${name}.tar`);
  if (existsSync(archive)) return archive;
  const program = await ensureProgram(
    setup,
    'debootstrap',
    ['debootstrap'],
    'to build the sandbox image where no registry can be reached (or set WRIT_SANDBOX_BASE to an image)',
  );
  const root = join(setup.cacheDir, `${name}.root`);
  clear(root);
  const options = join(root, DPKG_OPTIONS.file);
  mkdirSync(dirname(options), { recursive: true });
  writeFileSync(options, DPKG_OPTIONS.content);
  const include = `--include=${recipe.packages.join(',')}`;
  await must(setup, 'build the sandbox base image', program, [
    '--variant=minbase',
    include,
    recipe.suite,
    root,
    await mirror(setup),
  ]);
  setup.report('packing');
  const exclude = LEFT_OUT.map((pattern) => `--exclude=${pattern}`);
  await must(setup, 'pack the sandbox base image', 'tar', [
    '-C',
    root,
    ...exclude,
    '--numeric-owner',
    '-cf',
    `${archive}.new`,
    '.',
  ]);
  renameSync(`${archive}.new`, archive);
  clear(root);
  return archive;
};

/** Makes the base image from Debian's packages alone. Needs root, as debootstrap does. */
export const baseFromPackages = async (setup: Setup, docker: Docker, recipe: Recipe, tag: string): Promise<void> => {
  if (process.getuid?.() !== 0) {
    throw new SetupError('no registry can be reached, and only root can build the sandbox image from packages', [
      'run the same command as root once, or set WRIT_SANDBOX_BASE to an image that the engine has',
    ]);
  }
  const [repo = '', version = ''] = tag.split(':');
  const archive = await ensureArchive(setup, recipe, `sandbox-base-${version}`);
  setup.report('importing');
  const stream = await docker.importImage(archive, { repo, tag: version });
  await engineTask(docker, stream);
};
