// SPDX-License-Identifier: Apache-2.0
// Builds dist/bundle/verify-receipt.html: one file that verifies receipts in any browser, from disk or from a server,
// and sends nothing. Its own content security policy (https://www.w3.org/TR/CSP3/) allows this script and this style,
// and nothing else.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const outfile = process.argv[2] ?? join(here, 'dist/bundle/verify-receipt.html');

const {
  outputFiles: [script],
} = await build({
  absWorkingDir: here,
  entryPoints: ['src/page.ts'],
  bundle: true,
  write: false,
  platform: 'browser',
  target: 'es2022',
  format: 'iife',
  charset: 'utf8',
  minify: true,
  conditions: ['@writ/source'],
  legalComments: 'inline',
  logLevel: 'warning',
});

const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const style = await readFile(join(here, 'src/page.css'), 'utf8');
const policy = `default-src 'none'; script-src ${hashOf(script.text)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
const page = await readFile(join(here, 'src/page.html'), 'utf8');
await mkdir(dirname(outfile), { recursive: true });
// As functions: a text may contain patterns that `replace` interprets.
await writeFile(
  outfile,
  page
    .replace('{{policy}}', () => policy)
    .replace('{{style}}', () => style)
    .replace('{{script}}', () => script.text),
);
