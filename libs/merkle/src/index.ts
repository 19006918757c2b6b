// SPDX-License-Identifier: Apache-2.0
export { EMPTY_FRONTIER, appendLeaves, encodeFrontier, parseFrontier, rootOf, rootOfFrontier } from './frontier.ts';
export type { Frontier } from './frontier.ts';
export { HASH_BYTES, emptyRoot, isSameHash, leafHash, nodeHash } from './hash.ts';
export { HashedTile } from './hashed-tile.ts';
export { MerkleError } from './merkle-error.ts';
export type { MerkleReason } from './merkle-error.ts';
export { consistencyNodes, inclusionNodes, proveConsistency, proveInclusion } from './prove.ts';
export type { HashAt, NodeId } from './shape.ts';
export {
  ENTRY_BYTES_MAX,
  encodeEntryBundle,
  encodeTile,
  growTiles,
  hashAtFromTiles,
  parseEntryBundle,
  parseTile,
} from './tile-content.ts';
export type { ReadTile, Tile } from './tile-content.ts';
export {
  TILE_HEIGHT,
  TILE_WIDTH,
  edgeTiles,
  entryBundlePath,
  parseTilePath,
  positionInTile,
  signaturesPath,
  tilePath,
  tileWidth,
  tilesOf,
  tilesTouched,
} from './tile-layout.ts';
export type { TileId, TileName } from './tile-layout.ts';
export { rootFromInclusion, verifyConsistency, verifyInclusion } from './verify.ts';
export type { Consistency, Inclusion } from './verify.ts';
