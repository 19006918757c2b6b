// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';

/** The package of the TypeScript client, as users install it. */
export const clientPackage = (checkout: string): string => join(checkout, 'libs', 'client', 'dist', 'package');

/**
 * Makes that package from the compiled client.
 *
 * @throws SetupError with the bundler's errors, for example for an import that not every platform has
 */
export const bundleClient = async (checkout: string): Promise<void> => {
  const script = join(checkout, 'libs', 'client', 'bundle.mjs');
  const { status, tail } = await runProgram(process.execPath, [script, clientPackage(checkout)], process.env);
  if (status !== 0) throw new SetupError('the package of the client cannot be made', tail);
};
