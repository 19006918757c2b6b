// SPDX-License-Identifier: Apache-2.0
import { encodeFrontier, encodeTile, rootOfFrontier, TILE_WIDTH, type Tile } from '@writ/merkle';
import type { ledgerSql } from '../foundation/ledger-functions.ts';
import type { LogEntries } from './entry.ts';
import type { Growth, LogState } from './grow.ts';

/** The addition of a batch to one log, and the state that the log must have before it. */
export interface LogGrowth {
  readonly log: LogEntries;
  readonly from: LogState;
  readonly growth: Growth;
}

/**
 * The partial tile of level 0 has no row of its own: each root has the hashes that its batch added to the tile. Writing
 * the whole tile again would be most of a batch's bytes.
 */
const isRow = ({ level, width }: Tile): boolean => level > 0 || width === TILE_WIDTH;

/** The parameters of `ledgerSql.appendBatch` for a batch over any number of logs. */
export function batchOf(grown: readonly LogGrowth[]): Parameters<typeof ledgerSql.appendBatch>[1] {
  const leaves = grown.flatMap(({ log, growth }) =>
    log.entries.map((entry, i) => ({ entry, index: growth.first + i })),
  );
  const tiles = grown.flatMap(({ log, growth }) => growth.tiles.filter(isRow).map((tile) => ({ tile, log })));
  return {
    logs: grown.map((g) => g.log.logId),
    tenants: grown.map((g) => g.log.tenantId),
    sizes: grown.map((g) => g.from.treeSize),
    roots: grown.map((g) => rootOfFrontier(g.from.frontier)),
    new_sizes: grown.map((g) => g.growth.frontier.size),
    new_roots: grown.map((g) => g.growth.root),
    frontiers: grown.map((g) => encodeFrontier(g.growth.frontier)),
    edge_hashes: grown.map((g) => encodeTile(g.growth.edgeHashes)),
    l_log: leaves.map((l) => l.entry.logId),
    l_index: leaves.map((l) => l.index),
    l_tenant: leaves.map((l) => l.entry.tenantId),
    l_record: leaves.map((l) => l.entry.recordId),
    l_kind: leaves.map((l) => l.entry.kind),
    l_operation: leaves.map((l) => l.entry.operationId),
    l_phase: leaves.map((l) => l.entry.phase),
    l_payload: leaves.map((l) => l.entry.payload),
    l_keyid: leaves.map((l) => l.entry.keyid),
    l_sig: leaves.map((l) => l.entry.sig),
    l_recorded: leaves.map((l) => l.entry.recordedAt),
    t_log: tiles.map((t) => t.log.logId),
    t_level: tiles.map((t) => t.tile.level),
    t_index: tiles.map((t) => t.tile.index),
    t_width: tiles.map((t) => t.tile.width),
    t_tenant: tiles.map((t) => t.log.tenantId),
    t_hashes: tiles.map((t) => encodeTile(t.tile.hashes)),
  };
}
