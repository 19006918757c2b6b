// SPDX-License-Identifier: Apache-2.0
// Builds dist/web: the console's pages, each text also compressed, so that nothing is compressed at a request.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = process.argv[2] ?? join(here, 'dist/web');

/** Files whose texts shrink. */
const COMPRESSED = new Set(['.css', '.html', '.js', '.json', '.svg', '.webmanifest']);
/** A compressed copy of less saves no packet. */
const BYTES_MIN = 1_024;

/**
 * The page's policy forbids evaluation, so TypeBox needs not try it: the browser would report each try. A version of it
 * that has this elsewhere stops the build.
 */
const withoutEvaluation = {
  name: 'without-evaluation',
  transform(code, id) {
    if (!id.endsWith('typebox/build/system/environment/evaluate.mjs')) return null;
    const changed = code.replace('let supported = undefined;', 'let supported = false;');
    if (changed === code) throw new Error('TypeBox decides otherwise whether it may evaluate code: see bundle.mjs');
    return { code: changed, map: null };
  },
};

await build({
  root: here,
  base: '/console/',
  configFile: false,
  logLevel: 'warn',
  plugins: [withoutEvaluation],
  resolve: { conditions: ['@writ/source', 'browser', 'module', 'import', 'default'] },
  css: { modules: { generateScopedName: '[name]_[local]_[hash:base64:5]' } },
  build: {
    outDir: folder,
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no `data:` scripts and no inline ones; browsers that matter load modules by links.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // Directives of React's servers, which mean nothing in a bundle.
    rollupOptions: { onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning) },
  },
});

const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && COMPRESSED.has(extname(entry.name)))
  .map((entry) => join(entry.parentPath, entry.name));
await Promise.all(
  files.map(async (path) => {
    const content = await readFile(path);
    if (content.length < BYTES_MIN) return;
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, quality));
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }));
  }),
);
