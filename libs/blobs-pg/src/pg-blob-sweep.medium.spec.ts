// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@writ/contract';
import { connect, createPool, inTenant, type LoginRole, type Pool } from '@writ/database';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { pgBlobSweep } from './pg-blob-sweep.ts';
import { pgBlobs } from './pg-blobs.ts';

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));
const BOB = formatId('tenant', new Uint8Array(16).fill(2));
const DAY_MS = 24 * 60 * 60 * 1000;

let database: TestDatabase;
let admin: Awaited<ReturnType<typeof connect>>;
let pools: Record<'writ_executor' | 'writ_kernel', Pool>;
const poolOf = (role: LoginRole): Pool => createPool({ url: database.urlFor(role), applicationName: 'spec', max: 8 });
beforeAll(async () => {
  database = await testDatabase();
  admin = await connect(database.ownerUrl, 'spec');
  pools = { writ_executor: poolOf('writ_executor'), writ_kernel: poolOf('writ_kernel') };
}, 120_000);
afterAll(async () => {
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
  await admin.end();
  await database.drop();
});
beforeEach(async () => {
  await admin.query('TRUNCATE blobs.blob, blobs.chunk');
});

const store = () => pgBlobs(pools.writ_executor);
const sweep = () => pgBlobSweep(pools.writ_kernel);
/** Makes all contents look as if their last put or lookup was three days ago. */
const age = async (): Promise<void> => {
  for (const table of ['blob', 'chunk'])
    await admin.query(`UPDATE blobs.${table} SET touched_at = now() - interval '3 days'`);
};
const since = (): number => Date.now() - DAY_MS;
const rowsOf = async (table: 'blob' | 'chunk'): Promise<number> =>
  Number((await admin.query<{ n: number }>(`SELECT count(*)::integer AS n FROM blobs.${table}`)).rows[0]?.n);
const text = (content: string): Buffer => Buffer.from(content);

describe('garbage collection of blobs', () => {
  it('lists one tenant’s blobs by page in the order of hashes, and deletes them with their parts', async () => {
    const refs = await store().putMany(ALICE, [text('a'), text('b'), text('c'), Buffer.alloc(2_500_000, 'long')]);
    await store().put(BOB, text('bob'));
    expect(await sweep().untouched(ALICE, since(), null, 10)).toEqual([]);
    await age();
    const sorted = refs.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
    const first = await sweep().untouched(ALICE, since(), null, 3);
    expect([...first, ...(await sweep().untouched(ALICE, since(), first.at(-1)!.sha256, 3))]).toEqual(sorted);
    const taken = await sweep().delete(
      ALICE,
      since(),
      refs.map(({ sha256 }) => sha256),
    );
    expect(taken.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1))).toEqual(sorted);
    expect([
      await sweep().deleteParts(ALICE, since(), 2),
      await sweep().deleteParts(ALICE, since(), 2),
      await rowsOf('chunk'),
      await rowsOf('blob'),
    ]).toEqual([2, 1, 0, 1]);
  });

  it('spares blobs that were put again or looked up since they were listed', async () => {
    const [put, told, left] = await store().putMany(ALICE, [text('put'), text('told'), text('left')]);
    const long = Buffer.alloc(1_500_000, 'long');
    const { sha256 } = await store().put(ALICE, long);
    await age();
    await store().put(ALICE, text('put'));
    await store().sizes(ALICE, [told!.sha256]);
    await store().put(ALICE, long);
    const all = [put!, told!, left!].map((ref) => ref.sha256);
    expect(await sweep().delete(ALICE, since(), [...all, sha256])).toEqual([left]);
    expect(await sweep().deleteParts(ALICE, since(), 10)).toBe(0);
    expect(Buffer.compare(Buffer.from(await store().get(ALICE, sha256)), long)).toBe(0);
  });

  it('spares blobs that may have been put or looked up since, although their time lags behind', async () => {
    const [lagging, left] = await store().putMany(ALICE, [text('lagging'), text('left')]);
    const from = Date.now() - DAY_MS;
    for (const [ref, minutes] of [
      [lagging!, 59],
      [left!, 61],
    ] as const)
      await admin.query('UPDATE blobs.blob SET touched_at = $2 WHERE sha256 = $1', [
        Buffer.from(ref.sha256, 'hex'),
        new Date(from - minutes * 60_000),
      ]);
    expect(await sweep().untouched(ALICE, from, null, 10)).toEqual([left]);
    expect(await sweep().delete(ALICE, from, [lagging!.sha256, left!.sha256])).toEqual([left]);
  });

  it('deletes parts of a broken upload, and the next put of the same bytes is complete', async () => {
    const bytes = Buffer.alloc(2_500_000, 'broken');
    const { sha256 } = await pgBlobs(pools.writ_kernel).put(BOB, bytes);
    const part = (n: number) =>
      pools.writ_executor.query('SELECT blobs.put_chunk($1, $2, $3, $4)', [
        ALICE,
        Buffer.from(sha256, 'hex'),
        n,
        bytes.subarray(n * 1_048_576, (n + 1) * 1_048_576),
      ]);
    await part(0);
    await age();
    await admin.query(`UPDATE blobs.chunk SET touched_at = now() WHERE tenant_id = '${BOB}'`);
    // The upload starts again while its old part is being checked.
    await part(0);
    expect(await sweep().deleteParts(ALICE, since(), 10)).toBe(0);
    await store().put(ALICE, bytes);
    expect(Buffer.compare(Buffer.from(await store().get(ALICE, sha256)), bytes)).toBe(0);
  });
});

describe('concurrent puts and sweeps', () => {
  it('keep every content whose put resolved or that a lookup found', async () => {
    const small = Array.from({ length: 60 }, (_, at) => text(`content ${at}`));
    const long = [Buffer.alloc(1_200_000, 'one'), Buffer.alloc(1_300_000, 'two')];
    const refs = await store().putMany(ALICE, [...small, ...long]);
    const hashes = refs.map(({ sha256 }) => sha256);
    for (let round = 0; round < 25; round += 1) {
      await age();
      const told = new Map<string, number>();
      const taken: string[] = [];
      await Promise.all([
        store().putMany(ALICE, small.slice(0, 30)),
        store().put(ALICE, long[round % 2]!),
        (async () => {
          for (const [sha256, size] of await store().sizes(ALICE, hashes.slice(30, 50))) told.set(sha256, size);
        })(),
        (async () => {
          for (const { sha256 } of await sweep().delete(ALICE, since(), hashes)) taken.push(sha256);
        })(),
        sweep().deleteParts(ALICE, since(), 1_000),
      ]);
      await sweep().deleteParts(ALICE, since(), 1_000);
      const named = [...hashes.slice(0, 30), hashes[60 + (round % 2)]!, ...told.keys()];
      // Reads every byte, and throws if one is missing.
      expect((await store().getMany(ALICE, named)).size).toBe(new Set(named).size);
      expect(taken.filter((sha256) => told.has(sha256))).toEqual([]);
      await store().putMany(ALICE, [...small, ...long]);
    }
  }, 120_000);
});

describe('the policies of the tables', () => {
  it('refuse to delete contents that were put or looked up within two hours, for any role and `since`', async () => {
    const { sha256 } = await store().put(ALICE, text('young'));
    await admin.query(`UPDATE blobs.blob SET touched_at = now() - interval '179 minutes'`);
    expect(await sweep().delete(ALICE, Date.now() + DAY_MS, [sha256])).toEqual([]);
    const takeAll = 'DELETE FROM blobs.blob';
    expect((await inTenant(pools.writ_kernel, ALICE, (client) => client.query(takeAll))).rowCount).toBe(0);
    await age();
    await expect(inTenant(pools.writ_executor, ALICE, (client) => client.query(takeAll))).rejects.toMatchObject({
      code: '42501',
    });
    expect((await inTenant(pools.writ_kernel, BOB, (client) => client.query(takeAll))).rowCount).toBe(0);
    expect(await rowsOf('blob')).toBe(1);
  });

  it('accept only the present as the time of a put or lookup', async () => {
    await store().put(ALICE, text('a'));
    const touch = (by: Pool, when: string) =>
      inTenant(by, ALICE, (client) => client.query(`UPDATE blobs.blob SET touched_at = ${when}`));
    for (const by of Object.values(pools))
      await expect(touch(by, `now() - interval '1 day'`)).rejects.toMatchObject({ code: '42501' });
    await touch(pools.writ_executor, 'now()');
  });
});
