// SPDX-License-Identifier: Apache-2.0
import { Fault, type ExportReply, type ExportRequest } from '@writ/contract';
import type { Client } from '@writ/database';
import { hashAtFromTiles, inclusionNodes, proveInclusion, tilesOf } from '@writ/merkle';
import { encodeBase64 } from '@writ/signing';
import type { Checkpoint, Checkpoints } from '../signing/checkpoints.ts';
import { envelopeOf, readLeaves } from './leaf-rows.ts';
import type { SignedLog } from './signed-log.ts';
import { fetchTiles } from './tiles.ts';

/**
 * Payload bytes of one page, beyond which no further record is added. With base64 and proofs of forty hashes each, the
 * page stays below the size of a message.
 */
const PAGE_BYTES = 256 * 1024;

type TargetCheckpoint = Omit<Checkpoint, 'witnessed'>;

/** Reads the pages of an export: a tenant's records in log order, with proofs. A page never has an unsigned record. */
export class ExportPages {
  readonly #log: SignedLog;
  readonly #checkpoints: Checkpoints;

  constructor(log: SignedLog, checkpoints: Checkpoints) {
    this.#log = log;
    this.#checkpoints = checkpoints;
  }

  /**
   * Faults: `not_found` for a log without records, and for a size that no checkpoint was stored of; `ledger.diverged`,
   * `ledger.unavailable`.
   */
  async read(request: ExportRequest): Promise<ExportReply> {
    const { tenant_id, from } = request;
    // If the checkpoint covers nothing more, this signs a root that a dead ledger left unsigned, and reads once more.
    const page =
      (await this.#log.read(tenant_id, async (client, logId, newest) =>
        newest === null || newest.treeSize <= from ? null : await this.#page(client, logId, newest, request),
      )) ??
      (await this.#log.readNewest(tenant_id, async (client, logId, newest) =>
        newest === null ? null : await this.#page(client, logId, newest, request),
      ));
    if (page === null) throw new Fault('not_found');
    return page;
  }

  async #page(
    client: Client,
    logId: string,
    newest: Checkpoint,
    { from, limit, tree_size }: ExportRequest,
  ): Promise<ExportReply> {
    const target = tree_size === null ? targetFor(newest, from) : await this.#checkpoints.at(client, logId, tree_size);
    if (target === null) throw new Fault('not_found', `no checkpoint of ${String(tree_size)} records is stored`);
    const { treeSize, note } = target;
    const to = Math.min(from + limit, treeSize);
    const leaves = from >= to ? [] : await readLeaves(client, logId, { from, to, bytesMax: PAGE_BYTES });
    const nodes = leaves.flatMap(({ leaf_index }) => inclusionNodes(leaf_index, treeSize));
    // Neighbouring leaves share nearly all tiles, so a page costs about as much as one proof.
    const hashAt = hashAtFromTiles(await fetchTiles(client, logId, tilesOf(nodes, treeSize), treeSize));
    return {
      newest_size: newest.treeSize,
      tree_size: treeSize,
      checkpoint: note,
      records: leaves.map((leaf) => ({
        leaf_index: leaf.leaf_index,
        envelope: envelopeOf(leaf),
        hashes: proveInclusion(leaf.leaf_index, treeSize, hashAt).map(encodeBase64),
      })),
    };
  }
}

/** A verifier may require witnesses, so the witnessed checkpoint is used as far as it reaches. */
const targetFor = (newest: Checkpoint, from: number): TargetCheckpoint =>
  newest.witnessed !== null && from < newest.witnessed.treeSize ? newest.witnessed : newest;
