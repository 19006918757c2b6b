// SPDX-License-Identifier: Apache-2.0
import { gzipSync } from 'node:zlib';
import { tarOf, zipOf } from '../specs/archives.ts';
import { hostWithFiles, outcomeOf } from '../specs/world.ts';

const GOOD = [
  ['ok.txt', 'fine'],
  ['d/e.txt', 'deep'],
] as const;
const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024));

async function extracted(
  archive: Uint8Array,
  target = 'out',
): Promise<{ readonly error: string | null; readonly files: readonly string[]; readonly written: number }> {
  const host = hostWithFiles();
  host.files.plant('x.bin', archive);
  const { error } = await outcomeOf({ verb: 'ArchiveExtract', args: ['x.bin', target] }, host);
  return {
    error,
    files: host.files.paths().filter((path) => path.startsWith('out/')),
    written: host.files.touched.filter(({ how }) => how === 'write').length,
  };
}

test.each([
  ['zip', zipOf(GOOD)],
  ['tar', tarOf(GOOD)],
  ['tar.gz', gzipSync(tarOf(GOOD))],
])('a %s is unpacked', async (_, archive) => {
  expect(await extracted(archive)).toMatchObject({ error: null, files: ['out/d', 'out/d/e.txt', 'out/ok.txt'] });
});

const hostile: readonly (readonly [string, Uint8Array])[] = [
  ['a traversal in a zip', zipOf([...GOOD, ['../x', '']])],
  ['an absolute path in a zip', zipOf([...GOOD, ['/etc/x', '']])],
  ['a backslash in a zip', zipOf([...GOOD, ['..\\x', '']])],
  ['a link in a zip', zipOf(GOOD, { mode: 0o120777 })],
  ['a blocked name in a zip', zipOf([...GOOD, ['Makefile', '']])],
  ['a hook in a zip', zipOf([...GOOD, ['.git/hooks/pre-commit', '']])],
  ['a lie about a size', zipOf(GOOD, { size: 1 })],
  ['too large a size', zipOf(GOOD, { size: 0xffff_fff0 })],
  [
    'a file that is a directory too',
    zipOf([
      ['a', ''],
      ['a/b', ''],
    ]),
  ],
  ['a traversal in a tar', tarOf([...GOOD, ['d/../../x', '']])],
  ['a symbolic link in a tar', tarOf([...GOOD, ['l', '', '2']])],
  ['a hard link in a tar', tarOf([...GOOD, ['l', '', '1']])],
  ['a device in a tar', tarOf([...GOOD, ['l', '', '3']])],
  ['a blocked name in a tar', tarOf([...GOOD, ['a/run.sh', '']])],
  ['a long name that leads out', tarOf([...GOOD, ['x', '../../evil\0', 'L'], ['y', '']])],
  ['a pax path that leads out', tarOf([...GOOD, ['x', '17 path=../evil\n\n', 'x'], ['y', '']])],
  ['half a tar', tarOf(GOOD).subarray(0, 600)],
  ['a bomb', bomb],
  ['half a zip', zipOf(GOOD).subarray(0, 60)],
];
test.each(hostile)('%s stops it before anything is written', async (_, archive) => {
  const { error, written } = await extracted(archive);
  expect([typeof error, written]).toEqual(['string', 0]);
});
