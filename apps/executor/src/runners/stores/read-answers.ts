// SPDX-License-Identifier: Apache-2.0
// Answers of services that a tenant names, which are attacker-controlled: a thread reads one that is long.
import { EmbeddingError, vectorsOf, type EmbeddingsAnswer } from '@writ/embedding';
import type { Hit } from '@writ/info-store';
import { ChromaError, hitsOf, type QueryAnswer } from '@writ/info-store-chroma';
import type { RunContext } from '../../calls/runner.ts';

/** Texts of this length take some milliseconds to split or to read: longer ones go to a thread. */
export const INLINE_CHARS_MAX = 32 * 1024;

/** Several times what the longest answer takes on a busy machine. */
const READ_MS = 10_000;

/** The hits that a Chroma server found. @throws ChromaError */
export async function readHits(answer: QueryAnswer, work: RunContext['work']): Promise<readonly Hit[]> {
  if (answer.body.length <= INLINE_CHARS_MAX) return hitsOf(answer);
  const done = await work.run('store.hits', answer, READ_MS);
  if ('failed' in done) throw new ChromaError(done.failed.reason, done.failed.message);
  return done.hits;
}

/** The vectors that a service of embeddings computed. @throws EmbeddingError */
export async function readVectors(
  answer: EmbeddingsAnswer,
  work: RunContext['work'],
): Promise<readonly Float32Array[]> {
  if (answer.body.length <= INLINE_CHARS_MAX) return vectorsOf(answer);
  const done = await work.run('store.vectors', answer, READ_MS);
  if ('failed' in done) throw new EmbeddingError(done.failed.reason, done.failed.message);
  return done.vectors;
}
