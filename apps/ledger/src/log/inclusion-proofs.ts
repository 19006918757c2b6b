// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type Inclusion, type TenantId } from '@writ/contract';
import { runStatement, type Pool } from '@writ/database';
import { FullTile, hashAtFromTiles, isSameHash, parseTile, placeOf, proveInclusion, rootFromInclusion, TILE_HEIGHT, TILE_WIDTH, tileWidth, type HashAt } from '@writ/merkle';
import { encodeBase64 } from '@writ/signing';
import { LRUCache } from 'lru-cache';
import type { SignedMemory } from '../sign/signed-memory.ts';

/** Full tiles remembered: 16 KiB each, so 32 MiB. */
const TILES_MAX = 2_048;
/** Levels of tiles that a log of at most 2^53 − 1 leaves has. */
const LEVELS = 7;

interface CheckpointRow { readonly newest_size: number; readonly newest_root: Buffer; readonly tree_size: number; readonly root: Buffer; readonly note: string; readonly level: null }
interface TileRow { readonly level: number; readonly tile_index: number; readonly width: number; readonly hashes: Buffer }

const isTile = (row: CheckpointRow | TileRow): row is TileRow => row.level !== null;
const nameOf = (logId: string, level: number, index: number): string => `${logId}/${level}/${index}`;

/**
 * Proves leaves towards the newest checkpoint with one question to the database. Full tiles are remembered, since they never change.
 * INVARIANT (nothing unproved): a proof leaves that leads from the tile's leaf hash to the signed root. What is remembered is never believed.
 */
export class InclusionProofs {
  readonly #pool: Pool;
  readonly #memory: SignedMemory;
  readonly #quorum: number;
  readonly #full = new LRUCache<string, FullTile>({ max: TILES_MAX });

  /** @param quorum cosignatures that make a checkpoint be shown in the place of a newer one; 0 for none */
  constructor(pool: Pool, memory: SignedMemory, quorum: number) {
    this.#pool = pool;
    this.#memory = memory;
    this.#quorum = quorum;
  }

  /**
   * Null where that can't be said in one go: the newest root isn't signed yet, the log has no such leaf or no leaf at all, the database doesn't stand where this replica signed
   * last, or its tiles don't lead to the root. Faults: `database.unavailable`, `overloaded`.
   */
  async find(tenantId: string, leafIndex: number): Promise<Inclusion | null> {
    const logId = logIdOf(tenantId as TenantId);
    const full = this.#known(logId, leafIndex);
    const { rows: [newest, ...tiles] } = await runStatement<CheckpointRow | TileRow>(this.#pool, {
      name: 'ledger.open_inclusion', text: 'SELECT * FROM ledger.open_inclusion($1, $2, $3, $4, $5)', values: [tenantId, logId, leafIndex, this.#quorum, [...full.keys()]],
    });
    if (newest === undefined || isTile(newest) || leafIndex >= newest.tree_size || !this.#isWhereSigned(logId, newest)) return null;
    return this.#prove(logId, leafIndex, newest, this.#hashAt(full, tiles.filter(isTile), { logId, leafIndex, treeSize: newest.tree_size }));
  }

  /** The full tiles over a leaf that are remembered, by level. */
  #known(logId: string, leafIndex: number): Map<number, FullTile> {
    const known = new Map<number, FullTile>();
    for (let level = 0; level < LEVELS; level += 1) {
      const tile = this.#full.get(nameOf(logId, level, indexOver(leafIndex, level)));
      if (tile !== undefined) known.set(level, tile);
    }
    return known;
  }

  /** A root that is larger than the one signed last is another replica's. */
  #isWhereSigned(logId: string, { newest_size, newest_root }: CheckpointRow): boolean {
    const last = this.#memory.last(logId);
    return last === undefined || last.treeSize < newest_size || (last.treeSize === newest_size && isSameHash(last.root, newest_root));
  }

  #hashAt(full: Map<number, FullTile>, rows: readonly TileRow[], { logId, leafIndex, treeSize }: { logId: string; leafIndex: number; treeSize: number }): HashAt {
    const read = new Map<string, readonly Uint8Array[]>();
    for (const { level, tile_index, width, hashes } of rows) {
      const isFull = width === TILE_WIDTH && tileWidth(level, tile_index, treeSize) === TILE_WIDTH;
      if (isFull && tile_index === indexOver(leafIndex, level)) {
        const tile = new FullTile(hashes);
        this.#full.set(nameOf(logId, level, tile_index), tile);
        full.set(level, tile);
      } else {
        read.set(`${level}/${tile_index}`, parseTile(hashes, width));
      }
    }
    const fromRead = hashAtFromTiles((level, index) => (read.get(`${level}/${index}`) ?? []).slice(0, tileWidth(level, index, treeSize)));
    return (level, index) => {
      const place = placeOf({ level, index });
      const tile = place.index === indexOver(leafIndex, place.level) ? full.get(place.level) : undefined;
      return tile === undefined ? fromRead(level, index) : tile.hashAt(level % TILE_HEIGHT, place.offset / place.count);
    };
  }

  #prove(logId: string, leafIndex: number, { tree_size: treeSize, root, note }: CheckpointRow, hashAt: HashAt): Inclusion | null {
    const hashes = proveInclusion(leafIndex, treeSize, hashAt);
    if (!isSameHash(rootFromInclusion({ leafHash: hashAt(0, leafIndex), leafIndex, treeSize, hashes }), root)) {
      for (let level = 0; level < LEVELS; level += 1) this.#full.delete(nameOf(logId, level, indexOver(leafIndex, level)));
      return null;
    }
    return { leaf_index: leafIndex, tree_size: treeSize, hashes: hashes.map(encodeBase64), checkpoint: note };
  }
}

/** Which tile of a level lies over a leaf. */
const indexOver = (leafIndex: number, level: number): number => Math.floor(leafIndex / TILE_WIDTH ** (level + 1));
