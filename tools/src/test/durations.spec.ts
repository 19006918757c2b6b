// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { slowestFiles } from './durations.ts';

let folder: string;
beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'writ-durations-')); });
afterEach(() => rmSync(folder, { recursive: true }));

const results = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const ran = (...files: [string, number][]): string =>
  JSON.stringify({ testResults: files.map(([name, ms]) => ({ name: join(folder, name), startTime: 1_000, endTime: 1_000 + ms })) });

test('files of all checks come slowest first, and results that broke off say nothing', () => {
  const paths = [results('a.json', ran(['src/a.spec.ts', 20], ['src/b.spec.ts', 70])), results('b.json', ran(['src/c.spec.ts', 50])), results('c.json', '{"testRes'), results('d.json', 'null'), join(folder, 'none.json')];
  expect(slowestFiles(folder, paths)).toEqual([{ file: 'src/b.spec.ts', ms: 70 }, { file: 'src/c.spec.ts', ms: 50 }, { file: 'src/a.spec.ts', ms: 20 }]);
});

test('not all of many files are told', () => {
  expect(slowestFiles(folder, [results('a.json', ran(...Array.from({ length: 50 }, (_, i): [string, number] => [`f${i}`, i])))])).toHaveLength(20);
});
