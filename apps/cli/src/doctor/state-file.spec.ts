// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepLog, readKept } from './state-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-doctor-state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = (url: string, checkpoint: string) => ({ url, tenant_id: 'ten_1', checkpoint });

it('keeps the newest log of each server, for its owner alone', () => {
  const path = join(folder, 'deep', 'doctor.json');
  expect(readKept(path, 'http://a')).toBeNull();
  keepLog(path, log('http://a', 'first'));
  keepLog(path, log('http://b', 'of another'));
  keepLog(path, log('http://a', 'second'));
  expect(readKept(path, 'http://a')).toEqual(log('http://a', 'second'));
  expect(readKept(path, 'http://b')).toEqual(log('http://b', 'of another'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.each(['', '[]', '{"v":2,"logs":[]}', '{"v":1,"logs":[{"url":1}]}'])(
  'refuses the file `%s`, and says what to do, instead of forgetting what was kept',
  (content) => {
    const path = join(folder, 'doctor.json');
    writeFileSync(path, content);
    expect(() => readKept(path, 'http://a')).toThrow('name another file with `--state`, or delete it');
  },
);
