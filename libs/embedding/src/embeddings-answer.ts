// SPDX-License-Identifier: Apache-2.0
import { parseJson } from '@writ/digest';
import { EmbeddingError } from './embedding-error.ts';
import { unitVector } from './unit-vector.ts';

/** An answer of a service of embeddings, and what was asked for. */
export interface EmbeddingsAnswer {
  readonly status: number;
  readonly body: string;
  /** of the texts that were sent */
  readonly count: number;
  /** of each vector */
  readonly dimensions: number;
}

/**
 * The vectors of an answer, in the order of the texts, each of length 1.
 *
 * @throws EmbeddingError `unavailable` or `refused` by its status, and `malformed` where a vector is missing or is none
 */
export function vectorsOf({ status, body, count, dimensions }: EmbeddingsAnswer): Float32Array[] {
  if (status === 429 || status >= 500)
    throw new EmbeddingError('unavailable', `the service of embeddings answered with status ${status}`);
  if (status < 200 || status > 299)
    throw new EmbeddingError('refused', `the service of embeddings answered with status ${status}`);
  const vectors = new Map<number, Float32Array>();
  for (const { index, embedding } of rowsOf(body)) {
    const fits = Array.isArray(embedding) && embedding.length === dimensions && embedding.every(Number.isFinite);
    const vector = fits ? unitVector(embedding as number[]) : null;
    if (vector === null || typeof index !== 'number' || vectors.has(index))
      throw malformed(`an embedding that is not a vector of ${dimensions} numbers`);
    vectors.set(index, vector);
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined || vectors.size !== count)
      throw malformed(`${vectors.size} embeddings, and ${count} texts were sent`);
    return vector;
  });
}

interface Row {
  readonly index?: unknown;
  readonly embedding?: unknown;
}

function rowsOf(body: string): readonly Row[] {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (cause) {
    throw malformed('no JSON', cause);
  }
  const data = (value as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(data) || !data.every((row) => typeof row === 'object' && row !== null))
    throw malformed('no list `data`');
  return data as readonly Row[];
}

const malformed = (what: string, cause?: unknown): EmbeddingError =>
  new EmbeddingError('malformed', `the service of embeddings answered ${what}`, { cause });
