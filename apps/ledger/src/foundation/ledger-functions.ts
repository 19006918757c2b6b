// SPDX-License-Identifier: Apache-2.0
import type { RecordRow } from '@writ/contract';
import { sqlFunction, sqlTypes } from '@writ/database';

/** A committed leaf: the log's own columns and the statement. */
export interface IndexedLeaf {
  readonly leaf_index: number;
  readonly record_id: string;
  readonly kind: string;
  readonly operation_id: string | null;
  readonly phase: string | null;
  readonly payload: Uint8Array;
  readonly recorded_at: number;
}

/** The head of a log, a partial tile of it, its root at the size signed last, or an existing record. */
export interface OpenRow {
  what: 'log' | 'tile' | 'signed' | 'record';
  log_id: string;
  record_id: string;
  at: number;
  level: number;
  root: Buffer;
  frontier: Buffer;
}

/** The newest root, and the checkpoint that the proof leads to. */
export interface CheckpointRow {
  readonly newest_size: number;
  readonly newest_root: Buffer;
  readonly tree_size: number;
  readonly root: Buffer;
  readonly note: string;
  readonly level: null;
}

/** A tile over the leaf, in a row after the checkpoint's. */
export interface TileRow {
  readonly level: number;
  readonly tile_index: number;
  readonly hashes: Buffer;
}

/**
 * The result of a log in a batch of the indexer. `done`: all of it is indexed. `more`: it has further leaves. `waits`:
 * earlier logs filled the batch. `taken`: another replica indexes it.
 */
export type IndexProgress = 'done' | 'more' | 'waits' | 'taken';

export interface NextLeaf extends IndexedLeaf {
  readonly log_id: string;
  readonly tenant_id: string;
  readonly state: null;
}

/** The result of a log, in a row after its leaves. */
export interface LogProgress {
  readonly log_id: string;
  readonly tenant_id: string;
  readonly state: IndexProgress;
}

/** A record with the column names of the index. */
export type FoundRecord = Omit<RecordRow, 'type' | 'outcome'> & {
  readonly kind: string;
  readonly tx_outcome: string | null;
};

/** The functions of the schema `ledger` that the ledger calls. A spec compares them with the database. */
export const ledgerSql = {
  appendBatch: sqlFunction<boolean>()(
    'ledger.append_batch',
    {
      logs: sqlTypes.textArray,
      tenants: sqlTypes.textArray,
      sizes: sqlTypes.bigintArray,
      roots: sqlTypes.byteaArray,
      new_sizes: sqlTypes.bigintArray,
      new_roots: sqlTypes.byteaArray,
      frontiers: sqlTypes.byteaArray,
      edge_hashes: sqlTypes.byteaArray,
      l_log: sqlTypes.textArray,
      l_index: sqlTypes.bigintArray,
      l_tenant: sqlTypes.textArray,
      l_record: sqlTypes.textArray,
      l_kind: sqlTypes.textArray,
      l_operation: sqlTypes.textArray,
      l_phase: sqlTypes.textArray,
      l_payload: sqlTypes.byteaArray,
      l_keyid: sqlTypes.textArray,
      l_sig: sqlTypes.byteaArray,
      l_recorded: sqlTypes.bigintArray,
      t_log: sqlTypes.textArray,
      t_level: sqlTypes.smallintArray,
      t_index: sqlTypes.bigintArray,
      t_width: sqlTypes.smallintArray,
      t_tenant: sqlTypes.textArray,
      t_hashes: sqlTypes.byteaArray,
    },
    { returns: 'value' },
  ),
  findRecords: sqlFunction<FoundRecord>()(
    'ledger.find_records',
    {
      tenant: sqlTypes.text,
      log: sqlTypes.text,
      size: sqlTypes.bigint,
      filter: sqlTypes.jsonb<object>(),
      newest: sqlTypes.boolean,
      after_at: sqlTypes.nullable(sqlTypes.bigint),
      after_index: sqlTypes.nullable(sqlTypes.bigint),
      limit: sqlTypes.integer,
    },
    { returns: 'rows', errors: ['insufficient_privilege'] },
  ),
  keepCheckpoints: sqlFunction()(
    'ledger.keep_checkpoints',
    { logs: sqlTypes.textArray, sizes: sqlTypes.bigintArray, tenants: sqlTypes.textArray, notes: sqlTypes.textArray },
    { returns: 'nothing' },
  ),
  leavesToIndex: sqlFunction<NextLeaf | LogProgress>()(
    'ledger.leaves_to_index',
    { tenants: sqlTypes.textArray, logs: sqlTypes.textArray, leaves: sqlTypes.integer, bytes: sqlTypes.bigint },
    { returns: 'rows' },
  ),
  openBatch: sqlFunction<OpenRow>()(
    'ledger.open_batch',
    {
      tenants: sqlTypes.textArray,
      logs: sqlTypes.textArray,
      signed: sqlTypes.bigintArray,
      record_logs: sqlTypes.textArray,
      records: sqlTypes.textArray,
    },
    { returns: 'rows' },
  ),
  openInclusion: sqlFunction<CheckpointRow | TileRow>()(
    'ledger.open_inclusion',
    {
      tenant: sqlTypes.text,
      log: sqlTypes.text,
      leaf: sqlTypes.bigint,
      quorum: sqlTypes.integer,
      full: sqlTypes.smallintArray,
      edge: sqlTypes.bigint,
    },
    { returns: 'rows' },
  ),
} as const;
