// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkout } from '../setup.ts';
import { coverageFaults, hasTest, readCoverage, type Coverage } from './seed-coverage.ts';

/**
 * The requirements whose tools are still being built. Whoever finishes one removes it here, and replaces `open` in
 * docs/reference/seed-coverage.yaml by the code and the tests that prove it.
 */
const OPEN: readonly string[] = [];

/** How many requirements each system has. */
const COUNTS = {
  'Command blocks with mk8.shell': 95,
  ToolsXML: 20,
  'The tool-capability API': 23,
  'Yips envelopes': 25,
  'The agent loop': 20,
};

test('every requirement has code that exists, and tests that exist or a ruling', () => {
  expect(coverageFaults(checkout, readCoverage(checkout), OPEN)).toEqual([]);
});

test('no requirement of the five systems is missing', () => {
  const counts = readCoverage(checkout).map(({ system, requirements }) => [system, requirements.length]);
  expect(Object.fromEntries(counts)).toEqual(COUNTS);
});

describe('in a repository of its own', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'writ-coverage-'));
    mkdirSync(join(root, 'src'));
    writeFileSync(join(root, 'src/a.ts'), '');
    writeFileSync(
      join(root, 'src/a.spec.ts'),
      "test('it does', () => {});\ntest.each([1])(\n  'of %s',\n  () => {},\n);\n",
    );
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });
  const faultsOf = (rows: Coverage[number]['requirements'], open: string[] = []): string[] =>
    coverageFaults(root, [{ system: 'One', requirements: rows }], open);
  const row = { id: 'K1', requirement: 'It does.', code: ['src/a.ts'] };
  const tests = { 'src/a.spec.ts': ['it does', 'of %s'] };

  test('a row is proven by a test, or ruled on', () => {
    expect(
      faultsOf([
        { ...row, tests },
        { ...row, id: 'K2', ruling: 'Nobody needs it.' },
      ]),
    ).toEqual([]);
    expect(faultsOf([row])).toEqual(['K1: has neither test nor ruling']);
  });

  test('a path, a spec or a test that is gone is named, and so is an id that stands there twice', () => {
    expect(
      faultsOf([
        { ...row, code: ['src/b.ts'], tests: { 'src/a.spec.ts': ['it did'], 'src/b.spec.ts': [] } },
        { ...row, tests },
      ]),
    ).toEqual([
      'K1: stands there twice',
      'K1: no code `src/b.ts`',
      'K1: no test "it did" in src/a.spec.ts',
      'K1: no spec `src/b.spec.ts`',
    ]);
  });

  test('a row is open exactly where the list says so', () => {
    expect(faultsOf([{ ...row, open: 'a.tool' }], ['K1'])).toEqual([]);
    expect(faultsOf([{ ...row, open: 'a.tool' }])).toEqual(['K1: is open, and not among those that may be']);
    expect(faultsOf([{ ...row, tests }], ['K1'])).toEqual(["K1: may be open, and isn't: take it off the list"]);
  });

  test('a title is that of a test whatever its quotes and its line, and no part of one', () => {
    const spec = 'it(\'isn\\\'t "so"\', () => {}); it(\n  "a `b`",\n () => {}); expect(hasTest("no", 1))';
    expect([hasTest(spec, 'isn\'t "so"'), hasTest(spec, 'a `b`'), hasTest(spec, 'isn')]).toEqual([true, true, false]);
  });
});
