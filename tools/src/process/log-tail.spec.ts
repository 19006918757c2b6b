// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logTail } from './log-tail.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-log-tail-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the tail of a log is its last whole lines, also with many megabytes', () => {
  const path = join(folder, 'service.log');
  const lines = Array.from({ length: 200_000 }, (_, n) => `line ${n}`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  expect(logTail(path, 3)).toEqual(lines.slice(-3));
  expect(logTail(path, 1_000_000)[0]).toMatch(/^line \d+$/);
});

test('a missing log has no last lines', () => {
  expect(logTail(join(folder, 'none.log'))).toEqual([]);
});
