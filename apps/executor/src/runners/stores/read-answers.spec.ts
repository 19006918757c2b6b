// SPDX-License-Identifier: Apache-2.0
import type { EmbeddingError } from '@writ/embedding';
import { STORE_TASKS, type HitsDone, type VectorsDone } from '../../calls/store-tasks.ts';
import type { RunContext } from '../../calls/runner.ts';
import { INLINE_CHARS_MAX, readVectors } from './read-answers.ts';

const DIMENSIONS = 384;

function scene() {
  const threads: string[] = [];
  const work = {
    run: (task: keyof typeof STORE_TASKS, input: never): Promise<HitsDone | VectorsDone> => {
      threads.push(task);
      return Promise.resolve(structuredClone(STORE_TASKS[task](input) as HitsDone | VectorsDone));
    },
  } as unknown as RunContext['work'];
  return { threads, work };
}

const answerOf = (count: number, number: number | string) => ({
  status: 200,
  body: JSON.stringify({
    data: Array.from({ length: count }, (_, index) => ({ index, embedding: Array(DIMENSIONS).fill(number) })),
  }),
  count,
  dimensions: DIMENSIONS,
});

describe('an answer of a service of embeddings', () => {
  it('that is short is read on the loop', async () => {
    const { threads, work } = scene();
    const [vector] = await readVectors(answerOf(1, 1), work);
    expect([vector?.length, threads]).toEqual([DIMENSIONS, []]);
  });

  it('that is long is read on a thread, as vectors of length 1', async () => {
    const { threads, work } = scene();
    const answer = answerOf(16, 0.123456789);
    expect(answer.body.length).toBeGreaterThan(INLINE_CHARS_MAX);
    const vectors = await readVectors(answer, work);
    expect(threads).toEqual(['store.vectors']);
    expect(vectors).toHaveLength(16);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it('that is long and wrong is refused with the same error as a short one', async () => {
    const { work } = scene();
    const [long, short] = await Promise.all(
      [answerOf(64, 'no number'), answerOf(1, 'no number')].map((answer) =>
        readVectors(answer, work).catch((error: EmbeddingError) => [error.name, error.reason, error.message]),
      ),
    );
    expect(long).toEqual(short);
    expect(long).toEqual(expect.arrayContaining(['malformed']));
  });
});
