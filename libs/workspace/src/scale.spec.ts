// SPDX-License-Identifier: Apache-2.0
import type { FileState } from '@writ/contract';
import { applyDelta } from './apply-delta.ts';
import { deltaOf } from './delta.ts';
import { diff } from './diff.ts';
import { rebase } from './rebase.ts';
import { emptyTree, snapshotIdOf } from './snapshot.ts';
import { BlobMap, deltaBetween, DIR, file } from './tree-model.contract.ts';

/** 20,000 files in 400 directories, four levels deep: a repository of some size. */
const files = Array.from(
  { length: 20_000 },
  (_, n) => `pkg${n % 10}/lib${Math.floor(n / 10) % 5}/dir${Math.floor(n / 50) % 8}/file${n}.ts`,
);

describe('a tree of 20,000 files', () => {
  const blobs = new BlobMap();
  let root: string;
  beforeAll(async () => {
    const all = new Map<string, FileState>();
    for (const path of files) {
      const names = path.split('/');
      for (let depth = 1; depth < names.length; depth++) all.set(names.slice(0, depth).join('/'), DIR);
      all.set(path, file(path));
    }
    root = await blobs.apply(emptyTree().root, deltaBetween(new Map(), all));
  }, 120_000);

  it('needs for an edit only the nodes on its path', async () => {
    const path = files[12_345] ?? '';
    const delta = deltaOf(snapshotIdOf(root), [{ path, before: file(path), after: file('edited') }]);
    blobs.reads = 0;
    const applied = await applyDelta(blobs.reader, root, delta);
    expect({ read: blobs.reads, written: applied.nodes.length }).toEqual({ read: 4, written: 4 });
    blobs.put(applied.nodes);
    blobs.reads = 0;
    expect(await diff(blobs.reader, root, applied.root)).toEqual(delta);
    expect(blobs.reads).toBe(8);
    expect(await rebase(blobs.reader, delta, root, root)).toEqual({ delta });
  });
});
