// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { LARGE_BYTES, LargeNodes } from './large-nodes.ts';
import { encodeNode, loadNode, parseNode } from './node.ts';
import type { NodeEntry } from './node-entry.ts';

const entry = (name: string): NodeEntry => ({ kind: 'file', mode: '644', name, sha256: '0'.repeat(64), size: 1 });
const directoryOf = (seed: string, count: number) =>
  encodeNode(Array.from({ length: count }, (_, at) => entry(`${seed}-${String(at)}`)));

describe('a large directory', () => {
  it('is parsed once, and returned only to callers with its bytes', async () => {
    const { sha256, bytes } = directoryOf('a', 1_000);
    expect(bytes.length).toBeGreaterThan(LARGE_BYTES);
    const first = await loadNode(async () => bytes, sha256);
    expect(await loadNode(async () => new Uint8Array(bytes), sha256)).toBe(first);
    await expect(loadNode(async () => directoryOf('b', 1_000).bytes, sha256)).rejects.toMatchObject({
      code: 'blob.corrupt',
    });
    await expect(loadNode(() => Promise.reject(new Error('not yours')), sha256)).rejects.toThrow('not yours');
  });

  it("can't be changed for later readers", async () => {
    const { sha256, bytes } = directoryOf('c', 1_000);
    const entries = (await loadNode(async () => bytes, sha256)) as NodeEntry[];
    expect(() => entries.push(entry('planted'))).toThrow(TypeError);
  });

  it('that is broken is broken each time', async () => {
    const text = Buffer.from(directoryOf('d', 1_000).bytes).toString('utf8').replace('{"entries"', '{ "entries"');
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update(text).digest('hex');
    for (let times = 0; times < 2; times += 1)
      await expect(loadNode(async () => Buffer.from(text), sha256)).rejects.toMatchObject({ code: 'blob.corrupt' });
  });
});

describe('a node that is read in parts', () => {
  const names = Array.from({ length: 400 }, (_, n) => String(n).padStart(4, '0'));
  const textOf = (entries: readonly NodeEntry[]): string => Buffer.from(encodeNode(entries).bytes).toString('utf8');
  const whole = textOf(names.map(entry));
  const read = (text: string): readonly NodeEntry[] => parseNode(Buffer.from(text));

  it('has its original entries, with names that look like the start of an entry', () => {
    const awkward = ['},{"kind":"', '},{', '"],"v":1}', '{"entries":[', 'é\\"', ']'];
    const entries = [...names, ...awkward.flatMap((name) => [name, `${'x'.repeat(200)}${name}`])].map(entry);
    expect(
      read(textOf(entries))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(entries.map(({ name }) => name).sort());
  });

  it('is refused for a duplicate or unsorted name, at any position', () => {
    const listOf = (each: readonly string[]): string => `{"entries":[${each.join(',')}],"v":1}`;
    const plain = (name: string): string => textOf([entry(name)]).slice('{"entries":['.length, -'],"v":1}'.length);
    const entries = names.map(plain);
    expect(listOf(entries)).toBe(whole);
    for (let at = 1; at < entries.length; at += 1) {
      const twice = [...entries.slice(0, at), entries[at - 1] ?? '', ...entries.slice(at)];
      expect(() => read(listOf(twice))).toThrow(expect.objectContaining({ code: 'blob.corrupt' }));
      const swapped = [...entries];
      [swapped[at - 1], swapped[at]] = [entries[at] ?? '', entries[at - 1] ?? ''];
      expect(() => read(listOf(swapped))).toThrow(expect.objectContaining({ code: 'blob.corrupt' }));
    }
  });

  it('is refused with any text inserted, removed or replaced', () => {
    const put = fc.oneof(
      fc.constantFrom('', ',', ' ', '},{"kind":"', '{"kind":"file"},', '],"v":1}', '\\u0030'),
      fc.string({ maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.nat({ max: whole.length }), fc.nat({ max: 140 }), put, (at, length, text) => {
        const changed = whole.slice(0, at) + text + whole.slice(at + length);
        const entries = (() => {
          try {
            return read(changed);
          } catch (error) {
            expect(error).toMatchObject({ code: 'blob.corrupt' });
            return null;
          }
        })();
        // A text that is still accepted is the canonical encoding of its entries.
        if (entries !== null) expect(textOf(entries)).toBe(changed);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is refused without parsing if an entry is too long', () => {
    expect(() => read(`{"entries":[${' '.repeat(1_000_000)}],"v":1}`)).toThrow(
      expect.objectContaining({ code: 'blob.corrupt' }),
    );
  });
});

test('the cache keeps the most recently used nodes, up to its limit', () => {
  const nodes = new LargeNodes(100);
  const kept = [entry('x')];
  nodes.put('a', kept, 40);
  nodes.put('b', kept, 40);
  expect(nodes.get('a')).toBe(kept);
  nodes.put('c', kept, 40);
  nodes.put('c', kept, 40);
  expect(['a', 'b', 'c'].map((name) => nodes.get(name) !== undefined)).toEqual([true, false, true]);
  nodes.put('huge', kept, 1_000);
  expect(['a', 'c', 'huge'].map((name) => nodes.get(name) !== undefined)).toEqual([false, false, false]);
});
