// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Setup } from '../setup.ts';
import { SetupError } from '../setup-error.ts';

/** An image's origin, for its labels. */
export interface Release {
  readonly version: string;
  /** the commit, or `unknown` outside a git repository */
  readonly revision: string;
  /** the address of the repository, from WRIT_IMAGE_SOURCE */
  readonly source: string;
  /** the time of every file in the image: SOURCE_DATE_EPOCH, else the time of the commit */
  readonly date: Date;
}

const MS = 1_000;

const git = (checkout: string, ...args: string[]): string | undefined => {
  const { status, stdout } = spawnSync('git', ['-C', checkout, ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

/**
 * Reads the values of the images' labels.
 *
 * @throws SetupError where SOURCE_DATE_EPOCH is not a number of seconds
 */
export const readRelease = ({ checkout, env }: Pick<Setup, 'checkout' | 'env'>): Release => {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string };
  const epoch = env['SOURCE_DATE_EPOCH'] || git(checkout, 'log', '-1', '--format=%ct') || '0';
  if (!/^\d{1,12}$/.test(epoch))
    throw new SetupError(
      `SOURCE_DATE_EPOCH is \`${epoch}\`, which is no number of seconds since 1970: correct or unset it`,
    );
  const isChanged = (git(checkout, 'status', '--porcelain', '--untracked-files=no') ?? '') !== '';
  const commit = git(checkout, 'rev-parse', 'HEAD');
  return {
    version,
    revision: commit === undefined ? 'unknown' : `${commit}${isChanged ? '-changed' : ''}`,
    source: env['WRIT_IMAGE_SOURCE'] || 'unknown',
    date: new Date(Number(epoch) * MS),
  };
};
