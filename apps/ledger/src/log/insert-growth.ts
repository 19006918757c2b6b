// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@writ/database';
import { encodeTile } from '@writ/merkle';
import type { LogEntries } from './entry.ts';
import type { Growth } from './grow.ts';

type Grown = LogEntries & { readonly growth: Growth; readonly frontier: Uint8Array };

/** Writes leaves, tiles and roots of a batch: plain INSERTs, three statements however many logs. */
export async function insertGrowth(client: Client, logs: readonly Grown[]): Promise<void> {
  const leaves = logs.flatMap((log) => log.entries.map((entry, i) => ({ ...entry, index: log.growth.first + i })));
  await client.query({ name: 'ledger.insert_leaf', text: `
     INSERT INTO ledger.leaf (log_id, leaf_index, tenant_id, record_id, kind, operation_id, phase, payload, keyid, sig, recorded_at)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::text[], $10::bytea[], $11::bigint[])`,
    values: [
      leaves.map((l) => l.logId), leaves.map((l) => l.index), leaves.map((l) => l.tenantId), leaves.map((l) => l.recordId), leaves.map((l) => l.kind),
      leaves.map((l) => l.operationId), leaves.map((l) => l.phase), leaves.map((l) => bytes(l.payload)), leaves.map((l) => l.keyid),
      leaves.map((l) => bytes(l.sig)), leaves.map((l) => l.recordedAt),
    ],
  });
  const tiles = logs.flatMap((log) => log.growth.tiles.map((tile) => ({ ...tile, logId: log.logId, tenantId: log.tenantId })));
  await client.query({ name: 'ledger.insert_tile', text: `
     INSERT INTO ledger.tile (log_id, level, tile_index, width, tenant_id, hashes)
     SELECT * FROM unnest($1::text[], $2::smallint[], $3::bigint[], $4::smallint[], $5::text[], $6::bytea[])`,
    values: [
      tiles.map((t) => t.logId), tiles.map((t) => t.level), tiles.map((t) => t.index), tiles.map((t) => t.width), tiles.map((t) => t.tenantId),
      tiles.map((t) => bytes(encodeTile(t.hashes))),
    ],
  });
  await client.query({ name: 'ledger.insert_root', text: `
     INSERT INTO ledger.root (log_id, tree_size, tenant_id, root, frontier)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::bytea[])`,
    values: [
      logs.map((l) => l.logId), logs.map((l) => l.growth.frontier.size), logs.map((l) => l.tenantId), logs.map((l) => bytes(l.growth.root)),
      logs.map((l) => bytes(l.frontier)),
    ],
  });
}

/** The driver writes a Buffer as bytea, and a bare Uint8Array as an array of numbers. */
const bytes = (value: Uint8Array): Buffer => Buffer.from(value.buffer, value.byteOffset, value.byteLength);
