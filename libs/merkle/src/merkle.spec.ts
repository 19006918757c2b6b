// SPDX-License-Identifier: Apache-2.0
import { EMPTY_FRONTIER, appendLeaves, encodeFrontier, parseFrontier, rootOf, rootOfFrontier } from './frontier.ts';
import { emptyRoot, leafHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { proveConsistency, proveInclusion } from './prove.ts';
import type { HashAt } from './shape.ts';
import { verifyConsistency, verifyInclusion } from './verify.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The reference leaves and roots of the Certificate Transparency test vectors, by tree size. */
const LEAVES = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'].map(
  hex,
);
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const INCLUSION: [leaf: number, size: number, hashes: string[]][] = [
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
];
const CONSISTENCY: [oldSize: number, newSize: number, hashes: string[]][] = [
  [1, 1, []],
  [
    1,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    6,
    8,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [
    2,
    5,
    [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
  [
    6,
    7,
    [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
];

const leafHashes = LEAVES.map(leafHash);
const root = (size: number) => hex(ROOTS[size] as string);
const hashAt: HashAt = (level, index) => rootOf(leafHashes.slice(index * 2 ** level, (index + 1) * 2 ** level));

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof MerkleError) return error.reason;
    throw error;
  }
  return 'none';
}

describe('the Certificate Transparency vectors', () => {
  it.each(ROOTS.map((expected, size) => [size, expected]))('give the root of %i leaves', (size, expected) => {
    expect(toHex(rootOf(leafHashes.slice(0, size as number)))).toBe(expected);
  });

  it.each(INCLUSION)('give the inclusion proof of leaf %i in a tree of %i', (leafIndex, treeSize, hashes) => {
    expect(proveInclusion(leafIndex, treeSize, hashAt).map(toHex)).toEqual(hashes);
    const leaf = leafHashes[leafIndex] as Uint8Array;
    verifyInclusion({ leafHash: leaf, leafIndex, treeSize, hashes: hashes.map(hex) }, root(treeSize));
  });

  it.each(CONSISTENCY)('give the consistency proof from %i to %i', (oldSize, newSize, hashes) => {
    expect(proveConsistency(oldSize, newSize, hashAt).map(toHex)).toEqual(hashes);
    verifyConsistency({ oldSize, oldRoot: root(oldSize), newSize, newRoot: root(newSize), hashes: hashes.map(hex) });
  });
});

describe('an inclusion proof', () => {
  const good = {
    leafHash: leafHashes[5] as Uint8Array,
    leafIndex: 5,
    treeSize: 8,
    hashes: (INCLUSION[2]?.[2] ?? []).map(hex),
  };

  it.each<[string, object, string]>([
    ['another index', { leafIndex: 4 }, 'root_mismatch'],
    ['an index past the end', { leafIndex: 8 }, 'bad_index'],
    ['a negative index', { leafIndex: -1 }, 'bad_index'],
    ['an index that is no integer', { leafIndex: 0.5 }, 'bad_index'],
    ['a size that is no integer', { treeSize: Number.NaN }, 'bad_size'],
    ['a size beyond 2^53', { treeSize: 2 ** 53 }, 'bad_size'],
    ['a larger tree', { treeSize: 16 }, 'bad_proof_length'],
    ['a hash too many', { hashes: [...good.hashes, root(8)] }, 'bad_proof_length'],
    ['a hash too few', { hashes: good.hashes.slice(1) }, 'bad_proof_length'],
    ['a hash of another length', { hashes: [hex('00'), ...good.hashes.slice(1)] }, 'bad_hash'],
    ['a leaf hash of another length', { leafHash: hex('') }, 'bad_hash'],
  ])('with %s is refused', (_, change, reason) => {
    expect(
      reasonOf(() => {
        verifyInclusion({ ...good, ...change }, root(8));
      }),
    ).toBe(reason);
  });

  it('is refused for a root of another length', () => {
    expect(
      reasonOf(() => {
        verifyInclusion(good, hex('00'));
      }),
    ).toBe('bad_hash');
  });

  it('cannot be made for a missing leaf', () => {
    expect(reasonOf(() => proveInclusion(8, 8, hashAt))).toBe('bad_index');
    expect(reasonOf(() => proveInclusion(0, 2 ** 53, hashAt))).toBe('bad_size');
  });
});

describe('a consistency proof', () => {
  const good = {
    oldSize: 6,
    oldRoot: root(6),
    newSize: 8,
    newRoot: root(8),
    hashes: (CONSISTENCY[2]?.[2] ?? []).map(hex),
  };

  it.each<[string, object, string]>([
    ['the roots swapped', { oldRoot: root(8), newRoot: root(6) }, 'root_mismatch'],
    ['another new root', { newRoot: root(7) }, 'root_mismatch'],
    ['sizes out of order', { oldSize: 9 }, 'bad_size'],
    ['an old size that is no size', { oldSize: -1 }, 'bad_size'],
    ['a new size that is no size', { newSize: 2 ** 53 }, 'bad_size'],
    ['no hashes', { hashes: [] }, 'bad_proof_length'],
    ['a hash too many', { hashes: [...good.hashes, root(8)] }, 'bad_proof_length'],
    ['a hash too few', { hashes: good.hashes.slice(0, -1) }, 'bad_proof_length'],
    ['a hash of another length', { hashes: [hex('00')] }, 'bad_hash'],
    ['hashes where sizes are the same', { oldSize: 8, oldRoot: root(8) }, 'bad_proof_length'],
    ['other roots where sizes are the same', { oldSize: 8, hashes: [] }, 'root_mismatch'],
    ['another root of the empty tree', { oldSize: 0, hashes: [] }, 'root_mismatch'],
  ])('with %s is refused', (_, change, reason) => {
    expect(
      reasonOf(() => {
        verifyConsistency({ ...good, ...change });
      }),
    ).toBe(reason);
  });

  it('from the empty tree is empty', () => {
    expect(proveConsistency(0, 8, hashAt)).toEqual([]);
    verifyConsistency({ ...good, oldSize: 0, oldRoot: emptyRoot(), hashes: [] });
    verifyConsistency({ oldSize: 0, oldRoot: emptyRoot(), newSize: 0, newRoot: emptyRoot(), hashes: [] });
  });

  it('cannot be made for sizes out of order', () => {
    for (const [a, b] of [
      [2, 1],
      [-1, 1],
      [0, 2 ** 53],
    ] as const)
      expect(reasonOf(() => proveConsistency(a, b, hashAt))).toBe('bad_size');
  });
});

describe('a frontier', () => {
  it('is a value: an append leaves the old one as it was', () => {
    const three = appendLeaves(EMPTY_FRONTIER, leafHashes.slice(0, 3));
    appendLeaves(three, leafHashes.slice(3, 6));
    expect(toHex(rootOfFrontier(three))).toBe(ROOTS[3]);
    expect(EMPTY_FRONTIER).toEqual({ size: 0, roots: [] });
  });

  it('is equal after encoding and parsing', () => {
    const five = appendLeaves(EMPTY_FRONTIER, leafHashes.slice(0, 5));
    const bytes = encodeFrontier(five);
    expect(toHex(bytes)).toBe(`0000000000000005${ROOTS[4] as string}${toHex(leafHashes[4] as Uint8Array)}`);
    expect(parseFrontier(Buffer.concat([Buffer.of(9), bytes]).subarray(1))).toEqual(five);
    expect(parseFrontier(encodeFrontier(EMPTY_FRONTIER))).toEqual(EMPTY_FRONTIER);
  });

  it.each([
    '',
    '00',
    '0000000000000001',
    `0000000000000000${'00'.repeat(32)}`,
    `0000000000000003${'00'.repeat(32)}`,
    `ffffffffffffffff${'00'.repeat(32)}`,
  ])('is refused as %j', (bytes) => {
    expect(reasonOf(() => parseFrontier(hex(bytes)))).toBe('bad_frontier');
  });
});
