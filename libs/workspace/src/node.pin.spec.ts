// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '@writ/digest';
import { deltaId, deltaOf } from './delta.ts';
import { encodeNode, loadNode, parseNode } from './node.ts';
import type { NodeEntry } from './node-entry.ts';
import { emptyTree, parseSnapshotId, snapshotIdOf } from './snapshot.ts';
import { DIR, file } from './tree-model.contract.ts';

const HASH = 'ab'.repeat(32);
const ENTRIES: NodeEntry[] = [
  { kind: 'symlink', name: '\u{1f600}', sha256: HASH, size: 4 },
  { kind: 'file', mode: '755', name: '\uff5e', sha256: HASH, size: 1 },
  { kind: 'dir', name: 'b "q"', sha256: HASH, size: 0 },
  { kind: 'file', mode: '644', name: 'a', sha256: HASH, size: 9_007_199_254_740_991 },
];
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const bytes = (content: string): Uint8Array => new TextEncoder().encode(content);
const NODE =
  `{"entries":[{"kind":"file","mode":"644","name":"a","sha256":"${HASH}","size":9007199254740991},` +
  `{"kind":"dir","name":"b \\"q\\"","sha256":"${HASH}","size":0},` +
  `{"kind":"file","mode":"755","name":"\uff5e","sha256":"${HASH}","size":1},` +
  `{"kind":"symlink","name":"\u{1f600}","sha256":"${HASH}","size":4}],"v":1}`;

describe('a node', () => {
  it('has these bytes', () => {
    const node = encodeNode(ENTRIES);
    expect(text(node.bytes)).toBe(NODE);
    expect(node.sha256).toBe('3735a7122d47b8dc14145f5e7ce056462f933f0bcb9bd48f2640663219a2cdfa');
  });

  it('is RFC 8785 JSON', () => {
    expect(text(canonicalBytes(JSON.parse(NODE)))).toBe(NODE);
  });

  it('is parsed again, and nothing else is', () => {
    expect(encodeNode(parseNode(bytes(NODE))).sha256).toBe(encodeNode(ENTRIES).sha256);
  });

  const file1 = `{"kind":"file","mode":"644","name":"a","sha256":"${HASH}","size":1}`;
  it.each([
    '',
    '[]',
    'null',
    '{}',
    '{"entries":{},"v":1}',
    '{"entries":[],"v":2}',
    '{"v":1,"entries":[]}',
    '{"entries": [],"v":1}',
    '\ufeff{"entries":[],"v":1}',
    `{"entries":[${file1},${file1}],"v":1}`,
    `{"entries":[${file1.replace('"a"', '"b"')},${file1}],"v":1}`,
    ...[
      ['"a"', '".."'],
      ['"a"', '"a/b"'],
      ['"a"', '""'],
      ['"a"', '"\\u0000"'],
      ['"a"', '"\\u0061"'],
      ['644', '777'],
      ['"file"', '"dir"'],
      ['"file"', '"fifo"'],
      [':1}', ':-1}'],
      [':1}', ':1.5}'],
      [':1}', ':1,"x":1}'],
      [HASH, HASH.toUpperCase()],
      [HASH, HASH.slice(2)],
      ['"kind":"file","mode":"644"', '"mode":"644","kind":"file"'],
    ].map(([from = '', to = '']) => `{"entries":[${file1.replace(from, to)}],"v":1}`),
  ])('refuses %j', (content) => {
    expect(() => parseNode(bytes(content))).toThrow(expect.objectContaining({ code: 'blob.corrupt' }));
  });

  it('is checked against its hash', async () => {
    await expect(loadNode(async () => bytes('{"entries":[],"v":1}'), HASH)).rejects.toMatchObject({
      code: 'blob.corrupt',
    });
  });

  it('refuses duplicate and invalid names', () => {
    const entry = ENTRIES[3] as NodeEntry;
    expect(() => encodeNode([entry, entry])).toThrow('each name once');
    expect(() => encodeNode([{ ...entry, name: '..' }])).toThrow('only names');
  });
});

describe('ids', () => {
  it('of the empty workspace', () => {
    expect(snapshotIdOf(emptyTree().root)).toBe(
      'snap_ab47c668cf7264d451c8dad52cf0a87defbb1b5cc87743c37bc4c6836c00f4ff',
    );
    expect(parseSnapshotId(snapshotIdOf(HASH))).toBe(HASH);
    expect(() => parseSnapshotId(`snap_${HASH}0`)).toThrow(expect.objectContaining({ code: 'request.malformed' }));
  });

  it('of a delta', () => {
    const delta = deltaOf(snapshotIdOf(emptyTree().root), [
      { path: 'd/f', before: null, after: file('x', '755') },
      { path: 'd', before: null, after: DIR },
    ]);
    expect(delta.changes.map((change) => change.path)).toEqual(['d', 'd/f']);
    expect(deltaId(delta)).toBe('delta_57b2443edc76b7998f4cb0c5cbd5be71b552e70efdb86903598407ab1cbbd52d');
  });
});
