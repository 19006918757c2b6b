// SPDX-License-Identifier: Apache-2.0
import type { Inclusion, TenantId } from '@writ/contract';
import { leafHash, verifyInclusion } from '@writ/merkle';
import { decodeBase64, parseCheckpoint, verifyNote } from '@writ/signing';
import { newTenant, noteKey, payloadOf, record, TestLedger, type Replica, type Sent } from '../specs/test-ledger.ts';
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
async function grow(tenant_id: TenantId, sent: Sent[], by: number): Promise<void> {
  const more = Array.from({ length: by }, () => record(tenant_id));
  for (let at = 0; at < by; at += 200) await ledger.append(more.slice(at, at + 200));
  sent.push(...more);
  expect((await ledger.reader.inclusion({ v: 1, tenant_id, leaf_index: 0 })).tree_size).toBe(sent.length);
}

function verify(inclusion: Inclusion | null, sent: readonly Sent[]): void {
  expect(inclusion).not.toBeNull();
  const { leaf_index: leafIndex, hashes, checkpoint, tree_size } = inclusion as Inclusion;
  const { root, treeSize } = parseCheckpoint(verifyNote(checkpoint, [noteKey]).text);
  expect([treeSize, tree_size]).toEqual([sent.length, sent.length]);
  verifyInclusion({ leafHash: leafHash(payloadOf(sent[leafIndex] as Sent)), leafIndex, treeSize, hashes: hashes.map((hash) => decodeBase64(hash)) }, root);
}

/** Changes a table in a way that its triggers refuse: as somebody who owns the database. */
async function tamper(statement: string, tenant_id: TenantId): Promise<void> {
  const owner = await ledgers.asOwner();
  await owner.query('SET session_replication_role = replica');
  await owner.query(statement, [tenant_id]);
  await owner.end();
}

it('proves every leaf of a log that grows, with tiles that it remembers from when it was smaller', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as Sent[], proofsOf(ledger)];
  for (const by of [1, 1, 1, 4, 1, 247, 1, 1, 255, 300]) {
    await grow(tenant_id, sent, by);
    for (const leaf of new Set([0, 1, 2, 254, 255, 256, 257, 511, 512, sent.length - 1])) if (leaf < sent.length) verify(await proofs.find(tenant_id, leaf), sent);
    expect(await proofs.find(tenant_id, sent.length)).toBeNull();
  }
});

it('reads a full tile once', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as Sent[], proofsOf(ledger)];
  await grow(tenant_id, sent, 300);
  verify(await proofs.find(tenant_id, 7), sent);
  await tamper('DELETE FROM ledger.tile WHERE tenant_id = $1 AND level = 0 AND tile_index = 0', tenant_id);
  verify(await proofs.find(tenant_id, 200), sent);
  await expect(proofsOf(ledger).find(tenant_id, 200)).rejects.toThrow();
});

it('gives no proof out of a tile that does not lead to the signed root, and remembers none', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as Sent[], proofsOf(ledger)];
  await grow(tenant_id, sent, 300);
  const flip = 'UPDATE ledger.tile SET hashes = set_byte(hashes, 0, get_byte(hashes, 0) # 1) WHERE tenant_id = $1 AND level = 0 AND tile_index = 0 AND width = 256';
  await tamper(flip, tenant_id);
  expect(await proofs.find(tenant_id, 200)).toBeNull();
  await tamper(flip, tenant_id);
  verify(await proofs.find(tenant_id, 200), sent);
});

it('leaves a log to whoever signs where its newest root is not signed, or is not where this replica signed last', async () => {
  const [tenant_id, sent, proofs] = [newTenant(), [] as Sent[], proofsOf(ledger)];
  await grow(tenant_id, sent, 2);
  await grow(tenant_id, sent, 2);
  verify(await proofsOf(ledgers.replica('another')).find(tenant_id, 0), sent);
  await tamper('DELETE FROM ledger.checkpoint WHERE tenant_id = $1 AND tree_size = 4', tenant_id);
  expect(await proofs.find(tenant_id, 0)).toBeNull();
  await tamper('DELETE FROM ledger.root WHERE tenant_id = $1 AND tree_size = 4', tenant_id);
  expect(await proofs.find(tenant_id, 0)).toBeNull();
  expect(await proofs.find(newTenant(), 0)).toBeNull();
});
