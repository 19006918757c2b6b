// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';

/** The program that `apps/cli/bin/writ.mjs` starts. It is not in apps/cli/dist, which the compiler writes. */
export const cliProgram = (checkout: string): string => join(checkout, 'dist', 'cli', 'main.js');

/**
 * Bundles the CLI: a file for what every command needs, and files that only some commands load. Resolving its modules
 * one by one is most of the start time of a command. Skips a bundle whose inputs are unchanged.
 *
 * @throws SetupError with the bundler's errors
 */
export const bundleCli = async (checkout: string): Promise<void> => {
  const folder = dirname(cliProgram(checkout));
  if (isFresh(checkout, folder)) return;
  const script = join(import.meta.dirname, 'join-cli.ts');
  const { status, tail } = await runProgram(process.execPath, [script, checkout, folder], process.env);
  if (status !== 0) throw new SetupError('the CLI cannot be bundled', tail);
};

/** Whether all inputs are as they were when the bundle was made. */
function isFresh(checkout: string, folder: string): boolean {
  try {
    const record = JSON.parse(readFileSync(join(folder, 'inputs.json'), 'utf8')) as Record<string, string>;
    return (
      existsSync(cliProgram(checkout)) &&
      Object.entries(record).every(
        ([path, hash]) =>
          createHash('sha256')
            .update(readFileSync(join(checkout, path)))
            .digest('hex') === hash,
      )
    );
  } catch {
    // It was never bundled, incompletely bundled, or an input is gone.
    return false;
  }
}
