// SPDX-License-Identifier: Apache-2.0
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { documentPaths } from './prose.ts';
import { longSentences, privateWords, styleProblems, wideLines } from './style.ts';

/** Documents that follow the rules: all but decisions, which stay as they were accepted. */
const HELD = documentPaths(checkout).filter((path) => !path.startsWith('docs/adr/'));

const README_BYTES_MAX = 6 * 1024;

test('the README is short enough to be read in one go', () => {
  expect(statSync(join(checkout, 'README.md')).size).toBeLessThanOrEqual(README_BYTES_MAX);
});

test('every document for readers is held', () => {
  expect(HELD.length).toBeGreaterThan(200);
  for (const path of ['README.md', 'SECURITY.md', 'docs/architecture/bus.md', 'docs/errors/internal.md'])
    expect(HELD).toContain(path);
});

test.each(HELD)('%s has short sentences, narrow lines and no private words', (path) => {
  expect(styleProblems(readFileSync(join(checkout, path), 'utf8'))).toEqual([]);
});

test('every guide is linked from the index', () => {
  const index = readFileSync(join(checkout, 'docs/README.md'), 'utf8');
  const guides = documentPaths(checkout)
    .map((path) => /^docs\/((?:tutorials|how-to|reference|explanation)\/.*)$/.exec(path)?.[1])
    .filter((path) => path !== undefined);
  expect(guides.length).toBeGreaterThan(30);
  expect(guides.filter((path) => !index.includes(`](${path})`))).toEqual([]);
});

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

test('a sentence of thirty words passes, and one of thirty-one is found', () => {
  expect(longSentences(`${words(30)}. ${words(30)}.\n`)).toEqual([]);
  expect(longSentences(`${words(31)}.\n`)).toHaveLength(1);
});

test('a sentence over two lines is one sentence', () => {
  expect(longSentences(`${words(16)}\n${words(16)}.\n`)).toHaveLength(1);
});

test('items of a list and cells of a table are separate sentences', () => {
  expect(longSentences(`- ${words(20)}\n- ${words(20)}\n`)).toEqual([]);
  expect(longSentences(`| ${words(20)} | ${words(20)} |\n| ${words(20)} |\n`)).toEqual([]);
});

test('code has no sentences, and inline code is one word', () => {
  expect(longSentences(`\`\`\`text\n${words(40)}\n\`\`\`\n`)).toEqual([]);
  expect(longSentences(`${words(29)} \`${words(10)}\`.\n`)).toEqual([]);
});

test('names of tests in a list are quotations, and other items are sentences', () => {
  expect(longSentences(`- \`a.spec.ts\`: "${words(20)}", "${words(20)}"\n`)).toEqual([]);
  expect(longSentences(`- \`a.spec.ts\`: "x", "${words(20)}\n  ${words(20)}"\n- ${words(31)}\n`)).toHaveLength(1);
  expect(longSentences(`- \`a.spec.ts\` shows ${words(31)}\n`)).toHaveLength(1);
});

test('a line is too wide only if it can be broken', () => {
  expect(wideLines(`${words(30)}\n`)).toHaveLength(1);
  expect(wideLines(`[page](${'x'.repeat(130)})\n`)).toEqual([]);
  expect(wideLines(`\`\`\`\n${words(30)}\n\`\`\`\n`)).toEqual([]);
});

test('a private word is found as a whole word, outside of code', () => {
  expect(privateWords('The door hears it.\n')).toEqual([{ rule: 'word', text: 'door' }]);
  expect(privateWords('An outdoor `door`, and two years.\n')).toEqual([]);
});
