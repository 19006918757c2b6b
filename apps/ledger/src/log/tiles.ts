// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@writ/database';
import { HASH_BYTES, parseTile, tileWidth, type ReadTile, type TileId } from '@writ/merkle';
import type { Edges } from './cached-log-heads.ts';

interface TileRow {
  level: number;
  tile_index: number;
  hashes: Buffer;
}

/**
 * The partial tile on a log's right edge at each level, from the rows of `ledger.open_batch`: all tiles that an append
 * depends on.
 */
export function edgesOf(rows: readonly { log_id: string; level: number; frontier: Buffer }[], logId: string): Edges {
  return new Map(
    rows
      .filter((row) => row.log_id === logId)
      .map((row) => [row.level, parseTile(row.frontier, row.frontier.length / HASH_BYTES)]),
  );
}

/**
 * Fetches these tiles in one query, at the width that they have in a tree of `treeSize`; the returned function reads
 * from memory.
 */
export async function fetchTiles(
  client: Client,
  logId: string,
  tiles: readonly TileId[],
  treeSize: number,
): Promise<ReadTile> {
  if (tiles.length === 0) return () => [];
  const { rows } = await client.query<TileRow>({
    name: 'ledger.tiles',
    text: `
     SELECT wanted.level, wanted.tile_index, t.hashes
       FROM unnest($2::smallint[], $3::bigint[], $4::smallint[]) AS wanted(level, tile_index, width)
       CROSS JOIN LATERAL ledger.tile_hashes($1, wanted.level, wanted.tile_index, wanted.width) AS t(hashes)
      WHERE t.hashes IS NOT NULL`,
    values: [logId, tiles.map((t) => t.level), tiles.map((t) => t.index), tiles.map((t) => t.width)],
  });
  const read = new Map(
    rows.map((row) => [`${row.level}/${row.tile_index}`, parseTile(row.hashes, row.hashes.length / HASH_BYTES)]),
  );
  return (level, index) => (read.get(`${level}/${index}`) ?? []).slice(0, tileWidth(level, index, treeSize));
}
