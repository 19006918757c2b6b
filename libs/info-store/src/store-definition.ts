// SPDX-License-Identifier: Apache-2.0
import { parseId, parseObject } from './document.ts';
import { invalid } from './info-store-error.ts';
import { DIMENSIONS_MAX } from './limits.ts';
import { parseText } from './metadata.ts';

/** The languages whose words a store reduces to their stems: those of PostgreSQL, and `simple`, which reduces none. */
export const LANGUAGES = [
  'simple',
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'greek',
  'hindi',
  'hungarian',
  'indonesian',
  'irish',
  'italian',
  'lithuanian',
  'nepali',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'serbian',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
  'yiddish',
] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a store is, for as long as it exists. */
export interface StoreDefinition {
  readonly store_id: string;
  readonly language: Language;
  /** the model of its vectors; null: it searches texts alone */
  readonly embedding: { readonly model: string; readonly dimensions: number } | null;
}

/** UTF-16 code units of the name of a model. */
const MODEL_LENGTH_MAX = 256;

/** @throws InfoStoreError `invalid`, with the place in `pointer` */
export function parseStoreDefinition(value: unknown): StoreDefinition {
  const {
    store_id,
    language = 'simple',
    embedding = null,
  } = parseObject(value, '', ['store_id', 'language', 'embedding']);
  const known = LANGUAGES.find((each) => each === language);
  if (known === undefined) throw invalid('/language', `the languages are ${LANGUAGES.join(', ')}`);
  return { store_id: parseId(store_id, '/store_id'), language: known, embedding: parseEmbeddingModel(embedding) };
}

function parseEmbeddingModel(value: unknown): StoreDefinition['embedding'] {
  if (value === null) return null;
  const { model, dimensions } = parseObject(value, '/embedding', ['model', 'dimensions']);
  const length = Number(dimensions);
  if (!Number.isInteger(dimensions) || length < 1 || length > DIMENSIONS_MAX)
    throw invalid('/embedding/dimensions', `a vector has 1 to ${DIMENSIONS_MAX} dimensions`);
  const name = parseText(model, '/embedding/model', MODEL_LENGTH_MAX);
  if (name === '') throw invalid('/embedding/model', 'a model has a name');
  return { model: name, dimensions: length };
}

export const isSameDefinition = (a: StoreDefinition, b: StoreDefinition): boolean =>
  a.store_id === b.store_id &&
  a.language === b.language &&
  a.embedding?.model === b.embedding?.model &&
  a.embedding?.dimensions === b.embedding?.dimensions;
