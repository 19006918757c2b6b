// SPDX-License-Identifier: Apache-2.0
import type { ExportReply, TenantId } from '@writ/contract';
import { leafHash, verifyInclusion } from '@writ/merkle';
import { decodeBase64, parseCheckpoint, verifyNote } from '@writ/signing';
import { newTenant, noteKey, record, TestLedger, type Replica, type SentRecord } from '../specs/test-ledger.ts';

let ledgers: TestLedger;
let ledger: Replica;
beforeAll(async () => {
  ledgers = await TestLedger.open();
  ledger = ledgers.replica('exporter');
});
afterAll(() => ledgers.close());

async function logOf(count: number, text = ''): Promise<{ tenant_id: TenantId; sent: SentRecord[] }> {
  const tenant_id = newTenant();
  const sent = Array.from({ length: count }, () => record(tenant_id, { provenance: { text } }));
  await append(tenant_id, sent);
  return { tenant_id, sent };
}

/** Appends to a log and waits until its checkpoint is stored, which is shortly after the append is answered. */
async function append(tenant_id: TenantId, sent: SentRecord[], before = 0): Promise<void> {
  for (let at = 0; at < sent.length; at += 20) await ledger.append(sent.slice(at, at + 20));
  const size = before + sent.length;
  while ((await page(tenant_id, { from: size })).newest_size < size) await new Promise(setImmediate);
}
const page = (tenant_id: TenantId, over: object = {}) =>
  ledger.pages.read({ v: 1, tenant_id, from: 0, limit: 256, tree_size: null, ...over });
const faultOf = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'none',
    (error: unknown) => (error as { code: string }).code,
  );

/** Verifies each record of a page as an outside verifier would, and returns their envelopes. */
function verified({ checkpoint, tree_size, records }: ExportReply) {
  const { root, treeSize } = parseCheckpoint(verifyNote(checkpoint, [noteKey]).text);
  expect(treeSize).toBe(tree_size);
  for (const { leaf_index, envelope, hashes } of records) {
    verifyInclusion(
      {
        leafHash: leafHash(decodeBase64(envelope.payload)),
        leafIndex: leaf_index,
        treeSize,
        hashes: hashes.map((hash) => decodeBase64(hash)),
      },
      root,
    );
  }
  return records.map(({ envelope }) => envelope);
}

it('an export has every record in log order, each proved towards the newest checkpoint, across tiles and pages', async () => {
  const { tenant_id, sent } = await logOf(300, 'x'.repeat(4_000));
  const got: unknown[] = [];
  let pages = 0;
  for (let reply; got.length < 300; pages += 1) {
    reply = await page(tenant_id, { from: got.length });
    expect(JSON.stringify(reply).length).toBeLessThan(1_000_000);
    expect([reply.newest_size, reply.tree_size, reply.records[0]?.leaf_index]).toEqual([300, 300, got.length]);
    got.push(...verified(reply));
  }
  expect(pages).toBeGreaterThan(2);
  expect(got).toEqual(sent.map(({ envelope }) => envelope));
  expect(await page(tenant_id, { from: 300 })).toMatchObject({ newest_size: 300, records: [] });
  expect((await page(tenant_id, { from: 298, limit: 1 })).records).toHaveLength(1);
});

it('an export towards an earlier checkpoint proves its records and has none beyond it', async () => {
  const { tenant_id, sent } = await logOf(40);
  await append(
    tenant_id,
    Array.from({ length: 10 }, () => record(tenant_id)),
    40,
  );
  const early = await page(tenant_id, { tree_size: 40, from: 30 });
  expect([early.newest_size, early.tree_size, verified(early)]).toEqual([
    50,
    40,
    sent.slice(30, 40).map(({ envelope }) => envelope),
  ]);
  expect(await page(tenant_id, { tree_size: 40, from: 45 })).toMatchObject({ records: [] });
  expect(await faultOf(page(tenant_id, { tree_size: 39 }))).toBe('not_found');
  expect(await faultOf(page(tenant_id, { tree_size: 51 }))).toBe('not_found');
});

it("an export shows no other tenant's records, and is not found for a tenant without records", async () => {
  const [mine, theirs] = [await logOf(2), await logOf(5)];
  expect(verified(await page(mine.tenant_id))).toEqual(mine.sent.map(({ envelope }) => envelope));
  expect((await page(theirs.tenant_id)).newest_size).toBe(5);
  expect(await faultOf(page(newTenant()))).toBe('not_found');
});

it('an export signs a root that a dead replica left unsigned', async () => {
  const { tenant_id } = await logOf(4);
  const owner = await ledgers.asOwner();
  await owner.query('SET session_replication_role = replica');
  await owner.query('DELETE FROM ledger.checkpoint WHERE tenant_id = $1', [tenant_id]);
  expect(verified(await page(tenant_id))).toHaveLength(4);
  await owner.end();
});
