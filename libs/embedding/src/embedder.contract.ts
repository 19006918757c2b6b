// SPDX-License-Identifier: Apache-2.0
import { TEXTS_MAX, type Embedder } from './embedder.ts';

export interface EmbedderUnderTest {
  readonly embedder: Embedder;
  readonly close: () => Promise<void>;
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, each, n) => sum + each * (b[n] ?? 0), 0);

/** The requirements on every embedder; runs on the fake and on each adapter. */
export function embedderContract(name: string, make: () => Promise<EmbedderUnderTest>): void {
  describe(`${name} as an embedder`, () => {
    let under: EmbedderUnderTest;
    beforeAll(async () => {
      under = await make();
    });
    afterAll(() => under.close());

    it('answers one vector of length 1 for each text, in their order', async () => {
      const texts = ['the dog barks', 'a cat sleeps on the mat', 'the dog barks'];
      const vectors = await under.embedder.embed(texts);
      expect(vectors.map((vector) => vector.length)).toEqual(texts.map(() => under.embedder.dimensions));
      for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4);
      expect(dot(vectors[0]!, vectors[2]!)).toBeCloseTo(1, 4);
      expect(dot(vectors[0]!, vectors[1]!)).toBeLessThan(0.95);
    });

    it('answers the same vector for a text alone and among a hundred others', async () => {
      const texts = Array.from({ length: 100 }, (_, n) => `text number ${n}${' and more'.repeat(n % 7)}`);
      const [alone] = await under.embedder.embed(['text number 77']);
      const among = await under.embedder.embed(texts.with(77, 'text number 77'));
      expect(dot(alone!, among[77]!)).toBeCloseTo(1, 4);
    });

    it('finds texts with common words more alike than others', async () => {
      const [question, answer, other] = await under.embedder.embed([
        'how is the garden watered',
        'the garden is watered by rain',
        'seventeen ships sailed south',
      ]);
      expect(dot(question!, answer!)).toBeGreaterThan(dot(question!, other!) + 0.1);
    });

    it('accepts empty and long texts, other scripts, and no texts at all', async () => {
      const texts = ['', ' ', 'word '.repeat(2_000), '庭に水をやる', '🌱', '[CLS] [SEP]', 'x'.repeat(5_000)];
      const vectors = await under.embedder.embed(texts);
      for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4);
      expect(await under.embedder.embed([])).toEqual([]);
    });

    it('refuses more texts than one call may have', async () => {
      await expect(under.embedder.embed(Array<string>(TEXTS_MAX + 1).fill('x'))).rejects.toMatchObject({
        name: 'EmbeddingError',
        reason: 'too_many',
      });
    });

    it('ends with the reason of its signal, and serves others afterwards', async () => {
      const reason = new Error('the caller went away');
      await expect(under.embedder.embed(['x'], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      const [vector] = await under.embedder.embed(['x']);
      expect(vector).toHaveLength(under.embedder.dimensions);
    });
  });
}
