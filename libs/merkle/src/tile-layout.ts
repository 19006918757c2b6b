// SPDX-License-Identifier: Apache-2.0
//
// The layout of C2SP tlog-tiles (https://c2sp.org/tlog-tiles): the tree is divided into tiles of height 8. The n-th
// tile at level l holds the hashes of the perfect subtrees over 256^l leaves each, from the (256 n)-th on. Full tiles
// never change.
import { MerkleError } from './merkle-error.ts';
import { isTreeSize } from './shape.ts';
import type { NodeId } from './shape.ts';

/** Levels of the tree in one tile, and the number of hashes in a full tile. */
export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** The highest level of the layout. */
const TILE_LEVEL_MAX = 63;
/** Tile levels of a tree of at most 2^53 − 1 leaves. */
const TILE_LEVELS = 7;

export interface TileId {
  readonly level: number;
  readonly index: number;
  /** Number of hashes, 1 to 256; 256 is a full tile. */
  readonly width: number;
}

/** The path of a tile below the log's prefix: `tile/<L>/<N>[.p/<W>]`. */
export function tilePath(level: number, index: number, width: number = TILE_WIDTH): string {
  return `tile/${String(level)}/${indexPath(index)}${partialSuffix(width)}`;
}

/** The path of a bundle of entries: `tile/entries/<N>[.p/<W>]`. */
export function entryBundlePath(index: number, width: number = TILE_WIDTH): string {
  return `tile/entries/${indexPath(index)}${partialSuffix(width)}`;
}

/**
 * The path of the signatures of a bundle's entries: `signatures/<N>[.p/<W>]`. It is beside `tile/` and not part of the
 * layout, in which an entry is the signed content and not its signature.
 */
export function signaturesPath(index: number, width: number = TILE_WIDTH): string {
  return `signatures/${indexPath(index)}${partialSuffix(width)}`;
}

/** A parsed path below `tile/`: a tile of hashes, or a bundle of entries. */
export type TileName =
  ({ readonly kind: 'hashes' } & TileId) | { readonly kind: 'entries'; readonly index: number; readonly width: number };

const TILE_PATH = /^(?<level>entries|\d{1,2})\/(?<groups>(?:x\d{3}\/)*\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/;

/**
 * Parses the path of a tile below `tile/`, as `tilePath` and `entryBundlePath` format it: `0x001/234`,
 * `entries/000.p/7`. Null for anything else, other spellings of the same tile included, so that a cache holds each tile
 * once.
 */
export function parseTilePath(path: string): TileName | null {
  const { level = '', groups = '', width: partial } = TILE_PATH.exec(path)?.groups ?? {};
  const index = Number(groups.replaceAll(/[x/]/g, ''));
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (level === '' || !isTreeSize(index) || width > TILE_WIDTH) return null;
  const parsed: TileName =
    level === 'entries' ? { kind: 'entries', index, width } : { kind: 'hashes', level: Number(level), index, width };
  const formatted = parsed.kind === 'entries' ? entryBundlePath(index, width) : tilePath(parsed.level, index, width);
  return (parsed.kind === 'hashes' && parsed.level > TILE_LEVEL_MAX) || formatted !== `tile/${path}` ? null : parsed;
}

/** Groups of three digits, all but the last marked by an `x`, so that no directory has the name of a file. */
function indexPath(index: number): string {
  if (!isTreeSize(index)) throw new Error('a tile index must be a safe integer from 0');
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) as string[];
  return groups.map((group, i) => (i === groups.length - 1 ? group : `x${group}`)).join('/');
}

function partialSuffix(width: number): string {
  if (!Number.isInteger(width) || width < 1 || width > TILE_WIDTH)
    throw new Error(`a tile width must be an integer from 1 to ${String(TILE_WIDTH)}`);
  return width === TILE_WIDTH ? '' : `.p/${String(width)}`;
}

/** How many hashes the tile at this position has in a tree of that size: 0 to 256. */
export function tileWidth(level: number, index: number, treeSize: number): number {
  const hashes = Math.floor(treeSize / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/**
 * The tiles to write when a log grows: every tile of the new tree that the old tree doesn't have at the same width,
 * level by level. The old partial tiles stay valid for the old size.
 *
 * @throws MerkleError `bad_size` if the sizes aren't in order.
 */
export function tilesTouched(oldSize: number, newSize: number): TileId[] {
  if (!isTreeSize(oldSize) || !isTreeSize(newSize) || oldSize > newSize) throw new MerkleError('bad_size');
  const tiles: TileId[] = [];
  for (let level = 0; level < TILE_LEVELS; level += 1) {
    const oldHashes = Math.floor(oldSize / TILE_WIDTH ** level);
    const newHashes = Math.floor(newSize / TILE_WIDTH ** level);
    if (oldHashes === newHashes) break; // no new hashes on this level, so none above
    for (let index = Math.floor(oldHashes / TILE_WIDTH); index * TILE_WIDTH < newHashes; index += 1) {
      tiles.push({ level, index, width: tileWidth(level, index, newSize) });
    }
  }
  return tiles;
}

/** The partial tiles on the right edge of a tree: `growTiles` reads them, and an append depends on nothing else. */
export function edgeTiles(treeSize: number): TileId[] {
  const tiles: TileId[] = [];
  for (let level = 0; level < TILE_LEVELS; level += 1) {
    const hashes = Math.floor(treeSize / TILE_WIDTH ** level);
    if (hashes % TILE_WIDTH !== 0)
      tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width: hashes % TILE_WIDTH });
  }
  return tiles;
}

/**
 * The tiles of a tree of that size that hold these perfect subtrees, each once: to be fetched before proving from
 * `hashAtFromTiles`.
 */
export function tilesOf(nodes: readonly NodeId[], treeSize: number): TileId[] {
  const tiles = new Map<string, TileId>();
  for (const node of nodes) {
    const { level, index } = positionInTile(node);
    tiles.set(`${String(level)}/${String(index)}`, { level, index, width: tileWidth(level, index, treeSize) });
  }
  return [...tiles.values()];
}

/** The position of a perfect subtree: its tile, and the hashes in it that it covers. */
export function positionInTile({ level, index }: NodeId): {
  level: number;
  index: number;
  offset: number;
  count: number;
} {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  const count = 2 ** (level % TILE_HEIGHT);
  const first = index * count;
  return { level: tileLevel, index: Math.floor(first / TILE_WIDTH), offset: first % TILE_WIDTH, count };
}
