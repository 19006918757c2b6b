// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { replaceBlock } from './blocks.ts';
import { documentsOf } from './documents.ts';
import { deadLinks, documentPaths, missingTests, variablesOf } from './prose.ts';

const paths = documentPaths(checkout);

test('generated tables say what the code says: else run `node tools/with-node.mjs tools/src/docs/main.ts`', async () => {
  for (const { text, made } of await documentsOf(checkout)) expect(text).toBe(made);
});

test('every link of a document leads to a file', () => {
  expect(paths).toContain('README.md');
  expect(paths.flatMap((path) => deadLinks(checkout, path).map((target) => `${path}: ${target}`))).toEqual([]);
});

test('every test that a document names is there', () => {
  expect(paths.flatMap((path) => missingTests(checkout, path).map((name) => `${path}: ${name}`))).toEqual([]);
});

test('the README names every variable that the code reads', () => {
  const readme = readFileSync(join(checkout, 'README.md'), 'utf8');
  const names = variablesOf(checkout);
  expect(names).toContain('WRIT_NATS_URL');
  expect(names.filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test('a block is replaced between its markers, and must have them', () => {
  const marked = 'a\n<!-- generated: x -->\nold\n<!-- end of generated -->\nb\n';
  const made = 'a\n<!-- generated: x -->\n\nnew\n\n<!-- end of generated -->\nb\n';
  expect(replaceBlock(marked, 'x', 'new')).toBe(made);
  expect(replaceBlock(made, 'x', 'new')).toBe(made);
  expect(() => replaceBlock(marked, 'y', 'new')).toThrow('no block `y`');
});
