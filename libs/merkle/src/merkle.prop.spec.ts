// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { EMPTY_FRONTIER, appendLeaves, encodeFrontier, parseFrontier, rootOf, rootOfFrontier } from './frontier.ts';
import type { Frontier } from './frontier.ts';
import { leafHash } from './hash.ts';
import { MerkleError } from './merkle-error.ts';
import { consistencyNodes, inclusionNodes, proveConsistency, proveInclusion } from './prove.ts';
import type { HashAt } from './shape.ts';
import { entriesOf, modelPath, modelProof, modelRoot } from './tree.contract.ts';
import { verifyConsistency, verifyInclusion } from './verify.ts';

const SIZE_MAX = 600;
const ENTRIES = entriesOf(SIZE_MAX);
const LEAVES = ENTRIES.map(leafHash);
/** The root of each size, grown leaf by leaf. */
const FRONTIERS = LEAVES.reduce<Frontier[]>(
  (all, leaf) => [...all, appendLeaves(all.at(-1) as Frontier, [leaf])],
  [EMPTY_FRONTIER],
);
const ROOTS = FRONTIERS.map(rootOfFrontier);

const memory = new Map<string, Uint8Array>();
const hashAt: HashAt = (level, index) => {
  const key = `${String(level)}/${String(index)}`;
  const hash = memory.get(key) ?? rootOf(LEAVES.slice(index * 2 ** level, (index + 1) * 2 ** level));
  memory.set(key, hash);
  return hash;
};

const sizes = fc.integer({ min: 1, max: SIZE_MAX });
const leafOf = sizes.chain((treeSize) =>
  fc.record({ treeSize: fc.constant(treeSize), leafIndex: fc.nat(treeSize - 1) }),
);
const growth = sizes.chain((newSize) =>
  fc.record({ newSize: fc.constant(newSize), oldSize: fc.integer({ min: 1, max: newSize }) }),
);

function isRefused(run: () => void): boolean {
  try {
    run();
    return false;
  } catch (error) {
    if (error instanceof MerkleError) return true;
    throw error;
  }
}

function flipped(hash: Uint8Array, bit: number): Uint8Array {
  const copy = new Uint8Array(hash);
  copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7));
  return copy;
}

describe('the tree', () => {
  it("has the root of the RFC's definition at every size up to 600", () => {
    for (let size = 0; size <= SIZE_MAX; size += 1) {
      const expected = modelRoot(ENTRIES.slice(0, size));
      expect(Buffer.compare(ROOTS[size] as Uint8Array, expected)).toBe(0);
    }
  });

  it('proves every leaf at every size up to 130, and at random sizes up to 600', () => {
    const check = ({ leafIndex, treeSize }: { leafIndex: number; treeSize: number }) => {
      verifyInclusion(
        {
          leafHash: LEAVES[leafIndex] as Uint8Array,
          leafIndex,
          treeSize,
          hashes: proveInclusion(leafIndex, treeSize, hashAt),
        },
        ROOTS[treeSize] as Uint8Array,
      );
    };
    for (let treeSize = 1; treeSize <= 130; treeSize += 1)
      for (let leafIndex = 0; leafIndex < treeSize; leafIndex += 1) check({ leafIndex, treeSize });
    fc.assert(fc.property(leafOf, check), { numRuns: 2000 });
  });

  it('proves every growth at every size up to 100, and at random sizes up to 600', () => {
    const check = ({ oldSize, newSize }: { oldSize: number; newSize: number }) => {
      const hashes = proveConsistency(oldSize, newSize, hashAt);
      verifyConsistency({
        oldSize,
        oldRoot: ROOTS[oldSize] as Uint8Array,
        newSize,
        newRoot: ROOTS[newSize] as Uint8Array,
        hashes,
      });
    };
    for (let newSize = 0; newSize <= 100; newSize += 1)
      for (let oldSize = 0; oldSize <= newSize; oldSize += 1) check({ oldSize, newSize });
    fc.assert(fc.property(growth, check), { numRuns: 2000 });
  });

  it("makes the proofs of the RFC's definition", () => {
    fc.assert(
      fc.property(leafOf, growth, (leaf, grown) => {
        expect(proveInclusion(leaf.leafIndex, leaf.treeSize, hashAt)).toEqual(
          modelPath(leaf.leafIndex, ENTRIES.slice(0, leaf.treeSize)),
        );
        expect(proveConsistency(grown.oldSize, grown.newSize, hashAt)).toEqual(
          modelProof(grown.oldSize, ENTRIES.slice(0, grown.newSize)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('reads only the planned nodes', () => {
    fc.assert(
      fc.property(leafOf, growth, (leaf, grown) => {
        const read: string[] = [];
        const watched: HashAt = (level, index) => (
          read.push(`${String(level)}/${String(index)}`),
          hashAt(level, index)
        );
        proveInclusion(leaf.leafIndex, leaf.treeSize, watched);
        proveConsistency(grown.oldSize, grown.newSize, watched);
        const planned = [
          ...inclusionNodes(leaf.leafIndex, leaf.treeSize),
          ...consistencyNodes(grown.oldSize, grown.newSize),
        ];
        expect(read).toEqual(planned.map(({ level, index }) => `${String(level)}/${String(index)}`));
      }),
    );
  });

  it('can be appended to in any pieces, through its encoded frontier', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(90), { maxLength: 6 }), (pieces) => {
        let frontier = EMPTY_FRONTIER;
        for (const piece of pieces)
          frontier = parseFrontier(
            encodeFrontier(appendLeaves(frontier, LEAVES.slice(frontier.size, frontier.size + piece))),
          );
        expect(frontier).toEqual(FRONTIERS[frontier.size]);
      }),
    );
  });

  it('can be planned for as far as 2^53', () => {
    const huge = Number.MAX_SAFE_INTEGER;
    expect(inclusionNodes(huge - 1, huge)).toHaveLength(52);
    expect(consistencyNodes(2 ** 52, huge).length).toBeGreaterThan(0);
  });
});

describe('an altered proof', () => {
  it('of inclusion never verifies', () => {
    fc.assert(
      fc.property(
        leafOf.filter(({ treeSize }) => treeSize > 1),
        fc.nat(),
        fc.nat(255),
        fc.nat(),
        ({ leafIndex, treeSize }, at, bit, other) => {
          const hashes = proveInclusion(leafIndex, treeSize, hashAt);
          const leaf = LEAVES[leafIndex] as Uint8Array;
          const root = ROOTS[treeSize] as Uint8Array;
          const place = at % hashes.length;
          const altered = hashes.map((hash, i) => (i === place ? flipped(hash, bit) : hash));
          const otherIndex = (leafIndex + 1 + (other % (treeSize - 1))) % treeSize;
          const good = { leafHash: leaf, leafIndex, treeSize, hashes };
          return (
            isRefused(() => {
              verifyInclusion({ ...good, hashes: altered }, root);
            }) &&
            isRefused(() => {
              verifyInclusion({ ...good, hashes: hashes.toSpliced(place, 1) }, root);
            }) &&
            isRefused(() => {
              verifyInclusion({ ...good, hashes: hashes.toSpliced(place, 0, root) }, root);
            }) &&
            isRefused(() => {
              verifyInclusion({ ...good, leafHash: flipped(leaf, bit) }, root);
            }) &&
            isRefused(() => {
              verifyInclusion({ ...good, leafIndex: otherIndex }, root);
            }) &&
            isRefused(() => {
              verifyInclusion(good, flipped(root, bit));
            })
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('of consistency never verifies', () => {
    fc.assert(
      fc.property(
        growth.filter(({ oldSize, newSize }) => oldSize < newSize),
        fc.nat(),
        fc.nat(255),
        ({ oldSize, newSize }, at, bit) => {
          const hashes = proveConsistency(oldSize, newSize, hashAt);
          const good = {
            oldSize,
            oldRoot: ROOTS[oldSize] as Uint8Array,
            newSize,
            newRoot: ROOTS[newSize] as Uint8Array,
            hashes,
          };
          const place = at % hashes.length;
          const altered = hashes.map((hash, i) => (i === place ? flipped(hash, bit) : hash));
          return (
            isRefused(() => {
              verifyConsistency({ ...good, hashes: altered });
            }) &&
            isRefused(() => {
              verifyConsistency({ ...good, hashes: hashes.toSpliced(place, 1) });
            }) &&
            isRefused(() => {
              verifyConsistency({ ...good, hashes: hashes.toSpliced(place, 0, good.newRoot) });
            }) &&
            isRefused(() => {
              verifyConsistency({ ...good, oldRoot: flipped(good.oldRoot, bit) });
            }) &&
            isRefused(() => {
              verifyConsistency({ ...good, newRoot: flipped(good.newRoot, bit) });
            })
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('of any shape results in a MerkleError', () => {
    const number = fc.oneof(fc.nat(20), fc.integer(), fc.double());
    const hash = fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 40 }));
    fc.assert(
      fc.property(number, number, fc.array(hash, { maxLength: 60 }), hash, hash, (a, b, hashes, x, y) => {
        isRefused(() => {
          verifyInclusion({ leafHash: x, leafIndex: a, treeSize: b, hashes }, y);
        });
        isRefused(() => {
          verifyConsistency({ oldSize: a, oldRoot: x, newSize: b, newRoot: y, hashes });
        });
        isRefused(() => {
          parseFrontier(x);
        });
      }),
      { numRuns: 1000 },
    );
  });
});
