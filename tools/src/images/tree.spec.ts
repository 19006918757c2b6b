// SPDX-License-Identifier: Apache-2.0
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Tree } from './tree.ts';

const DATE = new Date(1_700_000_000_000);
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'writ-tree-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

async function packed(tree: Tree): Promise<Buffer> {
  const file = join(dir, 'tree.tar');
  await tree.write(file, DATE);
  return readFileSync(file);
}

async function headersOf(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const headers: Record<string, unknown>[] = [];
  const tar = extract();
  tar.on('entry', ({ name, type, mode, uid, gid, mtime, linkname }, stream, next) => {
    headers.push({ name, type, mode, uid, gid, mtime: mtime?.getTime(), linkname });
    stream.on('end', next).resume();
  });
  await pipeline(Readable.from([bytes]), tar);
  return headers;
}

it('the same tree gives the same bytes, for any times and order of its files', async () => {
  for (const name of ['a.js', 'b.js']) writeFileSync(join(dir, name), name);
  const one = new Tree();
  for (const name of ['a.js', 'b.js']) one.file(`opt/${name}`, join(dir, name));
  const before = await packed(one);
  utimesSync(join(dir, 'a.js'), 1, 1);
  const other = new Tree();
  for (const name of ['b.js', 'a.js']) other.file(`opt/${name}`, join(dir, name));
  expect((await packed(other)).equals(before)).toBe(true);
  const { hash } = one;
  expect(other.hash).toBe(hash);
  writeFileSync(join(dir, 'a.js'), 'changed');
  expect(other.hash).not.toBe(hash);
});

it('files belong to root and keep their execute bit, folders have their owner, links stay links', async () => {
  mkdirSync(join(dir, 'from', 'bin'), { recursive: true });
  writeFileSync(join(dir, 'from', 'bin', 'run'), '');
  chmodSync(join(dir, 'from', 'bin', 'run'), 0o711);
  symlinkSync('run', join(dir, 'from', 'bin', 'link'));
  writeFileSync(join(dir, 'from', 'left.out'), '');
  const tree = new Tree();
  tree.copy('opt', join(dir, 'from'), (path) => !path.endsWith('.out'));
  tree.folder('var/lib', 0o700, { uid: 10_001, gid: 10_001 });
  const at = { uid: 0, gid: 0, mtime: DATE.getTime(), linkname: null };
  expect(await headersOf(await packed(tree))).toEqual([
    { ...at, name: 'opt', type: 'directory', mode: 0o755 },
    { ...at, name: 'opt/bin', type: 'directory', mode: 0o755 },
    { ...at, name: 'opt/bin/link', type: 'symlink', mode: 0o777, linkname: 'run' },
    { ...at, name: 'opt/bin/run', type: 'file', mode: 0o755 },
    { ...at, name: 'var', type: 'directory', mode: 0o755 },
    { ...at, name: 'var/lib', type: 'directory', mode: 0o700, uid: 10_001, gid: 10_001 },
  ]);
});
