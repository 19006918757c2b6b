// SPDX-License-Identifier: Apache-2.0
import { logIdOf, type TenantId } from '@writ/contract';
import { connect, inTransaction } from '@writ/database';
import { leafHash, rootOf, verifyInclusion } from '@writ/merkle';
import { decodeBase64, parseCheckpoint, verifyNote } from '@writ/signing';
import {
  kernel,
  newSigner,
  newTenant,
  noteKey,
  operationOf,
  payloadOf,
  record,
  TestLedger,
  type Replica,
  type SentRecord,
} from '../specs/test-ledger.ts';

describe('the ledger on a real database', () => {
  let ledgers: TestLedger;
  const replica = (name: string): Replica => ledgers.replica(name);
  beforeAll(async () => {
    ledgers = await TestLedger.open();
  });
  afterAll(() => ledgers.close());

  async function verifyReceipts(ledger: Replica, tenant: TenantId, sent: SentRecord[]): Promise<void> {
    for (const one of sent) {
      const { inclusion, envelope } = await ledger.receipts.of({
        v: 1,
        tenant_id: tenant,
        operation_id: operationOf(one),
        phase: null,
      });
      expect(envelope).toEqual(one.envelope);
      const { text } = verifyNote(inclusion.checkpoint, [noteKey]);
      const checkpoint = parseCheckpoint(text);
      expect(checkpoint).toMatchObject({ origin: `writ.test/${logIdOf(tenant)}`, treeSize: inclusion.tree_size });
      verifyInclusion(
        {
          leafHash: leafHash(payloadOf(one)),
          leafIndex: inclusion.leaf_index,
          treeSize: inclusion.tree_size,
          hashes: inclusion.hashes.map((hash) => decodeBase64(hash)),
        },
        checkpoint.root,
      );
    }
  }

  it('gives each record a consecutive index and a receipt that verifies, across tiles', async () => {
    const ledger = replica('a');
    const tenant = newTenant();
    const sent = Array.from({ length: 300 }, () => record(tenant));
    const first = await ledger.append(sent.slice(0, 3));
    expect(first.appended.map((a) => a.leaf_index)).toEqual([0, 1, 2]);
    await Promise.all([ledger.append(sent.slice(3, 150)), ledger.append(sent.slice(150, 300))]);
    await verifyReceipts(ledger, tenant, [...sent.slice(0, 4), ...sent.slice(254, 259), ...sent.slice(-2)]);
    const { rows } = await rowsAsOwner(
      `SELECT leaf_index, payload FROM ledger.leaf WHERE tenant_id = '${tenant}' ORDER BY leaf_index`,
    );
    expect(rows.map((row) => row.leaf_index)).toEqual(Array.from({ length: 300 }, (_, i) => i));
    const roots = await rowsAsOwner(
      `SELECT root FROM ledger.root WHERE tenant_id = '${tenant}' ORDER BY tree_size DESC LIMIT 1`,
    );
    expect(Buffer.from(rootOf(rows.map((row) => leafHash(row.payload as Buffer))))).toEqual(roots.rows[0]!.root);
  });

  it('appends a record once, however often and to whichever replica it is sent', async () => {
    const [a, b] = [replica('once-a'), replica('once-b')];
    const tenant = newTenant();
    const sent = Array.from({ length: 40 }, () => record(tenant));
    const replies = await Promise.all([
      a.append(sent),
      b.append(sent),
      a.append([...sent, ...sent]),
      b.append(sent.slice(20)),
    ]);
    const index = new Map(replies[0].appended.map((x) => [x.record_id, x.leaf_index]));
    for (const reply of replies) for (const x of reply.appended) expect(x.leaf_index).toBe(index.get(x.record_id));
    expect([...index.values()].sort((x, y) => Number(x) - Number(y))).toEqual(Array.from({ length: 40 }, (_, i) => i));
    await verifyReceipts(b, tenant, sent.slice(0, 3));
  });

  it('keeps indices consecutive when two replicas append to the same logs at once', async () => {
    const [a, b] = [replica('two-a'), replica('two-b')];
    const tenants = [newTenant(), newTenant(), newTenant()];
    await Promise.all(
      Array.from({ length: 24 }, (_, i) => (i % 2 ? a : b).append(tenants.flatMap((t) => [record(t), record(t)]))),
    );
    for (const tenant of tenants) {
      const { rows } = await rowsAsOwner(
        `SELECT count(*)::int AS n, max(leaf_index)::int AS last FROM ledger.leaf WHERE tenant_id = '${tenant}'`,
      );
      expect(rows[0]).toEqual({ n: 48, last: 47 });
    }
  });

  it('refuses records that the kernel did not sign or that name another tenant, and appends the others', async () => {
    const ledger = replica('bad');
    const tenant = newTenant();
    const good = record(tenant);
    const forged = record(tenant, {}, newSigner());
    const foreign = { ...record(newTenant()), tenant_id: tenant };
    const huge = record(tenant, { provenance: { source: 'x'.repeat(17_000) } });
    const underItsName = record(tenant, {}, { ...newSigner(), keyid: kernel.keyid });
    const { appended } = await ledger.append([forged, good, foreign, huge, underItsName]);
    expect(appended.map((a) => a.leaf_index)).toEqual([null, 0, null, null, null]);
    expect(appended.map((a) => a.fault !== null)).toEqual([true, false, true, true, true]);
  });

  it('signs a committed root without a checkpoint at the next request', async () => {
    const ledger = replica('unsigned');
    const tenant = newTenant();
    const sent = [record(tenant), record(tenant)];
    await ledger.append(sent);
    await asOwner(
      `ALTER TABLE ledger.checkpoint DISABLE TRIGGER USER; DELETE FROM ledger.checkpoint WHERE tenant_id = '${tenant}'; ALTER TABLE ledger.checkpoint ENABLE TRIGGER USER`,
    );
    await verifyReceipts(ledger, tenant, sent);
  });

  it('appends nothing to a database that is behind the last signed root', async () => {
    const ledger = replica('behind');
    const tenant = newTenant();
    await ledger.append([record(tenant)]);
    await ledger.append([record(tenant)]);
    await asOwner(
      ['checkpoint', 'root', 'tile', 'leaf']
        .map(
          (t) =>
            `ALTER TABLE ledger.${t} DISABLE TRIGGER USER; DELETE FROM ledger.${t} WHERE tenant_id = '${tenant}' AND ${t === 'leaf' ? 'leaf_index > 0' : t === 'tile' ? 'width > 1' : 'tree_size > 1'}; ALTER TABLE ledger.${t} ENABLE TRIGGER USER`,
        )
        .join(';'),
    );
    await expect(ledger.append([record(tenant)])).rejects.toMatchObject({ code: 'ledger.diverged' });
    await ledger.memory.close();
    await expect(replica('behind').append([record(tenant)])).rejects.toMatchObject({ code: 'ledger.diverged' });
  });

  it('makes receipts for more requests than it has connections, while their root is not signed yet', async () => {
    const ledger = replica('crowd');
    const tenant = newTenant();
    const sent = record(tenant);
    await ledger.append([sent]);
    await asOwner(
      `ALTER TABLE ledger.checkpoint DISABLE TRIGGER USER; DELETE FROM ledger.checkpoint WHERE tenant_id = '${tenant}'; ALTER TABLE ledger.checkpoint ENABLE TRIGGER USER`,
    );
    const request = { v: 1 as const, tenant_id: tenant, operation_id: operationOf(sent), phase: null };
    const receipts = await Promise.all(Array.from({ length: 40 }, () => ledger.receipts.of(request)));
    expect(new Set(receipts.map(({ inclusion }) => inclusion.checkpoint)).size).toBe(1);
  });

  it('signs no receipt for a root behind the last signed one, also when nothing is appended', async () => {
    const ledger = replica('receipt-behind');
    const tenant = newTenant();
    const first = record(tenant);
    await ledger.append([first]);
    await ledger.append([record(tenant)]);
    await asOwner(
      ['checkpoint', 'root', 'tile', 'leaf']
        .map(
          (t) =>
            `ALTER TABLE ledger.${t} DISABLE TRIGGER USER; DELETE FROM ledger.${t} WHERE tenant_id = '${tenant}' AND ${t === 'leaf' ? 'leaf_index > 0' : t === 'tile' ? 'width > 1' : t === 'root' ? 'tree_size > 1' : 'true'}; ALTER TABLE ledger.${t} ENABLE TRIGGER USER`,
        )
        .join(';'),
    );
    await expect(
      ledger.receipts.of({ v: 1, tenant_id: tenant, operation_id: operationOf(first), phase: null }),
    ).rejects.toMatchObject({ code: 'ledger.diverged' });
  });

  it('appends to good logs when a diverged log is in the same batch', async () => {
    const ledger = replica('beside-diverged');
    const [bad, good] = [newTenant(), newTenant()];
    await ledger.append([record(bad)]);
    await asOwner(
      ['checkpoint', 'root', 'tile', 'leaf']
        .map(
          (t) =>
            `ALTER TABLE ledger.${t} DISABLE TRIGGER USER; DELETE FROM ledger.${t} WHERE tenant_id = '${bad}'; ALTER TABLE ledger.${t} ENABLE TRIGGER USER`,
        )
        .join(';'),
    );
    const settled = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => ledger.append([record(i % 2 ? good : bad)])),
    );
    expect(settled.map(({ status }) => status)).toEqual(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? 'fulfilled' : 'rejected')),
    );
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'ledger.diverged' });
    const { rows } = await rowsAsOwner(`SELECT count(*)::int AS n FROM ledger.leaf WHERE tenant_id = '${good}'`);
    expect(rows[0]).toEqual({ n: 6 });
  });

  it('appends for a thousand tenants, and a transaction sees only the tenants that it names', async () => {
    const ledger = replica('many');
    const tenants = Array.from({ length: 1_000 }, newTenant);
    const replies = await Promise.all(
      [0, 200, 400, 600, 800].map((first) =>
        ledger.append(tenants.slice(first, first + 200).map((tenant) => record(tenant))),
      ),
    );
    expect(replies.flatMap(({ appended }) => appended.map(({ leaf_index }) => leaf_index))).toEqual(
      tenants.map(() => 0),
    );
    const visibleLeaves = (naming: string): Promise<number> =>
      inTransaction(ledgers.pool, async (client) => {
        await client.query(naming);
        const { rows } = await client.query<{ n: number }>(
          'SELECT count(*)::int AS n FROM ledger.leaf WHERE tenant_id = ANY ($1)',
          [tenants],
        );
        return rows[0]?.n ?? 0;
      });
    expect(await visibleLeaves('SELECT 1')).toBe(0);
    expect(await visibleLeaves(`SELECT set_config('writ.tenant_id', '${tenants[0]}', true)`)).toBe(1);
    expect(
      await visibleLeaves(`SELECT set_config('writ.tenant_ids', '${tenants.slice(0, 500).join(',')}', true)`),
    ).toBe(500);
    const root = (naming: string) =>
      inTransaction(ledgers.pool, async (client) => {
        await client.query(naming);
        await client.query(
          'INSERT INTO ledger.root SELECT log_id, 7, tenant_id, root, frontier FROM unnest($1::text[], $2::text[], $3::bytea[], $3::bytea[]) AS r(log_id, tenant_id, root, frontier)',
          [[logIdOf(tenants[0] as TenantId)], [tenants[0]], [Buffer.alloc(32)]],
        );
      });
    await expect(root(`SELECT set_config('writ.tenant_ids', '${tenants.slice(1).join(',')}', true)`)).rejects.toThrow(
      'row-level security',
    );
  });

  it('has a role that can insert and select, nothing else', async () => {
    const ledger = replica('roles');
    const tenant = newTenant();
    await ledger.append([record(tenant)]);
    for (const table of ['leaf', 'tile', 'root', 'checkpoint']) {
      await expect(ledgers.pool.query(`UPDATE ledger.${table} SET tenant_id = tenant_id`)).rejects.toThrow(
        'permission denied',
      );
      await expect(ledgers.pool.query(`DELETE FROM ledger.${table}`)).rejects.toThrow('permission denied');
      await expect(ledgers.pool.query(`TRUNCATE ledger.${table}`)).rejects.toThrow('permission denied');
      expect((await ledgers.pool.query(`SELECT 1 FROM ledger.${table}`)).rowCount).toBe(0);
      await expect(asOwner(`UPDATE ledger.${table} SET tenant_id = tenant_id`)).rejects.toThrow('append-only');
      await expect(asOwner(`TRUNCATE ledger.${table} CASCADE`)).rejects.toThrow('append-only');
    }
  });

  it("shows a tenant no other tenant's receipts", async () => {
    const ledger = replica('tenants');
    const sent = record(newTenant());
    await ledger.append([sent]);
    await expect(
      ledger.receipts.of({ v: 1, tenant_id: newTenant(), operation_id: operationOf(sent), phase: null }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  async function rowsAsOwner(sql: string): Promise<{ rows: Record<string, unknown>[] }> {
    const client = await connect(ledgers.database.ownerUrl, 'ledger-spec-owner');
    try {
      return await client.query(sql);
    } finally {
      await client.end();
    }
  }
  const asOwner = async (sql: string): Promise<void> => {
    await rowsAsOwner(sql);
  };
});
