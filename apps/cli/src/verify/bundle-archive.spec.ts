// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { folderOf } from '../specs/folder-of.ts';
import { readBundle } from './bundle-archive.ts';

const read = async (file: string): Promise<unknown> => {
  for await (const each of readBundle(file)) expect(each).toBeUndefined();
  return null;
};

test('a missing file, and a folder, are usage errors', async () => {
  const folder = folderOf({});
  await expect(read(join(folder, 'absent.tar'))).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining("absent.tar` can't be read (ENOENT)") as string,
  });
  await expect(read(folder)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('(EISDIR)') as string,
  });
});

test('a file that is no archive is refused as a bundle', async () => {
  const folder = folderOf({ 'text.tar': 'no archive at all', 'empty.tar': '' });
  for (const name of ['text.tar', 'empty.tar'])
    await expect(read(join(folder, name))).rejects.toMatchObject({ code: 'verify.bundle' });
});
