// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type Inclusion, type TenantId } from '@writ/contract';
import { byteaArray, int2Array, int8Array } from '@writ/database';
import {
  appendLeaves,
  EMPTY_FRONTIER,
  encodeFrontier,
  encodeTile,
  growTiles,
  leafHash,
  rootOfFrontier,
  TILE_WIDTH,
  tilePath,
  verifyInclusion,
  type Frontier,
} from '@writ/merkle';
import { decodeBase64, parseCheckpoint, verifyNote } from '@writ/signing';
import {
  newTenant,
  noteKey,
  payloadOf,
  record,
  TestLedger,
  type Replica,
  type SentRecord,
} from '../specs/test-ledger.ts';
import { InclusionProofs } from './inclusion-proofs.ts';

let ledgers: TestLedger;
let ledger: Replica;
beforeAll(async () => {
  ledgers = await TestLedger.open();
  ledger = ledgers.replica('prover');
});
afterAll(() => ledgers.close());

const proofsOf = ({ memory }: Replica): InclusionProofs => new InclusionProofs(ledgers.pool, memory, 0);

/** Appends so many records and waits until the checkpoint over all of them is stored. */
async function grow(tenant_id: TenantId, sent: SentRecord[], by: number): Promise<void> {
  const more = Array.from({ length: by }, () => record(tenant_id));
  for (let at = 0; at < by; at += 200) await ledger.append(more.slice(at, at + 200));
  sent.push(...more);
  expect((await ledger.reader.inclusion({ v: 1, tenant_id, leaf_index: 0 })).tree_size).toBe(sent.length);
}

function verify(inclusion: Inclusion | null, sent: readonly SentRecord[]): void {
  expect(inclusion).not.toBeNull();
  const { leaf_index: leafIndex, hashes, checkpoint, tree_size } = inclusion as Inclusion;
  const { root, treeSize } = parseCheckpoint(verifyNote(checkpoint, [noteKey]).text);
  expect([treeSize, tree_size]).toEqual([sent.length, sent.length]);
  verifyInclusion(
    {
      leafHash: leafHash(payloadOf(sent[leafIndex] as SentRecord)),
      leafIndex,
      treeSize,
      hashes: hashes.map((hash) => decodeBase64(hash)),
    },
    root,
  );
}

it('every leaf of a growing log is proved, with tiles that were cached at smaller sizes', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as SentRecord[], proofsOf(ledger)];
  for (const by of [1, 1, 1, 4, 1, 247, 1, 1, 255, 300]) {
    await grow(tenant_id, sent, by);
    for (const leaf of new Set([0, 1, 2, 254, 255, 256, 257, 511, 512, sent.length - 1]))
      if (leaf < sent.length) verify(await proofs.find(tenant_id, leaf), sent);
    expect(await proofs.find(tenant_id, sent.length)).toBeNull();
  }
}, 240_000);

it('a full tile is read once', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as SentRecord[], proofsOf(ledger)];
  await grow(tenant_id, sent, 300);
  verify(await proofs.find(tenant_id, 7), sent);
  await ledgers.tamper([
    ['DELETE FROM ledger.tile WHERE tenant_id = $1 AND level = 0 AND tile_index = 0', [tenant_id]],
  ]);
  verify(await proofs.find(tenant_id, 200), sent);
  await expect(proofsOf(ledger).find(tenant_id, 200)).rejects.toThrow();
});

it('partial tiles are read once per size, and tampered ones give no proof', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as SentRecord[], proofsOf(ledger)];
  await grow(tenant_id, sent, 300);
  verify(await proofs.find(tenant_id, 299), sent);
  const flip =
    'UPDATE ledger.root SET edge_hashes = set_byte(edge_hashes, 0, get_byte(edge_hashes, 0) # 1) WHERE tenant_id = $1 AND tree_size = 300';
  await ledgers.tamper([[flip, [tenant_id]]]);
  for (const leaf of [299, 256, 7]) verify(await proofs.find(tenant_id, leaf), sent);
  const another = proofsOf(ledger);
  for (const leaf of [299, 7]) expect(await another.find(tenant_id, leaf)).toBeNull();
  await ledgers.tamper([[flip, [tenant_id]]]);
  for (const leaf of [299, 7]) verify(await another.find(tenant_id, leaf), sent);
  await grow(tenant_id, sent, 2);
  for (const leaf of [301, 299, 7]) verify(await proofs.find(tenant_id, leaf), sent);
});

it('a tampered full tile gives no proof and is not cached', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as SentRecord[], proofsOf(ledger)];
  await grow(tenant_id, sent, 300);
  const flip =
    'UPDATE ledger.tile SET hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) WHERE tenant_id = $1 AND level = 0 AND tile_index = 0 AND width = 256';
  await ledgers.tamper([[flip, [tenant_id]]]);
  expect(await proofs.find(tenant_id, 200)).toBeNull();
  await ledgers.tamper([[flip, [tenant_id]]]);
  verify(await proofs.find(tenant_id, 200), sent);
});

it('a log gives no proof when its newest root is unsigned or behind the root that this replica signed last', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as SentRecord[], proofsOf(ledger)];
  await grow(tenant_id, sent, 2);
  await grow(tenant_id, sent, 2);
  verify(await proofsOf(ledgers.replica('another')).find(tenant_id, 0), sent);
  await ledgers.tamper([['DELETE FROM ledger.checkpoint WHERE tenant_id = $1 AND tree_size = 4', [tenant_id]]]);
  expect(await proofs.find(tenant_id, 0)).toBeNull();
  await ledgers.tamper([['DELETE FROM ledger.root WHERE tenant_id = $1 AND tree_size = 4', [tenant_id]]]);
  expect(await proofs.find(tenant_id, 0)).toBeNull();
  expect(await proofs.find(newTenant(), 0)).toBeNull();
});

/** Grows a log to each size in turn, as batches of that many leaves would, without their records. */
async function* grownTo(
  tenant_id: TenantId,
  sizes: readonly number[],
  leaves: readonly Uint8Array[],
): AsyncGenerator<number> {
  const owner = await ledgers.asOwner();
  const widest = new Map<string, readonly Uint8Array[]>();
  let frontier: Frontier = EMPTY_FRONTIER;
  try {
    for (const size of sizes) {
      const added = leaves.slice(frontier.size, size);
      const grown = growTiles(frontier.size, added, (level, index) => widest.get(tilePath(level, index)) ?? []);
      for (const { level, index, hashes } of grown) widest.set(tilePath(level, index), hashes);
      const tiles = grown.filter(({ level, width }) => level > 0 || width === TILE_WIDTH);
      frontier = appendLeaves(frontier, added);
      await owner.query(
        'INSERT INTO ledger.tile (log_id, level, tile_index, width, tenant_id, hashes) SELECT $1, l, i, w, $2, h FROM unnest($3::smallint[], $4::bigint[], $5::smallint[], $6::bytea[]) AS x (l, i, w, h)',
        [
          logIdOf(tenant_id),
          tenant_id,
          int2Array(tiles.map((t) => t.level)),
          int8Array(tiles.map((t) => t.index)),
          int2Array(tiles.map((t) => t.width)),
          byteaArray(tiles.map((t) => encodeTile(t.hashes))),
        ],
      );
      await owner.query(
        'INSERT INTO ledger.root (log_id, tree_size, tenant_id, root, frontier, edge_hashes) VALUES ($1, $2, $3, $4, $5, $6)',
        [
          logIdOf(tenant_id),
          size,
          tenant_id,
          Buffer.from(rootOfFrontier(frontier)),
          Buffer.from(encodeFrontier(frontier)),
          Buffer.from(encodeTile(added.slice(Math.max(0, added.length - (size % TILE_WIDTH))))),
        ],
      );
      yield size;
    }
  } finally {
    await owner.end();
  }
}

it('leaves at tile boundaries are proved in logs of every boundary size', async () => {
  const [tenant_id, proofs] = [newTenant(), proofsOf(ledger)];
  const leaves = Array.from({ length: 100_000 }, (_, i) => leafHash(Buffer.from(String(i))));
  for await (const treeSize of grownTo(
    tenant_id,
    [1, 2, 3, 7, 8, 255, 256, 257, 65_535, 65_536, 65_537, 100_000],
    leaves,
  )) {
    // The first request makes the ledger sign the root.
    expect((await ledger.reader.inclusion({ v: 1, tenant_id, leaf_index: 0 })).tree_size).toBe(treeSize);
    const seams = [0, 256, 512, 65_280, 65_536, treeSize]
      .flatMap((seam) => [seam - 1, seam, seam + 1])
      .filter((leaf) => leaf >= 0 && leaf < treeSize);
    for (const leafIndex of new Set(seams)) {
      const { hashes, checkpoint } = (await proofs.find(tenant_id, leafIndex)) as Inclusion;
      const { root, treeSize: size } = parseCheckpoint(verifyNote(checkpoint, [noteKey]).text);
      expect([leafIndex, size]).toEqual([leafIndex, treeSize]);
      verifyInclusion(
        { leafHash: leaves[leafIndex]!, leafIndex, treeSize, hashes: hashes.map((hash) => decodeBase64(hash)) },
        root,
      );
    }
  }
}, 240_000);
