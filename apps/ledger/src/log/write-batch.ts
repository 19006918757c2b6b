// SPDX-License-Identifier: Apache-2.0
import { byteaArray, int2Array, int8Array, textArray } from '@writ/database';
import { encodeFrontier, encodeTile, rootOfFrontier, TILE_WIDTH, type Tile } from '@writ/merkle';
import type { QueryConfig } from 'pg';
import type { LogEntries } from './entry.ts';
import type { Growth, LogState } from './grow.ts';

/** What a batch adds to one log, and where the log must stand for it. */
export interface Grown {
  readonly log: LogEntries;
  readonly from: LogState;
  readonly growth: Growth;
}

/**
 * The partial tile of the leaves is no row of its own: each root has the hashes that its batch added to it, since the
 * whole tile anew would be most of what a batch writes.
 */
const isRow = ({ level, width }: Tile): boolean => level > 0 || width === TILE_WIDTH;

/**
 * The statement that writes a batch, whatever logs it spans. Answers one row: `written` false where a log has moved on,
 * and nothing is written then.
 */
export function writeBatch(grown: readonly Grown[]): QueryConfig {
  const leaves = grown.flatMap(({ log, growth }) =>
    log.entries.map((entry, i) => ({ entry, index: growth.first + i })),
  );
  const tiles = grown.flatMap(({ log, growth }) => growth.tiles.filter(isRow).map((tile) => ({ tile, log })));
  return {
    name: 'ledger.append_batch',
    text: `SELECT ledger.append_batch(${Array.from({ length: 25 }, (_, i) => `$${i + 1}`).join(', ')}) AS written`,
    values: [
      textArray(grown.map((g) => g.log.logId)),
      textArray(grown.map((g) => g.log.tenantId)),
      int8Array(grown.map((g) => g.from.treeSize)),
      byteaArray(grown.map((g) => rootOfFrontier(g.from.frontier))),
      int8Array(grown.map((g) => g.growth.frontier.size)),
      byteaArray(grown.map((g) => g.growth.root)),
      byteaArray(grown.map((g) => encodeFrontier(g.growth.frontier))),
      byteaArray(grown.map((g) => encodeTile(g.growth.edgeHashes))),
      textArray(leaves.map((l) => l.entry.logId)),
      int8Array(leaves.map((l) => l.index)),
      textArray(leaves.map((l) => l.entry.tenantId)),
      textArray(leaves.map((l) => l.entry.recordId)),
      textArray(leaves.map((l) => l.entry.kind)),
      textArray(leaves.map((l) => l.entry.operationId)),
      textArray(leaves.map((l) => l.entry.phase)),
      byteaArray(leaves.map((l) => l.entry.payload)),
      textArray(leaves.map((l) => l.entry.keyid)),
      byteaArray(leaves.map((l) => l.entry.sig)),
      int8Array(leaves.map((l) => l.entry.recordedAt)),
      textArray(tiles.map((t) => t.log.logId)),
      int2Array(tiles.map((t) => t.tile.level)),
      int8Array(tiles.map((t) => t.tile.index)),
      int2Array(tiles.map((t) => t.tile.width)),
      textArray(tiles.map((t) => t.log.tenantId)),
      byteaArray(tiles.map((t) => encodeTile(t.tile.hashes))),
    ],
  };
}
