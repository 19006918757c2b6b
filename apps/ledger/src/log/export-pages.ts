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
 * Bytes of payloads in one answer, beyond which no further one is added: with base64, and with proofs of forty hashes
 * each, it stays below what a message holds.
 */
const PAGE_BYTES = 256 * 1024;

type Towards = Omit<Checkpoint, 'witnessed'>;

/**
 * Gives a tenant's records in the order of their leaves, with proofs: what is exported. Nothing that isn't signed is
 * ever among them.
 */
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
    // Where nothing more is covered, what a ledger that died left unsigned is signed, and looked for once more.
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
    const towards = tree_size === null ? covering(newest, from) : await this.#checkpoints.at(client, logId, tree_size);
    if (towards === null) throw new Fault('not_found', `no checkpoint of ${String(tree_size)} records is stored`);
    const { treeSize, note } = towards;
    const to = Math.min(from + limit, treeSize);
    const leaves = from >= to ? [] : await readLeaves(client, logId, { from, to, bytesMax: PAGE_BYTES });
    const nodes = leaves.flatMap(({ leaf_index }) => inclusionNodes(leaf_index, treeSize));
    // Neighbours share nearly all tiles, so a page costs what one proof does.
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

/** A verifier may ask for witnesses, so the checkpoint that has them is taken as far as it reaches. */
const covering = (newest: Checkpoint, from: number): Towards =>
  newest.witnessed !== null && from < newest.witnessed.treeSize ? newest.witnessed : newest;
