// SPDX-License-Identifier: Apache-2.0
import { TILE_WIDTH, type ReadTile } from '@writ/merkle';
import { LRUCache } from 'lru-cache';
import type { Growth, LogState } from './grow.ts';

/** The partial tile on a log's right edge at each level that has one. */
export type Edges = ReadonlyMap<number, readonly Uint8Array[]>;

/** The head of a log after a batch of this replica. */
export interface LogHead {
  readonly state: LogState;
  readonly edges: Edges;
}

/** Cached logs: about 10 KiB each. */
const LOGS_MAX = 2_000;

/** Reads a level's partial tile from the cache: an append reads no other tile. */
export const edgeReader =
  (edges: Edges): ReadTile =>
  (level) =>
    edges.get(level) ?? [];

/** The log head after a batch was added to this one. */
export function headAfter(edges: Edges, growth: Growth): LogHead {
  const next = new Map(edges);
  // Tiles come in the order of their indices: the last one of a level is its edge, unless it is full.
  for (const tile of growth.tiles) {
    if (tile.width < TILE_WIDTH) next.set(tile.level, tile.hashes);
    else next.delete(tile.level);
  }
  return { state: { treeSize: growth.frontier.size, frontier: growth.frontier }, edges: next };
}

/**
 * The log heads after this replica's own batches. The cache saves a query and is never trusted: the statement that
 * writes compares it with the database, under the log's lock.
 */
export class CachedLogHeads {
  readonly #logs = new LRUCache<string, LogHead>({ max: LOGS_MAX });

  of(logId: string): LogHead | undefined {
    return this.#logs.get(logId);
  }

  set(logId: string, head: LogHead): void {
    this.#logs.set(logId, head);
  }

  forget(logIds: readonly string[]): void {
    for (const logId of logIds) this.#logs.delete(logId);
  }
}
