// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { rootOf } from './frontier.ts';
import { leafHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { consistencyNodes, inclusionNodes, proveConsistency, proveInclusion } from './prove.ts';
import {
  encodeEntryBundle,
  encodeTile,
  growTiles,
  hashAtFromTiles,
  parseEntryBundle,
  parseTile,
} from './tile-content.ts';
import type { ReadTile, Tile } from './tile-content.ts';
import {
  edgeTiles,
  entryBundlePath,
  parseTilePath,
  signaturesPath,
  tilePath,
  tileWidth,
  tilesOf,
  tilesTouched,
} from './tile-layout.ts';
import { verifyConsistency, verifyInclusion } from './verify.ts';

const LEAVES = Array.from({ length: 70_000 }, (_, i) => leafHash(Buffer.from(String(i))));
const keyOf = ({ level, index }: { level: number; index: number }) => `${String(level)}/${String(index)}`;
const hash = (fill: number) => new Uint8Array(32).fill(fill);

/** A log of tiles as a store keeps it: the widest tile of each position. */
function storeOf(...sizes: number[]): { tiles: Map<string, Tile>; read: ReadTile } {
  const tiles = new Map<string, Tile>();
  const read: ReadTile = (level, index) => tiles.get(keyOf({ level, index }))?.hashes ?? [];
  let from = 0;
  for (const size of sizes) {
    for (const tile of growTiles(from, LEAVES.slice(from, size), read)) tiles.set(keyOf(tile), tile);
    from = size;
  }
  return { tiles, read };
}

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof MerkleError) return error.reason;
    throw error;
  }
  return 'none';
}

describe('tile paths', () => {
  it('are those of the specification', () => {
    expect(tilePath(0, 0)).toBe('tile/0/000');
    expect(tilePath(1, 1234067)).toBe('tile/1/x001/x234/067');
    expect(tilePath(0, 1234, 17)).toBe('tile/0/x001/234.p/17');
    expect(tilePath(2, 999, 256)).toBe('tile/2/999');
    expect(entryBundlePath(1000, 1)).toBe('tile/entries/x001/000.p/1');
    expect([signaturesPath(1000, 1), signaturesPath(0)]).toEqual(['signatures/x001/000.p/1', 'signatures/000']);
  });

  it('are parsed as they are formatted, in one spelling', () => {
    const width = fc.integer({ min: 1, max: 256 });
    const index = fc.oneof(fc.nat(3_000), fc.maxSafeNat());
    fc.assert(
      fc.property(fc.nat(63), index, width, (level, n, w) => {
        expect(parseTilePath(tilePath(level, n, w).slice('tile/'.length))).toEqual({
          kind: 'hashes',
          level,
          index: n,
          width: w,
        });
        expect(parseTilePath(entryBundlePath(n, w).slice('tile/'.length))).toEqual({
          kind: 'entries',
          index: n,
          width: w,
        });
      }),
    );
    for (const path of [
      '',
      '0',
      '0/0',
      '0/00',
      '0/0000',
      '00/000',
      '64/000',
      '-1/000',
      '0/x000/001',
      '0/001/002',
      '0/000.p/256',
      '0/000.p/0',
      '0/000.p/01',
      '0/000.p/',
      '0/000/',
      '/0/000',
      'tile/0/000',
      'entries',
      'entries/0',
      'Entries/000',
      '0/x900/x719/x925/x474/x099/x1000',
      '0/x009/x007/x199/x254/x740/992',
      '0/000\n',
      '0/٠٠٠',
      '0/000.p/257',
    ]) {
      expect([path, parseTilePath(path)]).toEqual([path, null]);
    }
  });

  it('are refused for what is no tile', () => {
    for (const width of [0, 257, 1.5]) expect(() => tilePath(0, 0, width)).toThrow('width');
    for (const index of [-1, 2 ** 53, Number.NaN]) expect(() => entryBundlePath(index)).toThrow('index');
  });
});

describe('tilesTouched', () => {
  it("gives the specification's example of 70,000 leaves", () => {
    const tiles = tilesTouched(0, 70_000);
    expect(tiles.filter(({ level, width }) => level === 0 && width === 256)).toHaveLength(273);
    expect(tiles.filter(({ level, width }) => level !== 0 || width !== 256)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 0, width: 256 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ]);
    expect(tilesTouched(255, 256)).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 1, index: 0, width: 1 },
    ]);
  });

  it('gives only what is new', () => {
    expect(tilesTouched(5, 5)).toEqual([]);
    expect(tilesTouched(256, 257)).toEqual([{ level: 0, index: 1, width: 1 }]);
    expect(
      tilesTouched(Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER).map(({ level, width }) => [level, width]),
    ).toEqual([[0, 255]]);
    expect(tilesTouched(2 ** 52 - 1, 2 ** 52)).toHaveLength(7);
  });

  it('refuses sizes out of order', () => {
    for (const [a, b] of [
      [2, 1],
      [-1, 0],
      [0, 2 ** 53],
    ] as const)
      expect(reasonOf(() => tilesTouched(a, b))).toBe('bad_size');
  });

  it('agrees with the width of each tile', () => {
    expect([tileWidth(0, 0, 5), tileWidth(0, 1, 5), tileWidth(0, 0, 300), tileWidth(1, 0, 300)]).toEqual([
      5, 0, 256, 1,
    ]);
  });
});

describe('growTiles', () => {
  it('writes the tiles of tilesTouched, reading the edge only', () => {
    fc.assert(
      fc.property(fc.nat(1200), fc.nat(600), (oldSize, added) => {
        const { read } = storeOf(oldSize);
        const reads: string[] = [];
        const watched: ReadTile = (level, index) => (reads.push(keyOf({ level, index })), read(level, index));
        const grown = growTiles(oldSize, LEAVES.slice(oldSize, oldSize + added), watched);
        expect(grown.map(({ level, index, width }) => ({ level, index, width }))).toEqual(
          tilesTouched(oldSize, oldSize + added),
        );
        expect(edgeTiles(oldSize).map(keyOf)).toEqual(expect.arrayContaining(reads));
      }),
      { numRuns: 50 },
    );
  });

  it('gives the same tiles however the log grew', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(900), { minLength: 1, maxLength: 5 }), (cuts) => {
        const sizes = cuts.toSorted((a, b) => a - b);
        expect(storeOf(...sizes).tiles).toEqual(storeOf(sizes.at(-1) as number).tiles);
      }),
      { numRuns: 50 },
    );
  });

  it('refuses an edge that is narrower than the log', () => {
    expect(reasonOf(() => growTiles(3, [hash(1)], () => [hash(0)]))).toBe('bad_tile');
  });
});

describe('proofs read from tiles', () => {
  const { read } = storeOf(1, 300, 65_535, 70_000);
  const root = (size: number) => rootOf(LEAVES.slice(0, size));
  const only = (allowed: string[]) =>
    hashAtFromTiles((level, index) => (allowed.includes(keyOf({ level, index })) ? read(level, index) : []));

  it.each([
    [0, 70_000],
    [69_999, 70_000],
    [65_536, 70_000],
    [40_000, 65_537],
    [255, 256],
    [0, 1],
  ])('include leaf %i in a tree of %i', (leafIndex, treeSize) => {
    const hashAt = only(tilesOf(inclusionNodes(leafIndex, treeSize), treeSize).map(keyOf));
    const hashes = proveInclusion(leafIndex, treeSize, hashAt);
    verifyInclusion({ leafHash: LEAVES[leafIndex] as Uint8Array, leafIndex, treeSize, hashes }, root(treeSize));
  });

  it.each([
    [1, 70_000],
    [65_536, 70_000],
    [65_535, 65_537],
    [300, 69_999],
  ])('show growth from %i to %i', (oldSize, newSize) => {
    const hashAt = only(tilesOf(consistencyNodes(oldSize, newSize), newSize).map(keyOf));
    verifyConsistency({
      oldSize,
      oldRoot: root(oldSize),
      newSize,
      newRoot: root(newSize),
      hashes: proveConsistency(oldSize, newSize, hashAt),
    });
  });

  it('name the width of each tile in the current tree', () => {
    expect(
      tilesOf(
        [
          { level: 0, index: 256 },
          { level: 1, index: 129 },
          { level: 8, index: 0 },
        ],
        300,
      ),
    ).toEqual([
      { level: 0, index: 1, width: 44 },
      { level: 1, index: 0, width: 1 },
    ]);
  });

  it('are refused if a tile is too narrow', () => {
    expect(reasonOf(() => hashAtFromTiles(() => [hash(0)])(1, 0))).toBe('bad_tile');
  });
});

describe('tiles and bundles as bytes', () => {
  it('are parsed as they were encoded', () => {
    expect(parseTile(encodeTile([hash(1), hash(2)]), 2)).toEqual([hash(1), hash(2)]);
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 5 }), (entries) => {
        const bytes = encodeEntryBundle(entries);
        expect(parseEntryBundle(Buffer.concat([Buffer.of(1), bytes]).subarray(1), entries.length)).toEqual(entries);
      }),
    );
  });

  it('put big-endian lengths in front of entries', () => {
    expect(encodeEntryBundle([new Uint8Array(258).fill(7)]).slice(0, 3)).toEqual(Uint8Array.of(1, 2, 7));
    expect(encodeEntryBundle([new Uint8Array(65_535)])).toHaveLength(65_537);
    expect(() => encodeEntryBundle([new Uint8Array(65_536)])).toThrow('65535');
  });

  it('are refused when they are not what they should be', () => {
    expect(reasonOf(() => parseTile(hash(0), 2))).toBe('bad_tile');
    expect(reasonOf(() => parseTile(new Uint8Array(0), 0))).toBe('bad_tile');
    expect(reasonOf(() => parseTile(new Uint8Array(257 * 32), 257))).toBe('bad_tile');
    for (const [bytes, width] of [
      [[0, 2, 1], 1],
      [[0, 1, 1], 2],
      [[0, 1, 1, 0], 1],
      [[0, 0, 0, 0], 1],
      [[0], 0],
    ] as const) {
      expect(reasonOf(() => parseEntryBundle(Uint8Array.from(bytes), width))).toBe('bad_bundle');
    }
  });
});
