// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { runProgram } from '../parts/packages.ts';
import { SetupError } from '../setup-error.ts';

/** The agent's bundle, for the sandbox image. It is not in the folder of the compiler's output. */
export const agentBundle = (checkout: string): string =>
  join(checkout, 'apps', 'sandbox-agent', 'dist', 'bundle', 'agent.js');

/** The interpreter of scripts, in the same folder. */
export const interpreterBundle = (checkout: string): string =>
  join(checkout, 'apps', 'sandbox-agent', 'dist', 'bundle', 'mk8.js');

/**
 * Bundles the sandbox agent and the interpreter with all their imports: a sandbox has no node_modules.
 *
 * @throws SetupError with the bundler's errors
 */
export const bundleAgent = async (checkout: string): Promise<void> => {
  const script = join(checkout, 'apps', 'sandbox-agent', 'bundle.mjs');
  const { status, tail } = await runProgram(process.execPath, [script, agentBundle(checkout)], process.env);
  if (status !== 0) throw new SetupError('the sandbox agent cannot be bundled', tail);
};
