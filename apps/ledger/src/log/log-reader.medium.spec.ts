// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type TenantId } from '@writ/contract';
import { encodeTile, leafHash, rootOf, verifyConsistency, verifyInclusion } from '@writ/merkle';
import { decodeBase64, encodeBase64, parseCheckpoint, verifyNote } from '@writ/signing';
import {
  newTenant,
  noteKey,
  payloadOf,
  record,
  TestLedger,
  type Replica,
  type SentRecord,
} from '../specs/test-ledger.ts';

let ledgers: TestLedger;
let ledger: Replica;
beforeAll(async () => {
  ledgers = await TestLedger.open();
  ledger = ledgers.replica('reader');
});
afterAll(() => ledgers.close());

/** Appends so many records to a new log, in batches of these sizes. */
async function logOf(...sizes: number[]): Promise<{ tenant_id: TenantId; sent: SentRecord[]; hashes: Uint8Array[] }> {
  const tenant_id = newTenant();
  const sent = sizes.flatMap((size) => Array.from({ length: size }, () => record(tenant_id)));
  let from = 0;
  for (const size of sizes) {
    const batch = sent.slice(from, (from += size));
    for (let at = 0; at < batch.length; at += 200) await ledger.append(batch.slice(at, at + 200));
  }
  return { tenant_id, sent, hashes: sent.map((one) => leafHash(payloadOf(one))) };
}

const faultOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'none',
    (error: unknown) => (error as { code: string }).code,
  );
const proofOf = (hashes: readonly string[]): Uint8Array[] => hashes.map((hash) => decodeBase64(hash));

describe('the log reader', () => {
  it('returns each tile at every width that the checkpoint covers, also at widths that were never written', async () => {
    const { tenant_id, hashes } = await logOf(3, 300);
    const tile = async (level: number, index: number, width: number) =>
      (await ledger.reader.tile({ v: 1, tenant_id, level, index, width })).hashes;
    for (const width of [1, 2, 3, 4, 255, 256])
      expect(await tile(0, 0, width)).toBe(encodeBase64(encodeTile(hashes.slice(0, width))));
    for (const width of [1, 47])
      expect(await tile(0, 1, width)).toBe(encodeBase64(encodeTile(hashes.slice(256, 256 + width))));
    expect(await tile(1, 0, 1)).toBe(encodeBase64(rootOf(hashes.slice(0, 256))));
    for (const [level, index, width] of [
      [0, 1, 48],
      [0, 1, 256],
      [0, 2, 1],
      [1, 0, 2],
      [1, 1, 1],
      [2, 0, 1],
      [63, 0, 1],
    ] as const) {
      expect([
        level,
        index,
        width,
        await faultOf(ledger.reader.tile({ v: 1, tenant_id, level, index, width })),
      ]).toEqual([level, index, width, 'not_found']);
    }
  });

  /**
   * Rewrites the rows of a batch as a version before migration 0014 wrote them: the whole partial tile as a row, and no
   * hashes with the root.
   */
  async function asBefore(tenant_id: TenantId, treeSize: number, hashes: readonly Uint8Array[]): Promise<void> {
    await ledgers.tamper([
      ['UPDATE ledger.root SET edge_hashes = NULL WHERE tenant_id = $1 AND tree_size = $2', [tenant_id, treeSize]],
      [
        'INSERT INTO ledger.tile (log_id, level, tile_index, width, tenant_id, hashes) VALUES ($1, 0, $2, $3, $4, $5)',
        [
          logIdOf(tenant_id),
          Math.floor(treeSize / 256),
          treeSize % 256,
          tenant_id,
          Buffer.from(encodeTile(hashes.slice(treeSize - (treeSize % 256), treeSize))),
        ],
      ],
    ]);
  }

  it.each([
    [[]],
    [[3]],
    [[7]],
    [[18]],
    [[3, 7]],
    [[7, 18]],
    [[3, 18]],
    [[12, 265]],
    [[265]],
    [[3, 7, 12, 18, 265, 267]],
  ])('reads and extends a log whose batches that ended at %j are of an earlier version', async (before) => {
    const { tenant_id, hashes } = await logOf(3, 4, 5, 6);
    for (const size of before.filter((size) => size < 256)) await asBefore(tenant_id, size, hashes);
    const all = async () => {
      const { tree_size } = await ledger.reader.inclusion({ v: 1, tenant_id, leaf_index: 0 });
      for (let width = 1; width <= Math.min(tree_size, 256); width++) {
        expect((await ledger.reader.tile({ v: 1, tenant_id, level: 0, index: 0, width })).hashes).toBe(
          encodeBase64(encodeTile(hashes.slice(0, width))),
        );
      }
      for (let width = 1; width <= tree_size - 256; width++) {
        expect((await ledger.reader.tile({ v: 1, tenant_id, level: 0, index: 1, width })).hashes).toBe(
          encodeBase64(encodeTile(hashes.slice(256, 256 + width))),
        );
      }
      for (let leaf_index = 0; leaf_index < tree_size; leaf_index += 5) {
        const { checkpoint, hashes: path } = await ledger.reader.inclusion({ v: 1, tenant_id, leaf_index });
        verifyInclusion(
          {
            leafHash: hashes[leaf_index] as Uint8Array,
            leafIndex: leaf_index,
            treeSize: tree_size,
            hashes: proofOf(path),
          },
          parseCheckpoint(verifyNote(checkpoint, [noteKey]).text).root,
        );
      }
      return tree_size;
    };
    expect(await all()).toBe(18);
    // With replicas that have nothing of the log cached.
    for (const [size, added] of [
      [18, 200],
      [218, 47],
      [265, 2],
    ] as const) {
      const sent = Array.from({ length: added }, () => record(tenant_id));
      const { appended } = await ledgers.replica(`goes-on-${tenant_id}-${String(size)}`).append(sent);
      expect(appended.map(({ leaf_index }) => leaf_index)).toEqual(sent.map((_, i) => size + i));
      hashes.push(...sent.map((one) => leafHash(payloadOf(one))));
      if (before.includes(size + added)) await asBefore(tenant_id, size + added, hashes);
    }
    expect(await all()).toBe(267);
  });

  it("returns no tile, and the ledger appends nothing, when a batch's hashes are missing", async () => {
    const { tenant_id } = await logOf(3, 4, 5);
    await ledgers.tamper([
      ['UPDATE ledger.root SET edge_hashes = NULL WHERE tenant_id = $1 AND tree_size = 7', [tenant_id]],
    ]);
    for (const width of [4, 8, 12])
      expect(await faultOf(ledger.reader.tile({ v: 1, tenant_id, level: 0, index: 0, width }))).toBe('ledger.diverged');
    await expect(ledger.reader.inclusion({ v: 1, tenant_id, leaf_index: 11 })).rejects.toThrow();
    await expect(ledgers.replica('hole').append([record(tenant_id)])).rejects.toThrow();
  });

  it('returns the records of a bundle, byte for byte, in answers that fit into a message', async () => {
    const tenant_id = newTenant();
    const sent = Array.from({ length: 60 }, () => record(tenant_id, { provenance: { text: 'x'.repeat(15_000) } }));
    for (let at = 0; at < sent.length; at += 20) await ledger.append(sent.slice(at, at + 20));
    const got: string[] = [];
    let answers = 0;
    while (got.length < 60) {
      const { entries } = await ledger.reader.entries({ v: 1, tenant_id, index: 0, width: 60, from: got.length });
      expect(entries.join('').length).toBeLessThan(900_000);
      got.push(...entries);
      answers += 1;
    }
    expect(answers).toBeGreaterThan(1);
    expect(got).toEqual(sent.map((one) => encodeBase64(payloadOf(one))));
    expect(await faultOf(ledger.reader.entries({ v: 1, tenant_id, index: 0, width: 61, from: 0 }))).toBe('not_found');
    expect(await faultOf(ledger.reader.entries({ v: 1, tenant_id, index: 0, width: 60, from: 60 }))).toBe('not_found');
  });

  it('returns the signature of every record that the checkpoint covers, and no other', async () => {
    const { tenant_id, sent } = await logOf(3, 257);
    const signatures = async (index: number, width: number) =>
      (await ledger.reader.signatures({ v: 1, tenant_id, index, width })).signatures;
    expect(await signatures(0, 256)).toEqual(sent.slice(0, 256).map(({ envelope }) => envelope.signatures[0]));
    expect(await signatures(1, 4)).toEqual(sent.slice(256).map(({ envelope }) => envelope.signatures[0]));
    for (const [index, width] of [
      [1, 5],
      [1, 256],
      [2, 1],
    ] as const) {
      expect([index, width, await faultOf(ledger.reader.signatures({ v: 1, tenant_id, index, width }))]).toEqual([
        index,
        width,
        'not_found',
      ]);
    }
  });

  it('proves every record towards its newest checkpoint', async () => {
    const { tenant_id, hashes } = await logOf(5, 259);
    for (const leaf_index of [0, 4, 5, 255, 256, 263]) {
      const { checkpoint, hashes: path, tree_size } = await ledger.reader.inclusion({ v: 1, tenant_id, leaf_index });
      const { root, treeSize } = parseCheckpoint(verifyNote(checkpoint, [noteKey]).text);
      expect([tree_size, treeSize]).toEqual([264, 264]);
      verifyInclusion(
        { leafHash: hashes[leaf_index] as Uint8Array, leafIndex: leaf_index, treeSize, hashes: proofOf(path) },
        root,
      );
    }
    expect(await faultOf(ledger.reader.inclusion({ v: 1, tenant_id, leaf_index: 264 }))).toBe('not_found');
  });

  it('proves consistency between every two sizes of a log', async () => {
    const { tenant_id, hashes } = await logOf(1, 6, 250, 300);
    const sizes = [1, 2, 7, 8, 255, 256, 257, 512, 557];
    for (const from of sizes) {
      for (const to of sizes.filter((size) => size >= from)) {
        const proof = await ledger.reader.consistency({ v: 1, tenant_id, from, to });
        verifyConsistency({
          oldSize: from,
          newSize: to,
          oldRoot: rootOf(hashes.slice(0, from)),
          newRoot: rootOf(hashes.slice(0, to)),
          hashes: proofOf(proof.hashes),
        });
      }
    }
    expect(await ledger.reader.consistency({ v: 1, tenant_id, from: 0, to: 557 })).toEqual({
      from: 0,
      to: 557,
      hashes: [],
    });
    expect(await faultOf(ledger.reader.consistency({ v: 1, tenant_id, from: 1, to: 558 }))).toBe('not_found');
    expect(await faultOf(ledger.reader.consistency({ v: 1, tenant_id, from: 2, to: 1 }))).toBe('request.malformed');
  });

  it('answers not_found for a tenant without records', async () => {
    const tenant_id = newTenant();
    expect(await faultOf(ledger.reader.tile({ v: 1, tenant_id, level: 0, index: 0, width: 1 }))).toBe('not_found');
    expect(await faultOf(ledger.reader.consistency({ v: 1, tenant_id, from: 0, to: 0 }))).toBe('not_found');
  });

  it('signs a root that a dead replica left unsigned', async () => {
    const { tenant_id } = await logOf(4);
    const owner = await ledgers.asOwner();
    // The state that a replica leaves that died between its COMMIT and its note.
    await owner.query('SET session_replication_role = replica');
    await owner.query('DELETE FROM ledger.checkpoint WHERE tenant_id = $1', [tenant_id]);
    expect((await ledger.reader.inclusion({ v: 1, tenant_id, leaf_index: 3 })).tree_size).toBe(4);
    await owner.end();
  });
});
