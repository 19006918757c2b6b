// SPDX-License-Identifier: Apache-2.0
// The same log in Writ and in other implementations: each accepts what the other makes, and both refuse the same.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  MerkleError,
  encodeTile,
  growTiles,
  hashAtFromTiles,
  leafHash,
  proveConsistency,
  proveInclusion,
  rootOf,
  tilePath,
  verifyConsistency,
  verifyInclusion,
} from '@writ/merkle';
import type { HashAt, Tile } from '@writ/merkle';
import {
  SignatureError,
  cosign,
  formatCheckpoint,
  formatCosignerKey,
  formatNoteKey,
  parseCheckpoint,
  parseCosignerKey,
  parseNoteKey,
  signNote,
  verifyCosignatures,
  verifyNote,
} from '@writ/signing';
import { askPeers, buildPeers, peersUnavailableReason } from './peers.contract.ts';
import type { Answer, Peer, ProvenGrowth, ProvenLeaf, Request } from './peers.contract.ts';
import { LOG_SIGNER, OTHER_SIGNER } from './sample.contract.ts';

/** Around each boundary of the tree and its tiles, with the root as tlog and merkle compute it. */
const ROOTS: readonly (readonly [size: number, root: string])[] = [
  [0, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
  [1, 'PnB3/S9m1ongzuanz1s3vy3KfJea81bQoxy8XIVgXH0='],
  [2, 'p9kYlLYfv0Y3jYjj4bH3rvOVMsUEtIS9MVUdFeCgnf8='],
  [3, 'm0ll+LIgukL3A5rQeByWbPkLsa6hWoBYbWNLMiqx9M4='],
  [7, 'Rc6n7cqVQ+5VdaV3TQ2PqTIai+CEs/tlf6T20HGjyUw='],
  [8, 'sVrNixzPepuBwE9psn5cq9Z+kL4Ob/ak0e2HAEpPDME='],
  [255, 'uzuXQ+CBGOpYOud98EoUSaBgHN5vdRRtecLKtjZs4hA='],
  [256, 'FeLdSXOuRN6MjPMEj9mNF62q6mKH9OBgalWmQ2F0CMA='],
  [257, '1BjAhzJZvOfQVhqwBEhhEkFsHESQhlQVNCv+BuZzFGw='],
  [65_535, '5zIc1Xq/NsUi2J5tJr2QmKN7aosGsxiXYmnnAfbUgC0='],
  [65_536, 'vJvKkJUW1b8UjCvy3qCg2fcXzkmH0v51BNZpQ2O0FZg='],
  [100_000, 'soGdjOUE2fW4dS5AWWZPBAH6DulE1+K+ZsvG43VIdRw='],
];
const SIZES = ROOTS.map(([size]) => size);
const WHOLE = SIZES.at(-1)!;
const PEERS: readonly Peer[] = ['tlog', 'tlog on tiles', 'merkle'];

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/** The i-th leaf is i as a big-endian uint64, as in libs/receipt/peers. */
const LEAVES = Array.from({ length: WHOLE }, (_, i) => {
  const entry = Buffer.alloc(8);
  entry.writeBigUInt64BE(BigInt(i));
  return leafHash(entry);
});
const root = (size: number): Uint8Array => bytesOf(ROOTS.find(([each]) => each === size)![1]);

/** The tiles as the log grows from each size to the next; proofs are read from the widest tile of each position. */
const widest = new Map<string, Tile>();
const STEPS = SIZES.slice(1).map((size, i) => {
  const oldSize = SIZES[i]!;
  const tiles = growTiles(
    oldSize,
    LEAVES.slice(oldSize, size),
    (level, index) => widest.get(tilePath(level, index))?.hashes ?? [],
  );
  for (const tile of tiles) widest.set(tilePath(tile.level, tile.index), tile);
  return {
    oldSize,
    size,
    tiles: tiles.map((tile) => ({
      path: tilePath(tile.level, tile.index, tile.width),
      bytes: encodeTile(tile.hashes),
    })),
  };
});
const hashAt: HashAt = hashAtFromTiles((level, index) => widest.get(tilePath(level, index))?.hashes ?? []);

/** All leaves of a small tree; of a large one those beside its boundaries. */
function leavesOf(size: number): number[] {
  if (size <= 257) return Array.from({ length: size }, (_, i) => i);
  const seams = [0, 256, 512, Math.floor(size / 2), 65_536 - 256, 65_536, Math.floor(size / 256) * 256, size];
  return [...new Set(seams.flatMap((seam) => [seam - 1, seam, seam + 1]))].filter(
    (index) => index >= 0 && index < size,
  );
}

const proveLeaf = (index: number, size: number): ProvenLeaf => ({
  index,
  size,
  leafHash: LEAVES[index]!,
  hashes: proveInclusion(index, size, hashAt),
  root: root(size),
});
const proveGrowth = (oldSize: number, size: number): ProvenGrowth => ({
  oldSize,
  oldRoot: root(oldSize),
  size,
  root: root(size),
  hashes: proveConsistency(oldSize, size, hashAt),
});
const PROVEN_LEAVES = SIZES.flatMap((size) => leavesOf(size).map((index) => proveLeaf(index, size)));
const PROVEN_GROWTHS = SIZES.flatMap((size) =>
  SIZES.filter((oldSize) => oldSize <= size).map((oldSize) => proveGrowth(oldSize, size)),
);

/** Go's tlog has no proof that begins with an empty tree. */
const isKnownTo = (peer: Peer, oldSize: number): boolean => oldSize > 0 || peer === 'merkle';

const takesLeaf = ({ index, size, ...proof }: ProvenLeaf): boolean =>
  isTaken(() => {
    verifyInclusion({ ...proof, leafIndex: index, treeSize: size }, proof.root);
  });
const takesGrowth = ({ size, root: newRoot, ...proof }: ProvenGrowth): boolean =>
  isTaken(() => {
    verifyConsistency({ ...proof, newSize: size, newRoot });
  });

function isTaken(run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof MerkleError) return false;
    throw error;
  }
}

const flipped = (hash: Uint8Array): Uint8Array => hash.map((byte, i) => (i === 17 ? byte ^ 4 : byte));

const isBesideSeam = ({ index, size }: ProvenLeaf): boolean =>
  index < 2 || index % 256 < 2 || index % 256 > 253 || index + 2 > size;

/** Lists of hashes that are close to the right one. */
function nearHashes(hashes: readonly Uint8Array[], other: Uint8Array): (readonly Uint8Array[])[] {
  return [
    ...hashes.map((hash, at) => hashes.with(at, flipped(hash))),
    hashes.slice(1),
    hashes.slice(0, -1),
    [],
    [...hashes, other],
    [other, ...hashes],
    [...hashes, ...hashes],
    hashes.toReversed(),
  ];
}

function nearLeaves(good: ProvenLeaf): ProvenLeaf[] {
  const { index, size, hashes } = good;
  return [
    ...nearHashes(hashes, good.root).map((near) => ({ ...good, hashes: near })),
    ...[index - 1, index + 1, index ^ 2, size - 1, size]
      .filter((other) => other >= 0)
      .map((other) => ({ ...good, index: other })),
    ...[size - 1, size + 1, size * 2, Math.floor(size / 2), 0].map((other) => ({ ...good, size: other })),
    { ...good, leafHash: flipped(good.leafHash) },
    { ...good, leafHash: good.root },
    { ...good, root: flipped(good.root) },
    { ...good, root: good.leafHash },
  ];
}

function nearGrowths(good: ProvenGrowth): ProvenGrowth[] {
  const { oldSize, oldRoot, size, hashes } = good;
  return [
    ...nearHashes(hashes, oldRoot).map((near) => ({ ...good, hashes: near })),
    // Not from an empty tree: there merkle ignores the old root, and Writ checks it.
    ...[oldSize - 1, oldSize + 1, oldSize ^ 2, size]
      .filter((other) => other > 0)
      .map((other) => ({ ...good, oldSize: other })),
    ...[size - 1, size + 1, size * 2, Math.floor(size / 2), oldSize].map((other) => ({ ...good, size: other })),
    { ...good, oldRoot: flipped(oldRoot) },
    { ...good, root: flipped(good.root) },
    { ...good, oldRoot: good.root, root: oldRoot },
    { ...good, oldRoot: good.root },
  ];
}

test.each(ROOTS)('a log of %i leaves has the root that others compute', (size, expected) => {
  expect(base64(rootOf(LEAVES.slice(0, size)))).toBe(expected);
});

const why = peersUnavailableReason();
const describePeers = why === null ? describe : describe.skip;

describePeers(`other implementations${why === null ? '' : ` (skipped: ${why})`}`, () => {
  let folder: string;
  const ask = (requests: readonly Request[]): Answer[] => askPeers(join(folder, 'peers'), folder, requests);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'writ-peers-'));
    buildPeers(join(folder, 'peers'));
    for (const { path, bytes } of STEPS.flatMap(({ tiles }) => tiles)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
  }, 300_000);
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(PEERS)('%s', (peer) => {
    test('has the same roots', () => {
      expect(ask(SIZES.map((size) => ({ op: 'root', peer, size })))).toEqual(
        ROOTS.map(([, expected]) => ({ root: expected })),
      );
    });

    test('makes the same inclusion proofs as Writ, and accepts them', () => {
      const theirs = ask(PROVEN_LEAVES.map(({ index, size }) => ({ op: 'proveInclusion', peer, index, size })));
      expect(theirs.map(({ hashes = [] }) => hashes)).toEqual(PROVEN_LEAVES.map(({ hashes }) => hashes.map(base64)));
      expect(
        PROVEN_LEAVES.filter((ours, i) => !takesLeaf({ ...ours, hashes: (theirs[i]?.hashes ?? []).map(bytesOf) })),
      ).toEqual([]);
      expect(ask(PROVEN_LEAVES.map((ours) => ({ op: 'verifyInclusion', peer, ...ours })))).toEqual(
        PROVEN_LEAVES.map(() => ({})),
      );
    });

    test('makes the same consistency proofs as Writ, and accepts them', () => {
      const known = PROVEN_GROWTHS.filter(({ oldSize }) => isKnownTo(peer, oldSize));
      const theirs = ask(known.map(({ oldSize, size }) => ({ op: 'proveConsistency', peer, oldSize, size })));
      expect(theirs.map(({ hashes = [] }) => hashes)).toEqual(known.map(({ hashes }) => hashes.map(base64)));
      expect(
        known.filter((ours, i) => !takesGrowth({ ...ours, hashes: (theirs[i]?.hashes ?? []).map(bytesOf) })),
      ).toEqual([]);
      expect(ask(known.map((ours) => ({ op: 'verifyConsistency', peer, ...ours })))).toEqual(known.map(() => ({})));
    });
  });

  describe.each<Peer>(['tlog', 'merkle'])('%s', (peer) => {
    test('accepts and refuses the same inclusion proofs as Writ', () => {
      const near = PROVEN_LEAVES.filter((ours) => ours.size <= 8 || isBesideSeam(ours)).flatMap(nearLeaves);
      expect(
        ask(near.map((proof) => ({ op: 'verifyInclusion', peer, ...proof }))).map(({ error }) => error === undefined),
      ).toEqual(near.map(takesLeaf));
      expect(near.filter((proof) => !takesLeaf(proof)).length).toBeGreaterThan(near.length / 2);
    });

    test('accepts and refuses the same consistency proofs as Writ', () => {
      const near = PROVEN_GROWTHS.filter(({ oldSize }) => oldSize > 0).flatMap(nearGrowths);
      expect(
        ask(near.map((proof) => ({ op: 'verifyConsistency', peer, ...proof }))).map(({ error }) => error === undefined),
      ).toEqual(near.map(takesGrowth));
      expect(near.filter((proof) => !takesGrowth(proof)).length).toBeGreaterThan(near.length / 2);
    });
  });

  test('tlog makes the same tiles as Writ, at every step of growth', () => {
    const theirs = ask(STEPS.map(({ oldSize, size }) => ({ op: 'tiles', oldSize, size })));
    expect(theirs).toEqual(
      STEPS.map(({ tiles }) => ({ tiles: tiles.map(({ path, bytes }) => ({ path, bytes: base64(bytes) })) })),
    );
  });

  test('tlog names tiles as Writ does, far beyond the size of this log', () => {
    const tiles = [0, 1, 6].flatMap((level) =>
      [0, 999, 1_000, 1_234_067, 2 ** 53 - 1].flatMap((index) =>
        [1, 255, 256].map((width) => ({ level, index, width })),
      ),
    );
    expect(ask(tiles.map((tile) => ({ op: 'path', ...tile })))).toEqual(
      tiles.map(({ level, index, width }) => ({ path: tilePath(level, index, width) })),
    );
  });

  describe('a checkpoint', () => {
    const ORIGIN = 'log.example/one';
    const WITNESS = 'witness.example';
    const TIME = 1_679_315_147;
    const keys = {
      logKey: formatNoteKey(ORIGIN, LOG_SIGNER.publicKey),
      witnessKey: formatCosignerKey(WITNESS, OTHER_SIGNER.publicKey),
    };
    const checkpointOf = (size: number): string => {
      const text = formatCheckpoint({ origin: ORIGIN, treeSize: size, root: root(size) });
      return (
        signNote(text, { name: ORIGIN, signer: LOG_SIGNER }) +
        cosign(text, { name: WITNESS, signer: OTHER_SIGNER }, TIME)
      );
    };

    test('that Writ signed and cosigned is accepted by others, and no changed one is', () => {
      const opened = ask(
        SIZES.map((size) => ({ op: 'openCheckpoint', origin: ORIGIN, note: checkpointOf(size), ...keys })),
      );
      expect(opened.map(({ size = 0, ...rest }) => ({ size, ...rest }))).toEqual(
        ROOTS.map(([size, expected]) => ({ size, root: expected, time: TIME })),
      );
      const note = checkpointOf(256);
      const [signed = '', cosigned = ''] = note.split('\n').slice(-3);
      const changed = [
        note.replace('\n256\n', '\n257\n'),
        note.replace(cosigned, signed),
        note.replace(`${signed}\n`, ''),
        note.replace(`${cosigned}\n`, ''),
      ];
      expect(
        ask(changed.map((each) => ({ op: 'openCheckpoint', origin: ORIGIN, note: each, ...keys }))).map(
          ({ error }) => error !== undefined,
        ),
      ).toEqual(changed.map(() => true));
    });

    test('that others signed and cosigned is accepted by Writ, and no changed one is', () => {
      const theirs = ask(SIZES.map((size) => ({ op: 'signCheckpoint', origin: ORIGIN, size, root: root(size) })));
      for (const [i, { note = '', logKey = '', witnessKey = '' }] of theirs.entries()) {
        const log = parseNoteKey(logKey);
        const witness = parseCosignerKey(witnessKey);
        const { text, signedBy } = verifyNote(note, [log]);
        expect([parseCheckpoint(text), signedBy]).toEqual([
          { origin: ORIGIN, treeSize: SIZES[i], root: root(SIZES[i]!) },
          [log],
        ]);
        expect(verifyCosignatures(note, [witness])).toEqual([{ key: witness, time: expect.any(Number) as number }]);
        const other = note.replace(ORIGIN, 'log.example/two');
        expect(() => verifyNote(other, [log])).toThrow(SignatureError);
        expect(() => verifyCosignatures(other, [witness])).toThrow(SignatureError);
      }
    });
  });
});
