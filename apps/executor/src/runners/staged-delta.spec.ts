// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { formatId } from '@writ/contract';
import type { SandboxChange } from '@writ/sandbox';
import { ScriptedKernel } from '../specs/scripted-kernel.ts';
import { stagedDelta } from './staged-delta.ts';

const tenantId = formatId('tenant', new Uint8Array(16).fill(1));
const file = (path: string, text: string): SandboxChange => ({
  path,
  before: null,
  after: { kind: 'file', mode: '644', bytes: Buffer.from(text) },
});
const kernel = new ScriptedKernel();

/** A reader that counts what it reads. */
function counting(): { readonly read: Map<string, number>; readonly reader: (sha256: string) => Promise<Uint8Array> } {
  const read = new Map<string, number>();
  return {
    read,
    reader: async (sha256) => {
      read.set(sha256, (read.get(sha256) ?? 0) + 1);
      return await kernel.blobs.get(tenantId, sha256);
    },
  };
}

describe('the staged delta of a container', () => {
  it('takes the previous state from the snapshot and leaves out unchanged paths', async () => {
    const root = await kernel.tree({ 'a.txt': 'one', 'd/b.txt': 'two' });
    const { reader } = counting();
    const { delta, blobs } = await stagedDelta(reader, root, [
      file('a.txt', 'one'),
      file('d/b.txt', '2'),
      file('new', 'x'),
      { path: 'd/none', before: null, after: null },
    ]);
    expect(delta.changes.map(({ path, before, after }) => [path, before?.size ?? null, after?.size ?? null])).toEqual([
      ['d/b.txt', 3, 1],
      ['new', null, 1],
    ]);
    expect(blobs.map((bytes) => Buffer.from(bytes).toString())).toEqual(['one', '2', 'x']);
  });

  it('reads each directory once, however many of its files changed', async () => {
    const names = Array.from({ length: 2_000 }, (_, n) => `d/e/f${String(n)}`);
    const root = await kernel.tree(Object.fromEntries(names.map((name) => [name, 'old'])));
    const { read, reader } = counting();
    const { delta } = await stagedDelta(
      reader,
      root,
      names.map((name) => file(name, name)),
    );
    expect(delta.changes).toHaveLength(2_000);
    expect([...read.values()]).toEqual([1, 1, 1]);
  });

  it('hashes long contents like short ones', async () => {
    const root = await kernel.tree({ a: 'x' });
    const long = 'long'.repeat(300_000);
    const { delta } = await stagedDelta(counting().reader, root, [file('long', long)]);
    expect(delta.changes[0]?.after?.sha256).toBe(createHash('sha256').update(long).digest('hex'));
  });

  it('yields the event loop while it works', async () => {
    const names = Array.from({ length: 3_000 }, (_, n) => `f${String(n)}`);
    const root = await kernel.tree({ a: 'x' });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await stagedDelta(
      counting().reader,
      root,
      names.map((name) => file(name, name.repeat(20_000))),
    );
    clearInterval(timer);
    expect(turns).toBeGreaterThan(1);
  });
});
