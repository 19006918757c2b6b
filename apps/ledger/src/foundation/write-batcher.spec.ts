// SPDX-License-Identifier: Apache-2.0
import { WriteBatcher, type WriteBatcherOptions } from './write-batcher.ts';

/** A writer whose writes the test ends. */
class Writer {
  readonly batches: (readonly number[])[] = [];
  readonly #ends: { resolve: (sum: number) => void; reject: (error: unknown) => void }[] = [];

  write(items: readonly number[]): Promise<number> {
    this.batches.push(items);
    return new Promise((resolve, reject) => this.#ends.push({ resolve, reject }));
  }

  /** Ends the write under way. */
  async end(error?: Error): Promise<void> {
    const end = this.#ends.shift();
    if (error) end?.reject(error);
    else end?.resolve(this.batches.at(-1)?.reduce((a, b) => a + b, 0) ?? 0);
    await settled();
  }
}

/** Runs what can run without anything from outside. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

function made(options: Partial<WriteBatcherOptions<number, number>> = {}): {
  writer: Writer;
  commit: WriteBatcher<number, number>;
} {
  const writer = new Writer();
  return { writer, commit: new WriteBatcher<number, number>({ write: (items) => writer.write(items), ...options }) };
}

describe('a group commit', () => {
  it('writes at once what comes alone, and together what came meanwhile, in its order', async () => {
    const { writer, commit } = made();
    const results = [1, 2, 3].map((item) => commit.run(item));
    expect(writer.batches).toEqual([[1]]);
    await writer.end();
    expect(writer.batches).toEqual([[1], [2, 3]]);
    await writer.end();
    expect(await Promise.all(results)).toEqual([1, 5, 5]);
  });

  it('writes no batch that weighs more than it may, but for one item that does', async () => {
    const { writer, commit } = made({ weigh: (item) => item, weightMax: 5 });
    const results = [1, 2, 3, 9, 1].map((item) => commit.run(item));
    for (let n = 0; n < 4; n++) await writer.end();
    await Promise.all(results);
    expect(writer.batches).toEqual([[1], [2, 3], [9], [1]]);
  });

  it('tells all of a batch what went wrong, and writes the next one', async () => {
    const { writer, commit } = made();
    const results = [1, 2, 3].map((item) => commit.run(item).catch((error: unknown) => error));
    await writer.end();
    const failed = new Error('the disk is full');
    await writer.end(failed);
    expect(await Promise.all(results)).toEqual([1, failed, failed]);
    const after = commit.run(4);
    await writer.end();
    expect(await after).toBe(4);
  });

  it('writes each alone after an error that may be of one, so that only that one has it', async () => {
    const { writer, commit } = made({ mayBeOfOne: () => true });
    const results = [1, 2, 3].map((item) => commit.run(item).catch((error: unknown) => error));
    await writer.end();
    const failed = new Error('one of them is bad');
    await writer.end(failed);
    await writer.end(failed);
    await writer.end();
    expect(writer.batches).toEqual([[1], [2, 3], [2], [3]]);
    expect(await Promise.all(results)).toEqual([1, failed, 3]);
  });
});
