// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { parseDelta, reverseDelta } from './delta.ts';
import { diff } from './diff.ts';
import { rebase } from './rebase.ts';
import { emptyTree, snapshotIdOf } from './snapshot.ts';
import { BlobMap, deltaBetween, modelOf, play, steps, type Model } from './tree-model.contract.ts';

const EMPTY = emptyTree().root;
const NOTHING: Model = new Map();
const treeOf = (blobs: BlobMap, model: Model): Promise<string> => blobs.apply(EMPTY, deltaBetween(NOTHING, model));

/** Hundreds of trees per property: on a busy machine more than the default time limit of a test. */
const LONG_MS = 60_000;

describe('a tree', () => {
  it(
    'holds what the map holds',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (played) => {
          const blobs = new BlobMap();
          const model = play(NOTHING, played);
          expect(new Map(await modelOf(blobs.reader, await treeOf(blobs, model)))).toEqual(new Map(model));
        }),
      );
    },
    LONG_MS,
  );

  it(
    'has one root, whatever the order in which it was made',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (played) => {
          const blobs = new BlobMap();
          let root = EMPTY;
          let model = NOTHING;
          for (const step of played) {
            const next = play(model, [step]);
            root = await blobs.apply(root, deltaBetween(model, next));
            model = next;
          }
          expect(root).toBe(await treeOf(blobs, model));
        }),
      );
    },
    LONG_MS,
  );

  it(
    'differs from another in exactly what the maps differ in, and applying that leads there and back',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, steps, async (first, second) => {
          const blobs = new BlobMap();
          const [from, to] = [play(NOTHING, first), play(play(NOTHING, first), second)];
          const [a, b] = [await treeOf(blobs, from), await treeOf(blobs, to)];
          const delta = await diff(blobs.reader, a, b);
          expect(parseDelta(structuredClone(delta))).toEqual(deltaBetween(from, to, snapshotIdOf(a)));
          expect(await blobs.apply(a, delta)).toBe(b);
          expect(await blobs.apply(b, reverseDelta(delta, snapshotIdOf(b)))).toBe(a);
        }),
      );
    },
    LONG_MS,
  );

  it(
    'keeps everything that a delta does not name',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, steps, async (first, second) => {
          const blobs = new BlobMap();
          const [from, to] = [play(NOTHING, first), play(NOTHING, second)];
          const delta = deltaBetween(from, to);
          // Any part of a delta either doesn't apply, or changes what it names and nothing else.
          for (const keep of delta.changes) {
            const part = { ...delta, changes: delta.changes.filter((change) => change !== keep) };
            const base = await treeOf(blobs, from);
            const root = await blobs.apply(base, part).catch(() => null);
            if (root !== null)
              expect(await diff(blobs.reader, base, root)).toEqual({ ...part, base: snapshotIdOf(base) });
          }
        }),
        { numRuns: 30 },
      );
    },
    LONG_MS,
  );
});

describe('rebasing', () => {
  it(
    'commutes: disjoint deltas give the same tree in either order',
    async () => {
      let disjoint = 0;
      await fc.assert(
        fc.asyncProperty(steps, steps, steps, async (start, ours, theirs) => {
          const blobs = new BlobMap();
          const base = play(NOTHING, start);
          const root = await treeOf(blobs, base);
          const [a, b] = [
            deltaBetween(base, play(base, ours.slice(0, 2)), snapshotIdOf(root)),
            deltaBetween(base, play(base, theirs.slice(0, 2)), snapshotIdOf(root)),
          ];
          const [rootA, rootB] = [await blobs.apply(root, a), await blobs.apply(root, b)];
          const [aOnB, bOnA] = [await rebase(blobs.reader, a, root, rootB), await rebase(blobs.reader, b, root, rootA)];
          expect('delta' in aOnB).toBe('delta' in bOnA);
          if (!('delta' in aOnB) || !('delta' in bOnA)) return;
          disjoint++;
          const merged = await blobs.apply(rootB, aOnB.delta);
          expect(await blobs.apply(rootA, bOnA.delta)).toBe(merged);
          const model = await modelOf(blobs.reader, merged);
          for (const { path, after } of [...a.changes, ...b.changes]) expect(model.get(path) ?? null).toEqual(after);
        }),
        { numRuns: 300 },
      );
      expect(disjoint).toBeGreaterThan(50);
    },
    LONG_MS,
  );

  it(
    'to where nothing changed changes nothing, and over itself conflicts',
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, steps, async (first, second) => {
          const blobs = new BlobMap();
          const from = play(NOTHING, first);
          const a = await treeOf(blobs, from);
          const delta = deltaBetween(from, play(from, second), snapshotIdOf(a));
          expect(await rebase(blobs.reader, delta, a, a)).toEqual({ delta });
          const b = await blobs.apply(a, delta);
          const again = await rebase(blobs.reader, delta, a, b);
          const unshared = delta.changes.filter(({ before, after }) => !(before === null && after?.kind === 'dir'));
          if (unshared.length > 0) expect(again).toEqual({ conflicts: unshared.map((change) => change.path) });
          else expect(again).toEqual({ delta: { ...delta, base: snapshotIdOf(b), changes: [] } });
        }),
      );
    },
    LONG_MS,
  );
});
