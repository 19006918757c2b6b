// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type Inclusion, type TenantId } from '@writ/contract';
import type { Pool } from '@writ/database';
import {
  HASH_BYTES,
  HashedTile,
  isSameHash,
  MerkleError,
  positionInTile,
  proveInclusion,
  rootFromInclusion,
  TILE_HEIGHT,
  TILE_WIDTH,
  tileWidth,
  type HashAt,
} from '@writ/merkle';
import { encodeBase64 } from '@writ/signing';
import { LRUCache } from 'lru-cache';
import type { SignedMemory } from '../signing/signed-memory.ts';
import { ledgerSql, type CheckpointRow, type TileRow } from '../foundation/ledger-functions.ts';

/** Cached full tiles: 16 KiB each, so 32 MiB. */
const TILES_MAX = 2_048;
/** Logs whose right edge is cached: about 16 KiB each in a log of up to 16 million leaves. */
const EDGES_MAX = 1_024;
/** Levels of tiles that a log of at most 2^53 − 1 leaves has. */
const LEVELS = 7;

/** The partial tiles of a log at one size, by level: all proofs towards that size need them. */
interface Edge {
  readonly treeSize: number;
  readonly tiles: ReadonlyMap<number, HashedTile>;
}

const isTile = (row: CheckpointRow | TileRow): row is TileRow => row.level !== null;
const cacheKeyOf = (logId: string, level: number, index: number): string => `${logId}/${level}/${index}`;

/**
 * Proves leaves towards the newest checkpoint with one query. It caches full tiles, which never change, and the partial
 * tiles of a log until it grows. INVARIANT (nothing unproved): a proof is returned only if it leads from the tile's
 * leaf hash to the signed root. The cache is never trusted.
 */
export class InclusionProofs {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #quorum: number;
  readonly #full = new LRUCache<string, HashedTile>({ max: TILES_MAX });
  readonly #edges = new LRUCache<string, Edge>({ max: EDGES_MAX });

  /** @param quorum cosignatures with which a checkpoint replaces a newer one; 0 for none */
  constructor(pool: Pool, memory: SignedMemory, quorum: number) {
    this.#pool = pool;
    this.#memory = memory;
    this.#quorum = quorum;
  }

  /**
   * Null where one query doesn't give a proof. Then the newest root isn't signed yet, the log has no such leaf, the
   * database lacks the root that this replica signed last, or its tiles don't lead to the root. Faults:
   * `database.unavailable`, `overloaded`. @throws MerkleError `bad_tile` where a tile isn't stored
   */
  async find(tenantId: string, leafIndex: number): Promise<Inclusion | null> {
    const logId = logIdOf(tenantId as TenantId);
    const full = this.#cachedFullTiles(logId, leafIndex);
    const edge = this.#edges.get(logId);
    const [newest, ...rows] = await ledgerSql.openInclusion(this.#pool, {
      tenant: tenantId,
      log: logId,
      leaf: leafIndex,
      quorum: this.#quorum,
      full: [...full.keys()],
      edge: edge?.treeSize ?? 0,
    });
    if (
      newest === undefined ||
      isTile(newest) ||
      leafIndex >= newest.tree_size ||
      !this.#isConsistentWithSigned(logId, newest)
    )
      return null;
    const tiles = combineTiles({ leafIndex, treeSize: newest.tree_size }, { full, edge }, rows.filter(isTile));
    let inclusion: Inclusion | null = null;
    try {
      inclusion = prove(leafIndex, newest, tiles.hashAt);
      return inclusion;
    } finally {
      if (inclusion === null) this.#evict(logId, leafIndex);
      else this.#cache(logId, leafIndex, tiles);
    }
  }

  /** The cached full tiles over a leaf, by level. */
  #cachedFullTiles(logId: string, leafIndex: number): Map<number, HashedTile> {
    const cached = new Map<number, HashedTile>();
    for (let level = 0; level < LEVELS; level += 1) {
      const tile = this.#full.get(cacheKeyOf(logId, level, indexOver(leafIndex, level)));
      if (tile !== undefined) cached.set(level, tile);
    }
    return cached;
  }

  /** A root that is larger than the one signed last was written by another replica. */
  #isConsistentWithSigned(logId: string, { newest_size, newest_root }: CheckpointRow): boolean {
    const last = this.#memory.last(logId);
    return (
      last === undefined ||
      last.treeSize < newest_size ||
      (last.treeSize === newest_size && isSameHash(last.root, newest_root))
    );
  }

  #cache(logId: string, leafIndex: number, { full, edge }: Tiles): void {
    for (const [level, tile] of full) this.#full.set(cacheKeyOf(logId, level, indexOver(leafIndex, level)), tile);
    this.#edges.set(logId, edge);
  }

  #evict(logId: string, leafIndex: number): void {
    for (let level = 0; level < LEVELS; level += 1)
      this.#full.delete(cacheKeyOf(logId, level, indexOver(leafIndex, level)));
    this.#edges.delete(logId);
  }
}

/** The tiles of a proof: the full tiles over the leaf, by level, and the partial ones of the tree. */
interface Tiles {
  readonly full: ReadonlyMap<number, HashedTile>;
  readonly edge: Edge;
  readonly hashAt: HashAt;
}

/** Combines cached tiles with the read ones, which have the requested width or a larger one. */
function combineTiles(
  { leafIndex, treeSize }: { leafIndex: number; treeSize: number },
  cached: { full: ReadonlyMap<number, HashedTile>; edge: Edge | undefined },
  rows: readonly TileRow[],
): Tiles {
  const full = new Map(cached.full);
  const partial = new Map<number, HashedTile>();
  for (const { level, tile_index, hashes } of rows) {
    const tile = new HashedTile(hashes.subarray(0, HASH_BYTES * tileWidth(level, tile_index, treeSize)));
    (tile.width === TILE_WIDTH ? full : partial).set(level, tile);
  }
  const edge = cached.edge?.treeSize === treeSize ? cached.edge : { treeSize, tiles: partial };
  const hashAt: HashAt = (level, index) => {
    const position = positionInTile({ level, index });
    const isFull = tileWidth(position.level, position.index, treeSize) === TILE_WIDTH;
    const tile = (isFull ? full : edge.tiles).get(position.level);
    if (tile === undefined || (isFull && position.index !== indexOver(leafIndex, position.level)))
      throw new MerkleError('bad_tile');
    return tile.hashAt(level % TILE_HEIGHT, position.offset / position.count);
  };
  return { full, edge, hashAt };
}

/** Null where the hashes don't lead to the root. */
function prove(
  leafIndex: number,
  { tree_size: treeSize, root, note }: CheckpointRow,
  hashAt: HashAt,
): Inclusion | null {
  const hashes = proveInclusion(leafIndex, treeSize, hashAt);
  if (!isSameHash(rootFromInclusion({ leafHash: hashAt(0, leafIndex), leafIndex, treeSize, hashes }), root))
    return null;
  return { leaf_index: leafIndex, tree_size: treeSize, hashes: hashes.map(encodeBase64), checkpoint: note };
}

/** The index of the tile of a level that covers a leaf. */
const indexOver = (leafIndex: number, level: number): number => Math.floor(leafIndex / TILE_WIDTH ** (level + 1));
