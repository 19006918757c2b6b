// SPDX-License-Identifier: Apache-2.0
import { concatBytes } from '@writ/digest';
import { rootOf } from './frontier.ts';
import { HASH_BYTES } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import type { HashAt } from './shape.ts';
import { TILE_WIDTH, positionInTile } from './tile-layout.ts';
import type { TileId } from './tile-layout.ts';

/** Returns the hashes of a tile, from memory. MUST return at least as many as the tile has in the current tree. */
export type ReadTile = (level: number, index: number) => readonly Uint8Array[];

/** The bytes of a tile: its hashes one after another. */
export function encodeTile(hashes: readonly Uint8Array[]): Uint8Array {
  return concatBytes(hashes);
}

/**
 * The hashes of a tile of that width.
 *
 * @throws MerkleError `bad_tile`
 */
export function parseTile(bytes: Uint8Array, width: number): Uint8Array[] {
  if (width < 1 || width > TILE_WIDTH || bytes.length !== width * HASH_BYTES) throw new MerkleError('bad_tile');
  return Array.from({ length: width }, (_, i) => new Uint8Array(bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES)));
}

/** Reads perfect subtrees from tiles. The returned reader throws MerkleError `bad_tile` if a tile is too narrow. */
export function hashAtFromTiles(readTile: ReadTile): HashAt {
  return (level, index) => {
    const position = positionInTile({ level, index });
    const part = readTile(position.level, position.index).slice(position.offset, position.offset + position.count);
    if (part.length !== position.count) throw new MerkleError('bad_tile');
    return rootOf(part);
  };
}

export interface Tile extends TileId {
  readonly hashes: readonly Uint8Array[];
}

/**
 * The tiles to write when these leaf hashes are appended to a log of `oldSize`: those of `tilesTouched`, with their
 * content. Reads only the tiles of `edgeTiles(oldSize)`, so its cost doesn't grow with the log.
 *
 * @throws MerkleError `bad_tile` if a tile doesn't have its width.
 */
export function growTiles(oldSize: number, leafHashes: readonly Uint8Array[], readTile: ReadTile): Tile[] {
  const tiles: Tile[] = [];
  let added = leafHashes;
  for (let level = 0; added.length > 0; level += 1) {
    const grown = growLevel(level, Math.floor(oldSize / TILE_WIDTH ** level), added, readTile);
    tiles.push(...grown);
    // Only full tiles have a hash on the level above.
    added = grown.filter(({ width }) => width === TILE_WIDTH).map(({ hashes }) => rootOf(hashes));
  }
  return tiles;
}

function growLevel(level: number, oldHashes: number, added: readonly Uint8Array[], readTile: ReadTile): Tile[] {
  const first = Math.floor(oldHashes / TILE_WIDTH);
  const edgeWidth = oldHashes % TILE_WIDTH;
  const edge = edgeWidth === 0 ? [] : readTile(level, first).slice(0, edgeWidth);
  if (edge.length !== edgeWidth) throw new MerkleError('bad_tile');
  const hashes = [...edge, ...added];
  return Array.from({ length: Math.ceil(hashes.length / TILE_WIDTH) }, (_, i) => {
    const part = hashes.slice(i * TILE_WIDTH, (i + 1) * TILE_WIDTH);
    return { level, index: first + i, width: part.length, hashes: part };
  });
}

/** Bytes of the length before each entry of a bundle; it also limits the length of an entry. */
const LENGTH_BYTES = 2;
export const ENTRY_BYTES_MAX = 0xffff;

/**
 * The bytes of a bundle: each entry after its length as a big-endian uint16. Throws on an entry longer than 65,535
 * bytes.
 */
export function encodeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    if (entry.length > ENTRY_BYTES_MAX) throw new Error(`an entry has at most ${String(ENTRY_BYTES_MAX)} bytes`);
    return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
  });
  return concatBytes(parts);
}

/**
 * The entries of a bundle with that many entries.
 *
 * @throws MerkleError `bad_bundle`
 */
export function parseEntryBundle(bytes: Uint8Array, width: number): Uint8Array[] {
  const entries: Uint8Array[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = 0;
  while (at + LENGTH_BYTES <= bytes.length && entries.length < width) {
    const end = at + LENGTH_BYTES + view.getUint16(at);
    if (end > bytes.length) throw new MerkleError('bad_bundle');
    entries.push(new Uint8Array(bytes.subarray(at + LENGTH_BYTES, end)));
    at = end;
  }
  if (at !== bytes.length || entries.length !== width) throw new MerkleError('bad_bundle');
  return entries;
}
