// SPDX-License-Identifier: Apache-2.0
// `node join-cli.ts CHECKOUT FOLDER`: bundles the CLI into FOLDER, in parts that its commands load. It is a separate
// program, so that esbuild ends with it.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { NODE_MAJOR_MIN } from './start-program.ts';

/** Globals that CommonJS modules expect and ES modules lack. */
const BANNER = `import { createRequire as joinedCreateRequire } from 'node:module';
const require = joinedCreateRequire(import.meta.url);
const __filename = import.meta.filename;
const __dirname = import.meta.dirname;`;

/** Native modules, and packages that read files from their own folder. */
const EXTERNAL = ['sodium-native', '*.node', '*.wasm', '@cedar-policy/*', 'web-tree-sitter'];

/** Programs of threads, which the CLI starts by their names in the folder of its bundle. */
const THREADS = ['libs/signing/dist/ed25519/sodium-thread.js'];

const [given = '', folder = ''] = process.argv.slice(2);
// The bundler's names of its inputs.
const checkout = realpathSync(given);
// The names of the parts are their hashes: a folder of its own, so that none of an older bundle stays. A command that
// runs meanwhile may still load its parts, so the old folder is replaced at the end.
const next = `${folder}.next`;
rmSync(next, { recursive: true, force: true });
mkdirSync(next, { recursive: true });
const { metafile } = await build({
  absWorkingDir: checkout,
  entryPoints: ['apps/cli/dist/main.js', ...THREADS].map((entry) => ({
    in: entry,
    out: entry.slice(entry.lastIndexOf('/') + 1, -'.js'.length),
  })),
  outdir: next,
  chunkNames: 'parts/[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: `node${NODE_MAJOR_MIN}`,
  format: 'esm',
  banner: { js: BANNER },
  external: EXTERNAL,
  // Of packages in two formats, choose the one whose imports a bundler can resolve.
  mainFields: ['module', 'main'],
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
});
// The lockfile determines what is installed; these files determine how it is bundled.
const joining = ['join-cli.ts', 'start-program.ts'].map((name) => relative(checkout, join(import.meta.dirname, name)));
const ours = Object.keys(metafile.inputs).filter((path) => !/(?:^|\/)node_modules\//.test(path));
const hashes = [...ours, 'package-lock.json', ...joining].sort().map(
  (path) =>
    [
      path,
      createHash('sha256')
        .update(readFileSync(join(checkout, path)))
        .digest('hex'),
    ] as const,
);
// ES modules, whatever the nearest other package.json says.
writeFileSync(join(next, 'package.json'), '{"type":"module"}\n');
writeFileSync(join(next, 'inputs.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 1)}\n`);
rmSync(folder, { recursive: true, force: true });
renameSync(next, folder);
