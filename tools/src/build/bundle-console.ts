// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';

/** The console, as static files: the orchestrator serves them at `/console`. */
const consoleFolder = (checkout: string): string => join(checkout, 'apps', 'console', 'dist', 'web');
const bundler = (checkout: string): string => join(checkout, 'apps', 'console', 'bundle.mjs');

/**
 * Builds the console, where this checkout has its sources. A service without it says so at `/console`.
 *
 * @throws SetupError with the bundler's errors
 */
export const bundleConsole = async (checkout: string): Promise<void> => {
  if (!existsSync(bundler(checkout))) return;
  const { status, tail } = await runProgram(
    process.execPath,
    [bundler(checkout), consoleFolder(checkout)],
    process.env,
  );
  if (status !== 0) throw new SetupError('the console cannot be built', tail);
};

/**
 * The folder of the built console; null where this checkout has no sources of one.
 *
 * @throws SetupError where it isn't built
 */
export const builtConsole = (checkout: string): string | null => {
  if (!existsSync(bundler(checkout))) return null;
  const folder = consoleFolder(checkout);
  if (existsSync(join(folder, 'index.html'))) return folder;
  throw new SetupError(`the console is missing in \`${folder}\`: run \`npm run build\``);
};
