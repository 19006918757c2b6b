// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readImagesFile } from './read-images-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-images-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const read = (text: string) => {
  const path = join(folder, 'images.json');
  writeFileSync(path, text);
  return readImagesFile('WRIT_SANDBOX_IMAGES_FILE', path);
};

it('reads the rows of the file, and none where there is no file', () => {
  const row = { digest: `sha256:${'1'.repeat(64)}`, tools: ['shell.run'] };
  expect(read(JSON.stringify({ v: 1, images: [row] })).images).toEqual([row]);
  expect(readImagesFile('WRIT_SANDBOX_IMAGES_FILE', undefined).images).toEqual([]);
});

it.each([
  ['{', /JSON/],
  ['{"v":1,"images":[{}]}', /images\/0.*digest/],
  ['{"v":2,"images":[]}', /`\/v`/],
])('stops a process whose file is %s, and says why', (text, why) => {
  expect(() => read(text)).toThrow(why);
  expect(() => read(text)).toThrow('WRIT_SANDBOX_IMAGES_FILE');
});

it('stops a process whose file is missing', () => {
  expect(() => readImagesFile('WRIT_SANDBOX_IMAGES_FILE', join(folder, 'none.json'))).toThrow('cannot be read');
});
