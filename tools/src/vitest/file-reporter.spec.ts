// SPDX-License-Identifier: Apache-2.0
// Runs Vitest itself on small files: `npm test` counts the reporter's results.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { vi } from 'vitest';
import { checkout } from '../setup.ts';
import { tallyOf } from '../test/tally.ts';
import { readResults, type FileOutcome, type Results } from './results.ts';

vi.setConfig({ testTimeout: 120_000 });

/** One file for each kind of result. */
const FILES = {
  'good.spec.js': `it('passes', () => {}); it.skip('is skipped', () => {}); describe('in a suite', () => { it('passes, too', () => {}); });`,
  'bad.spec.js': `it('fails', () => { expect(1).toBe(2); });`,
  'flaky.spec.js': `let tries = 0; it('passes at the second try', () => { tries += 1; expect(tries).toBe(2); });`,
  'broken.spec.js': `throw new Error('cannot be loaded');`,
  'no-set-up.spec.js': `beforeAll(() => { throw new Error('no database'); }); it('never ran', () => {});`,
  'stray.spec.js': `it('leaves a rejection behind', async () => { void Promise.reject(new Error('nobody waits')); await new Promise((resolve) => setTimeout(resolve, 50)); });`,
} as const;

/** They run in one worker; its end takes the second one with it. */
const KILLED = {
  'a-killed.spec.js': `it('ends its worker', () => { process.kill(process.pid, 'SIGKILL'); });`,
  'b-lost.spec.js': `it('never ran', () => {});`,
} as const;

let folder: string;
let results: Results;
let output: string;

/** Runs the files as `npm test` does, in one worker. */
function run(name: string, files: Readonly<Record<string, string>>): { results: Results; output: string } {
  const root = join(folder, name);
  mkdirSync(root);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  const path = join(folder, `${name}.json`);
  const { stdout } = spawnSync(
    process.execPath,
    [
      join(checkout, 'node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--root',
      root,
      '--globals',
      '--retry=1',
      '--maxWorkers=1',
      '--isolate=false',
      `--reporter=${join(checkout, 'tools', 'src', 'vitest', 'file-reporter.ts')}`,
    ],
    { encoding: 'utf8', env: { ...process.env, WRIT_TEST_RESULTS: path, NO_COLOR: '1' } },
  );
  return { results: readResults(path) as Results, output: stdout };
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-reporter-'));
  ({ results, output } = run('all', FILES));
}, 120_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const fileOf = (name: keyof typeof FILES): FileOutcome | undefined =>
  results.files.find(({ file }) => basename(file) === name);
const tallyOfFile = (name: keyof typeof FILES) =>
  tallyOf({ files: results.files.filter(({ file }) => basename(file) === name), errors: [] });

test('passed and skipped tests are counted, with the names of their suites', () => {
  expect(tallyOfFile('good.spec.js')).toEqual({ passed: 2, failed: 0, skipped: 1 });
  expect(fileOf('good.spec.js')?.tests.map(({ name }) => name)).toContain('in a suite > passes, too');
});

test('a failed test is counted and reported with the expected value', () => {
  expect(tallyOfFile('bad.spec.js')).toMatchObject({ failed: 1 });
  expect(fileOf('bad.spec.js')?.tests[0]?.errors.join('\n')).toContain('expected 1 to be 2');
  expect(output).toContain('✖ fails');
});

test('a test that passes on retry is counted as passed and reported with the first reason', () => {
  expect(tallyOfFile('flaky.spec.js')).toEqual({ passed: 1, failed: 0, skipped: 0 });
  expect(fileOf('flaky.spec.js')?.tests[0]).toMatchObject({
    retried: true,
    errors: [expect.stringContaining('expected 1 to be 2')],
  });
  expect(output).toContain('needed a second try: passes at the second try');
});

test('a file that cannot be loaded, or whose set-up fails, is a failure', () => {
  expect(tallyOfFile('broken.spec.js').failed).toBeGreaterThan(0);
  expect(tallyOfFile('no-set-up.spec.js').failed).toBeGreaterThan(0);
});

test('an unhandled rejection is a failure', () => {
  expect(results.errors.join('\n')).toContain('nobody waits');
});

test('a crashed worker fails its run, and its other files have no passed test', () => {
  const { results: ofKilled } = run('killed', KILLED);
  const { passed, failed } = tallyOf(ofKilled);
  expect({ passed, hasFailed: failed > 0 }).toEqual({ passed: 0, hasFailed: true });
});

test('results that are missing or cut off are null', () => {
  const cut = join(folder, 'cut.json');
  for (const text of ['', '{"files":[', '{}', 'null', '[]']) {
    writeFileSync(cut, text);
    expect(readResults(cut)).toBeNull();
  }
  expect(readResults(join(folder, 'none.json'))).toBeNull();
});
