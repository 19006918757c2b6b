// SPDX-License-Identifier: Apache-2.0
import {
  Fault, logIdOf, type Consistency, type ConsistencyRequest, type EntriesReply, type EntriesRequest, type Inclusion, type InclusionRequest, type TenantId, type TileReply, type TileRequest,
} from '@writ/contract';
import { inTenant, type Client, type Pool } from '@writ/database';
import { consistencyNodes, encodeTile, hashAtFromTiles, inclusionNodes, proveConsistency, proveInclusion, TILE_WIDTH, tilesOf, tileWidth } from '@writ/merkle';
import { encodeBase64 } from '@writ/signing';
import type { Checkpoint, Checkpoints } from '../sign/checkpoints.ts';
import { fetchTiles } from './tiles.ts';

/** Bytes of leaves in one answer, beyond which no further one is added: with base64 and the largest leaf it stays below what a message holds. */
const ENTRIES_BYTES = 512 * 1024;

type Read<T> = (client: Client, logId: string, newest: Checkpoint) => Promise<T>;

/**
 * Gives a tenant's log to whoever verifies it: tiles, leaves and proofs. All of it is cut from what the newest checkpoint covers, so nothing is ever shown
 * that isn't signed, and a tile of a given name never has other bytes.
 */
export class LogReader {
  readonly #pool: Pool;
  readonly #checkpoints: Checkpoints;

  constructor(pool: Pool, checkpoints: Checkpoints) {
    this.#pool = pool;
    this.#checkpoints = checkpoints;
  }

  /** Faults: `not_found` for a tile, or a width of it, that the newest checkpoint doesn't cover. */
  async tile({ tenant_id, level, index, width }: TileRequest): Promise<TileReply> {
    return await this.#within(tenant_id, async (client, logId, { treeSize }) => {
      if (tileWidth(level, index, treeSize) < width) throw new Fault('not_found');
      const readTile = await fetchTiles(client, logId, [{ level, index, width }], treeSize);
      return { hashes: encodeBase64(encodeTile(readTile(level, index).slice(0, width))) };
    });
  }

  /** Faults: `not_found` for a bundle, or a width of it, that the newest checkpoint doesn't cover. */
  async entries({ tenant_id, index, width, from }: EntriesRequest): Promise<EntriesReply> {
    return await this.#within(tenant_id, async (client, logId, { treeSize }) => {
      if (tileWidth(0, index, treeSize) < width || from >= width) throw new Fault('not_found');
      const first = index * TILE_WIDTH;
      const { rows } = await client.query<{ payload: Buffer }>(
        `SELECT payload FROM (
           SELECT payload, leaf_index, sum(length(payload)) OVER (ORDER BY leaf_index) - length(payload) AS before
             FROM ledger.leaf WHERE log_id = $1 AND leaf_index >= $2 AND leaf_index < $3) x
          WHERE before < $4 ORDER BY leaf_index`,
        [logId, first + from, first + width, ENTRIES_BYTES]);
      return { entries: rows.map(({ payload }) => encodeBase64(payload)) };
    });
  }

  /** Faults: `not_found` for a leaf that the newest checkpoint doesn't cover. */
  async inclusion({ tenant_id, leaf_index }: InclusionRequest): Promise<Inclusion> {
    return await this.#newest(tenant_id, (client, logId, checkpoint) => inclusionOf(client, logId, leaf_index, checkpoint));
  }

  /** Faults: `request.malformed` for sizes out of order, `not_found` for one beyond the newest checkpoint. */
  async consistency({ tenant_id, from, to }: ConsistencyRequest): Promise<Consistency> {
    if (from > to) throw new Fault('request.malformed', '`from` must not be larger than `to`');
    return await this.#within(tenant_id, async (client, logId, { treeSize }) => {
      if (to > treeSize) throw new Fault('not_found');
      const readTile = await fetchTiles(client, logId, tilesOf(consistencyNodes(from, to), to), to);
      return { from, to, hashes: proveConsistency(from, to, hashAtFromTiles(readTile)).map(encodeBase64) };
    });
  }

  /** What is not covered is looked for once more, with the newest root signed: a note is stored a moment after the append that it signs was answered. */
  async #within<T>(tenantId: string, read: Read<T>): Promise<T> {
    try {
      return await this.#attempt(tenantId, read);
    } catch (error) {
      if (!(error instanceof Fault && error.code === 'not_found')) throw error;
      return await this.#newest(tenantId, read);
    }
  }

  async #newest<T>(tenantId: string, read: Read<T>): Promise<T> {
    await this.#checkpoints.signNewest(logIdOf(tenantId as TenantId), tenantId);
    return await this.#attempt(tenantId, read);
  }

  /** One snapshot for the checkpoint and what it covers. */
  #attempt<T>(tenantId: string, read: Read<T>): Promise<T> {
    const logId = logIdOf(tenantId as TenantId);
    return inTenant(this.#pool, tenantId, async (client) => {
      const newest = await this.#checkpoints.newest(client, logId);
      if (newest === null) throw new Fault('not_found');
      return await read(client, logId, newest);
    }, { isolation: 'repeatable read', readOnly: true });
  }
}

/** A leaf's proof towards a checkpoint that covers it. @throws Fault `not_found` where it doesn't. */
export async function inclusionOf(client: Client, logId: string, leafIndex: number, { treeSize, note }: Checkpoint): Promise<Inclusion> {
  if (leafIndex >= treeSize) throw new Fault('not_found');
  const readTile = await fetchTiles(client, logId, tilesOf(inclusionNodes(leafIndex, treeSize), treeSize), treeSize);
  const hashes = proveInclusion(leafIndex, treeSize, hashAtFromTiles(readTile));
  return { leaf_index: leafIndex, tree_size: treeSize, hashes: hashes.map(encodeBase64), checkpoint: note };
}
