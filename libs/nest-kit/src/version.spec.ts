// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { VERSION } from './version.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

test('the version of processes equals those of the package and of the chart', () => {
  expect((JSON.parse(read('package.json')) as { version: string }).version).toBe(VERSION);
  expect((parse(read('helm/writ/Chart.yaml')) as { appVersion: string }).appVersion).toBe(VERSION);
});
