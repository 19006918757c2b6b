// SPDX-License-Identifier: Apache-2.0
// Makes dist/bundle/agent.js, of which images get a program (libs/sandbox-docker/src/agent-program.ts), and, beside it,
// mk8.js, which runs in any image beside a node binary. In a folder of their own, since the compiler writes what it
// made of the same sources to dist.
import { build } from 'esbuild';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const agent = process.argv[2] ?? 'dist/bundle/agent.js';
const COMMON = {
  absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
  bundle: true,
  platform: 'node',
  target: 'node24',
  conditions: ['@writ/source'],
  legalComments: 'none',
  logLevel: 'warning',
};

await build({ ...COMMON, entryPoints: ['src/main.ts'], outfile: agent, format: 'esm' });
await build({
  ...COMMON,
  entryPoints: ['src/mk8/main.ts'],
  outfile: join(dirname(agent), 'mk8.js'),
  // One file that asks for nothing but Node's own: what a snapshot is made of (libs/sandbox-docker/src/image.ts).
  format: 'cjs',
  minify: true,
  // A snapshot can require what is read later, and can't import it.
  supported: { 'dynamic-import': false },
  // Of packages that have two forms, the one that asks for its own files by names which a bundle knows.
  mainFields: ['module', 'main'],
});
