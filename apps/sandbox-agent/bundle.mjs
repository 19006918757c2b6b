// SPDX-License-Identifier: Apache-2.0
// Builds dist/bundle/agent.js, from which images get a program (libs/sandbox-docker/src/agent-program.ts), and mk8.js,
// which runs in any image together with a node binary. The bundles have their own folder, since the compiler writes its
// output of the same sources to dist.
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
  // One file that imports only Node's own modules, as a startup snapshot requires (libs/sandbox-docker/src/image.ts).
  format: 'cjs',
  minify: true,
  // A snapshot can load modules later with `require`, but not with `import`.
  supported: { 'dynamic-import': false },
  // For packages with two formats: the one whose imports a bundler can resolve.
  mainFields: ['module', 'main'],
});
