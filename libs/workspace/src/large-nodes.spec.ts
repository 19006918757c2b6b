// SPDX-License-Identifier: Apache-2.0
import { LARGE_BYTES, LargeNodes } from './large-nodes.ts';
import { encodeNode, loadNode, type NodeEntry } from './node.ts';

const entry = (name: string): NodeEntry => ({ kind: 'file', mode: '644', name, sha256: '0'.repeat(64), size: 1 });
const directoryOf = (seed: string, count: number) => encodeNode(Array.from({ length: count }, (_, at) => entry(`${seed}-${String(at)}`)));

describe('a large directory', () => {
  it('is read once, and given to nobody who doesn\'t have its bytes', async () => {
    const { sha256, bytes } = directoryOf('a', 1_000);
    expect(bytes.length).toBeGreaterThan(LARGE_BYTES);
    const first = await loadNode(async () => bytes, sha256);
    expect(await loadNode(async () => new Uint8Array(bytes), sha256)).toBe(first);
    await expect(loadNode(async () => directoryOf('b', 1_000).bytes, sha256)).rejects.toMatchObject({ code: 'blob.corrupt' });
    await expect(loadNode(() => Promise.reject(new Error('not yours')), sha256)).rejects.toThrow('not yours');
  });

  it('can\'t be changed for those who read it next', async () => {
    const { sha256, bytes } = directoryOf('c', 1_000);
    const entries = await loadNode(async () => bytes, sha256) as NodeEntry[];
    expect(() => entries.push(entry('planted'))).toThrow(TypeError);
  });

  it('that is broken is broken each time', async () => {
    const text = Buffer.from(directoryOf('d', 1_000).bytes).toString('utf8').replace('{"entries"', '{ "entries"');
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update(text).digest('hex');
    for (let times = 0; times < 2; times += 1) await expect(loadNode(async () => Buffer.from(text), sha256)).rejects.toMatchObject({ code: 'blob.corrupt' });
  });
});

test('as many bytes are kept as may be, those asked for last', () => {
  const nodes = new LargeNodes(100);
  const kept = [entry('x')];
  nodes.keep('a', kept, 40);
  nodes.keep('b', kept, 40);
  expect(nodes.get('a')).toBe(kept);
  nodes.keep('c', kept, 40);
  nodes.keep('c', kept, 40);
  expect(['a', 'b', 'c'].map((name) => nodes.get(name) !== undefined)).toEqual([true, false, true]);
  nodes.keep('huge', kept, 1_000);
  expect(['a', 'c', 'huge'].map((name) => nodes.get(name) !== undefined)).toEqual([false, false, false]);
});
