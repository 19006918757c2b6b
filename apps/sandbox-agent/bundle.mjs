// SPDX-License-Identifier: Apache-2.0
// Makes dist/bundle/agent.mjs: one file that runs in any image beside a node binary, with nothing to install. In a folder of its own,
// since the compiler writes what it made of the same sources to dist.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));

await build({
  absWorkingDir: here,
  entryPoints: ['src/main.ts'],
  outfile: process.argv[2] ?? 'dist/bundle/agent.mjs',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  conditions: ['@writ/source'],
  legalComments: 'none',
  logLevel: 'warning',
});
