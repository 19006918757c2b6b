// SPDX-License-Identifier: Apache-2.0
import type { Metadata } from '@writ/info-store';
import { sqlFunction, sqlTypes } from '@writ/database';

const { bigint, bytea, integer, text } = sqlTypes;

export interface StoreRow {
  readonly store_key: number;
  readonly language: string;
  readonly model: string | null;
  readonly dimensions: number | null;
  readonly is_indexed: boolean;
  readonly version: number;
  readonly documents: number;
  readonly chunks: number;
}

export interface RankedRow {
  readonly chunk_id: number;
  readonly score: number;
}

/** A page of ids; `last` is null after the end. */
export interface IdsPage {
  readonly last: number | null;
  readonly ids: readonly number[] | null;
}

/** A page of vectors, end to end, in the order of the ids. */
export interface VectorsPage extends IdsPage {
  readonly vectors: Buffer | null;
}

export interface ChunkRow {
  readonly chunk_id: number;
  readonly document_id: string;
  readonly n: number;
  readonly content: string;
  readonly source: string;
  readonly metadata: Metadata;
}

export interface PublishedRow {
  readonly store_id: string;
  readonly version: number;
}

/** The functions of the schema `info_store`. A spec compares them with the database. */
export const infoStoreSql = {
  findStore: sqlFunction<StoreRow>()('info_store.find_store', { tenant: text, store: text }, { returns: 'row' }),
  searchText: sqlFunction<RankedRow>()(
    'info_store.search_text',
    {
      tenant: text,
      store: bigint,
      lang: text,
      query: text,
      path: text,
      vars: sqlTypes.jsonb<Metadata>(),
      most: integer,
    },
    { returns: 'rows', errors: ['insufficient_privilege'] },
  ),
  vectors: sqlFunction<VectorsPage>()(
    'info_store.vectors',
    { tenant: text, store: bigint, dims: integer, after: bigint, most: integer },
    { returns: 'row' },
  ),
  matchingChunks: sqlFunction<IdsPage>()(
    'info_store.matching_chunks',
    { tenant: text, store: bigint, path: text, vars: sqlTypes.jsonb<Metadata>(), after: bigint, most: integer },
    { returns: 'row' },
  ),
  readChunks: sqlFunction<ChunkRow>()(
    'info_store.read_chunks',
    { tenant: text, store: bigint, chunk_ids: sqlTypes.bigintArray },
    { returns: 'rows' },
  ),
  searchVectors: sqlFunction<RankedRow>()(
    'info_store.search_vectors',
    {
      tenant: text,
      store: bigint,
      dims: integer,
      query: text,
      path: text,
      vars: sqlTypes.jsonb<Metadata>(),
      most: integer,
    },
    { returns: 'rows' },
  ),
  stageVectors: sqlFunction()(
    'info_store.stage_vectors',
    {
      tenant: text,
      store: bigint,
      change: text,
      document: text,
      first: integer,
      dims: integer,
      vectors: sqlTypes.textArray,
    },
    { returns: 'nothing' },
  ),
  beginChange: sqlFunction()(
    'info_store.begin_change',
    { tenant: text, store: bigint, operation: text, change: text, digest: bytea },
    { returns: 'nothing' },
  ),
  stageDocument: sqlFunction()(
    'info_store.stage_document',
    {
      tenant: text,
      store: bigint,
      change: text,
      document: text,
      is_removal: sqlTypes.boolean,
      source: text,
      metadata: sqlTypes.jsonb<Metadata>(),
      chunks: integer,
    },
    { returns: 'nothing' },
  ),
  stageChunks: sqlFunction()(
    'info_store.stage_chunks',
    {
      tenant: text,
      store: bigint,
      lang: text,
      change: text,
      document: text,
      first: integer,
      texts: sqlTypes.textArray,
      embeddings: sqlTypes.byteaArray,
    },
    { returns: 'nothing' },
  ),
  sealChange: sqlFunction<boolean>()('info_store.seal_change', { tenant: text, change: text }, { returns: 'value' }),
  discardChange: sqlFunction()('info_store.discard_change', { tenant: text, change: text }, { returns: 'nothing' }),
  registerStore: sqlFunction()(
    'info_store.register_store',
    { tenant: text, store: text, lang: text, model: sqlTypes.nullable(text), dims: sqlTypes.nullable(integer) },
    { returns: 'nothing', errors: ['info_store_differs'] },
  ),
  unregisterStore: sqlFunction<boolean>()(
    'info_store.unregister_store',
    { tenant: text, store: text },
    { returns: 'value' },
  ),
  publish: sqlFunction<PublishedRow>()(
    'info_store.publish',
    { tenant: text, operation: text, change: text, expected: bytea },
    { returns: 'row', errors: ['info_store_change_unknown', 'info_store_change_differs', 'info_store_unknown'] },
  ),
  forgetChanges: sqlFunction<number>()(
    'info_store.forget_changes',
    { tenant: text, operations: sqlTypes.textArray },
    { returns: 'value' },
  ),
  sweep: sqlFunction<number>()(
    'info_store.sweep',
    { tenant: text, before: sqlTypes.timestamptz, most: integer },
    { returns: 'value' },
  ),
} as const;
