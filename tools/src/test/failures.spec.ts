// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failures } from './failures.ts';

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'writ-failures-')); });
afterEach(() => rmSync(folder, { recursive: true }));

const resultsOf = (...testResults: { name: string; status: string; message?: string; assertionResults: { fullName: string; status: string; failureMessages?: string[] }[] }[]): string => {
  const path = join(folder, 'results.json');
  writeFileSync(path, JSON.stringify({ testResults: testResults.map(({ name, ...rest }) => ({ ...rest, name: join(folder, name) })) }));
  return path;
};

test('each failed test is told with the beginning of its reason, and the others are not', () => {
  const path = resultsOf(
    { name: 'a.spec.ts', status: 'failed', assertionResults: [{ fullName: 'x is y', status: 'passed' }, { fullName: 'x is z', status: 'failed', failureMessages: ['\x1b[31mExpected\x1b[39m 1\n\n    at line 3\n'] }] },
    { name: 'b.spec.ts', status: 'passed', assertionResults: [{ fullName: 'all is well', status: 'passed' }] },
  );
  expect(failures(folder, [path])).toEqual([{ file: 'a.spec.ts', test: 'x is z', lines: ['Expected 1', '    at line 3'] }]);
});

test('a file that could not be run is told whole, and a long reason is cut', () => {
  const message = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
  const [failure] = failures(folder, [resultsOf({ name: 'a.spec.ts', status: 'failed', message, assertionResults: [] })]);
  expect(failure).toMatchObject({ file: 'a.spec.ts', test: null });
  expect(failure?.lines).toHaveLength(15);
});
