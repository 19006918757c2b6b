// SPDX-License-Identifier: Apache-2.0
// Makes dist/agent.js: one file that runs in any image beside a node binary, with nothing to install.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts'],
  outfile: process.argv[2] ?? 'dist/agent.js',
  bundle: true,
  platform: 'node',
  target: 'node24',
  // CommonJS: alone in its folder a `.js` file has no package.json that calls it a module.
  format: 'cjs',
  conditions: ['@writ/source'],
  legalComments: 'none',
  logLevel: 'warning',
});
