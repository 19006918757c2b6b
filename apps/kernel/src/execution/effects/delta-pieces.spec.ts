// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '@writ/digest';
import { readLasting, parsePieces, writeInPieces } from './delta-pieces.ts';

const BASE = `snap_${'a'.repeat(64)}`;
const changeOf = (path: string) => ({
  path,
  before: null,
  after: { kind: 'file', mode: '644', sha256: 'b'.repeat(64), size: 1 } as const,
});
const many = (count: number) => Array.from({ length: count }, (_, n) => changeOf(`src/${String(n).padStart(5, '0')}`));

it.each([0, 1, 249, 250, 251, 1_000])(
  'a delta of %i changes is parsed unchanged from its pieces, and its text is canonical',
  async (count) => {
    const changes = many(count);
    const written = writeInPieces(BASE, changes);
    expect(Buffer.from(written.bytes)).toEqual(Buffer.from(canonicalBytes({ v: 1, base: BASE, changes })));
    expect(await parsePieces(written)).toEqual(changes);
  },
);

it('of a stored delta the files that a build generates again are left out', async () => {
  const changes = [changeOf('node_modules/a/index.js'), ...many(2)];
  expect(await parsePieces(readLasting(canonicalBytes({ v: 1, base: BASE, changes })))).toEqual(many(2));
});

it.each(['', '{', '{"v":1}', '\xff'])('%j is no delta', (text) => {
  expect(() => readLasting(Buffer.from(text, 'latin1'))).toThrow(expect.objectContaining({ code: 'effect.invalid' }));
});
