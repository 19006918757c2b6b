// SPDX-License-Identifier: Apache-2.0
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** What a page may pay for the client of the routes, in bytes of compressed script. */
const BYTES_MAX = 20_000;

const bundled = async (entry: string) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    conditions: ['browser', '@writ/source', 'module'],
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error(`nothing was bundled of ${entry}`);
  return { bytes: gzipSync(script.contents).length, inputs: Object.keys(metafile.inputs) };
};

it('the client for pages has no verifier, and is small', async () => {
  const { bytes, inputs } = await bundled('./web.ts');
  expect(inputs.filter((path) => path.includes('libs/receipt/'))).toEqual([]);
  expect(bytes).toBeLessThan(BYTES_MAX);
});

it('the verifier for pages is the one of the client', async () => {
  const { inputs } = await bundled('./verify.ts');
  expect(inputs.some((path) => path.includes('libs/receipt/'))).toBe(true);
});
