// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  type Consistency,
  type ConsistencyRequest,
  type EntriesReply,
  type EntriesRequest,
  type Inclusion,
  type InclusionRequest,
  type Signatures,
  type SignaturesRequest,
  type TileReply,
  type TileRequest,
} from '@writ/contract';
import type { Client } from '@writ/database';
import {
  consistencyNodes,
  encodeTile,
  hashAtFromTiles,
  inclusionNodes,
  proveConsistency,
  proveInclusion,
  TILE_WIDTH,
  tilesOf,
  tileWidth,
} from '@writ/merkle';
import { encodeBase64 } from '@writ/signing';
import type { Checkpoint } from '../signing/checkpoints.ts';
import type { InclusionProofs } from './inclusion-proofs.ts';
import { readLeaves, readSignatures } from './leaf-rows.ts';
import type { SignedLog, SignedRead } from './signed-log.ts';
import { fetchTiles } from './tiles.ts';

/**
 * Payload bytes of one answer, beyond which no further leaf is added. With base64 and the largest leaf, the answer
 * stays below the size of a message.
 */
const ENTRIES_BYTES = 512 * 1024;

type Read<T> = (client: Client, logId: string, newest: Checkpoint) => Promise<T | null>;

/**
 * Serves a tenant's log to verifiers: tiles, leaves and proofs. It returns only what the newest checkpoint covers, so
 * nothing unsigned is ever returned, and a tile of a given name always has the same bytes.
 */
export class LogReader {
  readonly #log: SignedLog;
  readonly #proofs: InclusionProofs;

  constructor(log: SignedLog, proofs: InclusionProofs) {
    this.#log = log;
    this.#proofs = proofs;
  }

  /**
   * Faults: `not_found` for a tile, or a width of it, that the newest checkpoint doesn't cover; `ledger.diverged` where
   * it covers more than is stored.
   */
  async tile({ tenant_id, level, index, width }: TileRequest): Promise<TileReply> {
    return await this.#covered(tenant_id, async (client, logId, { treeSize }) => {
      if (tileWidth(level, index, treeSize) < width) return null;
      const hashes = (await fetchTiles(client, logId, [{ level, index, width }], treeSize))(level, index).slice(
        0,
        width,
      );
      if (hashes.length < width)
        throw new Fault('ledger.diverged', `the log's tile ${String(level)}/${String(index)} isn't whole`);
      return { hashes: encodeBase64(encodeTile(hashes)) };
    });
  }

  /** Faults: `not_found` for a bundle, or a width of it, that the newest checkpoint doesn't cover. */
  async entries({ tenant_id, index, width, from }: EntriesRequest): Promise<EntriesReply> {
    return await this.#covered(tenant_id, async (client, logId, { treeSize }) => {
      if (tileWidth(0, index, treeSize) < width || from >= width) return null;
      const first = index * TILE_WIDTH;
      const leaves = await readLeaves(client, logId, {
        from: first + from,
        to: first + width,
        bytesMax: ENTRIES_BYTES,
      });
      return { entries: leaves.map(({ payload }) => encodeBase64(payload)) };
    });
  }

  /** Faults: `not_found` for a bundle, or a width of it, that the newest checkpoint doesn't cover. */
  async signatures({ tenant_id, index, width }: SignaturesRequest): Promise<Signatures> {
    return await this.#covered(tenant_id, async (client, logId, { treeSize }) => {
      if (tileWidth(0, index, treeSize) < width) return null;
      const first = index * TILE_WIDTH;
      return {
        signatures: (await readSignatures(client, logId, first, first + width)).map(({ keyid, sig }) => ({
          keyid,
          sig: encodeBase64(sig),
        })),
      };
    });
  }

  /** Faults: `not_found` for a leaf that the newest checkpoint doesn't cover. */
  async inclusion({ tenant_id, leaf_index }: InclusionRequest): Promise<Inclusion> {
    return (
      (await this.#proofs.find(tenant_id, leaf_index)) ??
      requireFound(
        await this.#log.readNewest(
          tenant_id,
          ifCovered((client, logId, checkpoint) => inclusionOf(client, logId, leaf_index, checkpoint)),
        ),
      )
    );
  }

  /** Faults: `request.malformed` for sizes out of order, `not_found` for one beyond the newest checkpoint. */
  async consistency({ tenant_id, from, to }: ConsistencyRequest): Promise<Consistency> {
    if (from > to) throw new Fault('request.malformed', '`from` must not be larger than `to`');
    return await this.#covered(tenant_id, async (client, logId, { treeSize }) => {
      if (to > treeSize) return null;
      const readTile = await fetchTiles(client, logId, tilesOf(consistencyNodes(from, to), to), to);
      return { from, to, hashes: proveConsistency(from, to, hashAtFromTiles(readTile)).map(encodeBase64) };
    });
  }

  async #covered<T>(tenantId: string, read: Read<T>): Promise<T> {
    return requireFound(await this.#log.read(tenantId, ifCovered(read)));
  }
}

/** Without a checkpoint nothing is covered. */
const ifCovered =
  <T>(read: Read<T>): SignedRead<T> =>
  async (client, logId, newest) =>
    newest === null ? null : await read(client, logId, newest);

function requireFound<T>(read: T | null): T {
  if (read === null) throw new Fault('not_found');
  return read;
}

/**
 * A leaf's proof towards a checkpoint that covers it, or towards the witnessed one if that also covers it.
 * @throws Fault `not_found` where neither does.
 */
export async function inclusionOf(
  client: Client,
  logId: string,
  leafIndex: number,
  newest: Checkpoint,
): Promise<Inclusion> {
  const { treeSize, note } =
    newest.witnessed !== null && leafIndex < newest.witnessed.treeSize ? newest.witnessed : newest;
  if (leafIndex >= treeSize) throw new Fault('not_found');
  const readTile = await fetchTiles(client, logId, tilesOf(inclusionNodes(leafIndex, treeSize), treeSize), treeSize);
  const hashes = proveInclusion(leafIndex, treeSize, hashAtFromTiles(readTile));
  return { leaf_index: leafIndex, tree_size: treeSize, hashes: hashes.map(encodeBase64), checkpoint: note };
}
