// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { SetupError } from '../setup-error.ts';

/** The agent's one file, which the sandbox image carries. In a folder of its own: beside it lies what the compiler made of the same sources. */
export const agentBundle = (checkout: string): string => join(checkout, 'apps', 'sandbox-agent', 'dist', 'bundle', 'agent.mjs');

/** Bundles the sandbox agent with all that it imports: a sandbox has no node_modules. */
export const bundleAgent = async (checkout: string): Promise<string> => {
  const entry = join(checkout, 'apps', 'sandbox-agent', 'src', 'main.ts');
  if (!existsSync(entry)) throw new SetupError(`\`${entry}\` is missing`);
  const outfile = agentBundle(checkout);
  await build({
    entryPoints: [entry], outfile, bundle: true, platform: 'node', target: 'node24', format: 'esm', conditions: ['@writ/source'], logLevel: 'error', legalComments: 'inline',
  });
  return outfile;
};
