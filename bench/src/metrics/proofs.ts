// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { formatId, logIdOf, subjectsOf, type Inclusion, type TenantId } from '@writ/contract';
import { byteaArray, connect, int2Array, int8Array } from '@writ/database';
import {
  appendLeaves,
  EMPTY_FRONTIER,
  encodeFrontier,
  encodeTile,
  growTiles,
  leafHash,
  rootOfFrontier,
  TILE_WIDTH,
  verifyInclusion,
} from '@writ/merkle';
import { decodeBase64, parseCheckpoint, parseNote } from '@writ/signing';
import { SHARD, startStack } from '@writ/stack';
import { measure, type Load, type Metric } from '../measure.ts';

type Measured = Omit<Metric, 'reference' | 'ratio'>;

/** Rows of one statement: a statement may take ten seconds. */
const LEAVES_AT_ONCE = 50_000;
const TILES_AT_ONCE = 256;
const ANSWER_MS = 5_000;

const payloadOf = (index: number): Uint8Array => Buffer.from(String(index));

/**
 * A proof of any record of a log of that size, requested over the bus as the API does, with a stack of a ledger alone.
 * Every proof is verified after the clock has stopped.
 */
export async function inclusionProofs(leaves: number, load: Load): Promise<Measured> {
  const stack = await startStack({ without: ['kernel', 'executor', 'orchestrator'] });
  const bus = await stack.busAs('orchestrator');
  try {
    const tenant_id = formatId('tenant', randomBytes(16));
    await writeLog(stack.database.ownerUrl, tenant_id, leaves);
    const proofs: Inclusion[] = [];
    const measured = await measure(load, async () => {
      const leaf_index = Math.floor(Math.random() * leaves);
      proofs.push(
        (await bus.request(
          subjectsOf(SHARD).request('ledger.inclusion'),
          { v: 1, tenant_id, leaf_index },
          { deadline: Date.now() + ANSWER_MS },
        )) as Inclusion,
      );
    });
    for (const { leaf_index: leafIndex, tree_size: treeSize, hashes, checkpoint } of proofs) {
      verifyInclusion(
        {
          leafHash: leafHash(payloadOf(leafIndex)),
          leafIndex,
          treeSize,
          hashes: hashes.map((hash) => decodeBase64(hash)),
        },
        parseCheckpoint(parseNote(checkpoint).text).root,
      );
    }
    return measured;
  } finally {
    await bus.close();
    await stack.stop();
  }
}

/** A log as the ledger writes it after one batch of that many short records. */
async function writeLog(url: string, tenantId: TenantId, leaves: number): Promise<void> {
  const logId = logIdOf(tenantId);
  const client = await connect(url, 'bench');
  try {
    for (let from = 0; from < leaves; from += LEAVES_AT_ONCE) {
      await client.query(
        `INSERT INTO ledger.leaf (log_id, leaf_index, tenant_id, record_id, kind, operation_id, phase, payload, keyid, sig, recorded_at)
        SELECT $1, i, $2, 'rec_' || lpad(i::text, 26, '0'), 'tool_call', 'op_' || lpad(i::text, 26, '0'), 'decision', convert_to(i::text, 'UTF8'), 'bench', decode(repeat('00', 64), 'hex'), 0
          FROM generate_series($3::bigint, $4::bigint) AS i`,
        [logId, tenantId, from, Math.min(from + LEAVES_AT_ONCE, leaves) - 1],
      );
    }
    const hashes = Array.from({ length: leaves }, (_, i) => leafHash(payloadOf(i)));
    const tiles = growTiles(0, hashes, () => []).filter(({ level, width }) => level > 0 || width === TILE_WIDTH);
    for (let at = 0; at < tiles.length; at += TILES_AT_ONCE) {
      const some = tiles.slice(at, at + TILES_AT_ONCE);
      await client.query(
        `INSERT INTO ledger.tile (log_id, level, tile_index, width, tenant_id, hashes) SELECT $1, x.level, x.tile_index, x.width, $2, x.hashes
        FROM unnest($3::smallint[], $4::bigint[], $5::smallint[], $6::bytea[]) AS x (level, tile_index, width, hashes)`,
        [
          logId,
          tenantId,
          int2Array(some.map((t) => t.level)),
          int8Array(some.map((t) => t.index)),
          int2Array(some.map((t) => t.width)),
          byteaArray(some.map((t) => encodeTile(t.hashes))),
        ],
      );
    }
    const frontier = appendLeaves(EMPTY_FRONTIER, hashes);
    await client.query(
      'INSERT INTO ledger.root (log_id, tree_size, tenant_id, root, frontier, edge_hashes) VALUES ($1, $2, $3, $4, $5, $6)',
      [
        logId,
        leaves,
        tenantId,
        Buffer.from(rootOfFrontier(frontier)),
        Buffer.from(encodeFrontier(frontier)),
        Buffer.from(encodeTile(hashes.slice(leaves - (leaves % TILE_WIDTH)))),
      ],
    );
    // What the server's autovacuum does a minute later.
    await client.query('ANALYZE ledger.leaf, ledger.tile, ledger.root');
  } finally {
    await client.end();
  }
}
