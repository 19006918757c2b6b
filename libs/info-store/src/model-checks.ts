// SPDX-License-Identifier: Apache-2.0
import type { PreparedChange } from './document.ts';
import { InfoStoreError, invalid } from './info-store-error.ts';
import type { Query } from './query.ts';
import type { StoreDefinition } from './store-definition.ts';

/** @throws InfoStoreError `model_differs` if the vectors of the change aren't of the store's model */
export function verifyModel({ store_id, embedding }: StoreDefinition, { model, documents }: PreparedChange): void {
  const dimensions = embedding?.dimensions ?? null;
  const fits = documents.every(({ chunks }) =>
    chunks.every((chunk) => (chunk.embedding?.length ?? null) === dimensions),
  );
  if (fits && (documents.length === 0 || model === (embedding?.model ?? null))) return;
  throw new InfoStoreError(
    'model_differs',
    embedding === null
      ? `the store \`${store_id}\` has no embeddings, and the change brings some`
      : `the store \`${store_id}\` needs embeddings of \`${embedding.model}\` with ${embedding.dimensions} dimensions`,
  );
}

/**
 * Returns the direction of a query's embedding.
 * @throws InfoStoreError `model_differs` for other dimensions, `invalid` for a vector without a direction
 */
export function verifyQueryModel(
  { store_id, embedding }: StoreDefinition,
  query: Query,
  unitVector: (vector: Float32Array) => Float32Array | null,
): Float32Array {
  if (embedding === null)
    throw new InfoStoreError('model_differs', `the store \`${store_id}\` has no embeddings: use the mode \`text\``);
  if (query.embedding?.length !== embedding.dimensions)
    throw new InfoStoreError(
      'model_differs',
      `the store \`${store_id}\` has vectors of ${embedding.dimensions} dimensions, and the query has ${query.embedding?.length ?? 0}`,
      { pointer: '/embedding' },
    );
  const unit = unitVector(query.embedding);
  if (unit === null) throw invalid('/embedding', 'an embedding of zeros has no direction');
  return unit;
}
