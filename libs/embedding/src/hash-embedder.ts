// SPDX-License-Identifier: Apache-2.0
import { sha256, utf8Bytes } from '@writ/digest';
import { Embedder, TEXTS_MAX, type EmbedOptions } from './embedder.ts';
import { EmbeddingError } from './embedding-error.ts';
import { unitVector } from './unit-vector.ts';

/**
 * A fake for specs: it adds up a fixed direction for each word, so texts with common words are alike. It knows nothing
 * of meaning.
 */
export class HashEmbedder extends Embedder {
  override readonly model: string;
  override readonly dimensions: number;

  constructor(dimensions = 32) {
    super();
    this.dimensions = dimensions;
    this.model = `hash-${dimensions}`;
  }

  override async embed(texts: readonly string[], { signal }: EmbedOptions = {}): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (texts.length > TEXTS_MAX)
      throw new EmbeddingError('too_many', `one call embeds at most ${TEXTS_MAX} texts, and this has ${texts.length}`);
    return texts.map((text) => this.#vectorOf(text));
  }

  override async close(): Promise<void> {
    // It holds nothing.
  }

  #vectorOf(text: string): Float32Array {
    const sum = new Float64Array(this.dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
      let bytes = sha256(utf8Bytes(word));
      for (let n = 0; n < this.dimensions; n += 1) {
        if (n > 0 && n % bytes.length === 0) bytes = sha256(bytes);
        sum[n] = (sum[n] ?? 0) + (bytes[n % bytes.length] ?? 0) - 127.5;
      }
    }
    // No sum of halves is zero for an odd number of words, and an even one is zero with no probability to speak of.
    return unitVector(sum) ?? unitVector(new Float64Array(this.dimensions).fill(1)) ?? new Float32Array();
  }
}
