// SPDX-License-Identifier: Apache-2.0
import { encodeFrontier, encodeTile, rootOfFrontier } from '@writ/merkle';
import type { QueryConfig } from 'pg';
import type { LogEntries } from './entry.ts';
import type { Growth, LogState } from './grow.ts';

/** What a batch adds to one log, and where the log must stand for it. */
export interface Grown {
  readonly log: LogEntries;
  readonly from: LogState;
  readonly growth: Growth;
}

/** The statement that writes a batch, whatever logs it spans. Answers one row: `written` false where a log has moved on, and nothing is written then. */
export function writeBatch(grown: readonly Grown[]): QueryConfig {
  const leaves = grown.flatMap(({ log, growth }) => log.entries.map((entry, i) => ({ ...entry, index: growth.first + i })));
  const tiles = grown.flatMap(({ log, growth }) => growth.tiles.map((tile) => ({ ...tile, log })));
  return {
    name: 'ledger.write_batch',
    text: `SELECT ledger.write_batch(${Array.from({ length: 24 }, (_, i) => `$${i + 1}`).join(', ')}) AS written`,
    values: [
      grown.map((g) => g.log.logId), grown.map((g) => g.log.tenantId), grown.map((g) => g.from.treeSize), grown.map((g) => bytea(rootOfFrontier(g.from.frontier))),
      grown.map((g) => g.growth.frontier.size), grown.map((g) => bytea(g.growth.root)), grown.map((g) => bytea(encodeFrontier(g.growth.frontier))),
      leaves.map((l) => l.logId), leaves.map((l) => l.index), leaves.map((l) => l.tenantId), leaves.map((l) => l.recordId), leaves.map((l) => l.kind),
      leaves.map((l) => l.operationId), leaves.map((l) => l.phase), leaves.map((l) => bytea(l.payload)), leaves.map((l) => l.keyid), leaves.map((l) => bytea(l.sig)),
      leaves.map((l) => l.recordedAt),
      tiles.map((t) => t.log.logId), tiles.map((t) => t.level), tiles.map((t) => t.index), tiles.map((t) => t.width), tiles.map((t) => t.log.tenantId),
      tiles.map((t) => bytea(encodeTile(t.hashes))),
    ],
  };
}

/** The driver writes a Buffer as bytea, and a bare Uint8Array as an array of numbers. */
const bytea = (value: Uint8Array): Buffer => Buffer.from(value.buffer, value.byteOffset, value.byteLength);
