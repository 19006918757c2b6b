// SPDX-License-Identifier: Apache-2.0
import { WriteBatcher, type WriteBatcherOptions } from './write-batcher.ts';

/** A writer whose writes the test completes. */
class Writer {
  readonly batches: (readonly number[])[] = [];
  readonly #ends: { resolve: (sum: number) => void; reject: (error: unknown) => void }[] = [];

  write(items: readonly number[]): Promise<number> {
    this.batches.push(items);
    return new Promise((resolve, reject) => this.#ends.push({ resolve, reject }));
  }

  /** Completes the running write. */
  async end(error?: Error): Promise<void> {
    const end = this.#ends.shift();
    if (error) end?.reject(error);
    else end?.resolve(this.batches.at(-1)?.reduce((a, b) => a + b, 0) ?? 0);
    await settled();
  }
}

/** Lets all pending microtasks run. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

function newBatcher(options: Partial<WriteBatcherOptions<number, number>> = {}): {
  writer: Writer;
  batcher: WriteBatcher<number, number>;
} {
  const writer = new Writer();
  return { writer, batcher: new WriteBatcher<number, number>({ write: (items) => writer.write(items), ...options }) };
}

describe('a write batcher', () => {
  it('writes a lone item at once, and items that arrive during a write together and in order', async () => {
    const { writer, batcher } = newBatcher();
    const results = [1, 2, 3].map((item) => batcher.run(item));
    expect(writer.batches).toEqual([[1]]);
    await writer.end();
    expect(writer.batches).toEqual([[1], [2, 3]]);
    await writer.end();
    expect(await Promise.all(results)).toEqual([1, 5, 5]);
  });

  it('writes no batch above the weight limit, except a single heavier item', async () => {
    const { writer, batcher } = newBatcher({ weigh: (item) => item, weightMax: 5 });
    const results = [1, 2, 3, 9, 1].map((item) => batcher.run(item));
    for (let n = 0; n < 4; n++) await writer.end();
    await Promise.all(results);
    expect(writer.batches).toEqual([[1], [2, 3], [9], [1]]);
  });

  it('rejects all items of a failed batch and writes the next one', async () => {
    const { writer, batcher } = newBatcher();
    const results = [1, 2, 3].map((item) => batcher.run(item).catch((error: unknown) => error));
    await writer.end();
    const failed = new Error('the disk is full');
    await writer.end(failed);
    expect(await Promise.all(results)).toEqual([1, failed, failed]);
    const after = batcher.run(4);
    await writer.end();
    expect(await after).toBe(4);
  });

  it('writes items one by one after an error that one of them may have caused', async () => {
    const { writer, batcher } = newBatcher({ isMaybeOfOneItem: () => true });
    const results = [1, 2, 3].map((item) => batcher.run(item).catch((error: unknown) => error));
    await writer.end();
    const failed = new Error('one of them is bad');
    await writer.end(failed);
    await writer.end(failed);
    await writer.end();
    expect(writer.batches).toEqual([[1], [2, 3], [2], [3]]);
    expect(await Promise.all(results)).toEqual([1, failed, 3]);
  });
});
