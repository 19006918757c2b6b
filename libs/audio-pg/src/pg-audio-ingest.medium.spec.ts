// SPDX-License-Identifier: Apache-2.0
import { AudioIngest, type AudioFrame, type DeviceId as Id } from '@writ/audio';
import { audioIngestContract } from '@writ/audio/contract';
import { formatId } from '@writ/contract';
import { connect, createPool, inTenant, type LoginRole, type Pool } from '@writ/database';
import { testDatabase, type TestDatabase } from '@writ/testing';
import { audioSql } from './functions.ts';
import { pgAudioIngest } from './pg-audio-ingest.ts';

const ALICE = formatId('tenant', new Uint8Array(16).fill(1));
const BOB = formatId('tenant', new Uint8Array(16).fill(2));
const DEVICE = formatId('resource', new Uint8Array(16).fill(200));
const T0 = 1_800_000_000_000;
const OPTIONS = { retention: { bytesMax: 640_000, ageMsMax: 3_600_000 }, nowMs: T0 + 60_000, key: Buffer.alloc(32, 7) };
const frame = (seq: number): AudioFrame => ({
  seq,
  startMs: T0 + seq * 1_000,
  pcm: new Uint8Array(32_000).fill(seq + 1),
});

const pooled = (database: TestDatabase, role: LoginRole): Pool =>
  createPool({ url: database.urlFor(role), applicationName: 'spec', max: 3 });

/** Each method with the role of the process that calls it. */
class OfEachProcess extends AudioIngest {
  readonly #parts: Readonly<Record<'orchestrator' | 'executor' | 'kernel', AudioIngest>>;
  constructor(parts: Readonly<Record<'orchestrator' | 'executor' | 'kernel', AudioIngest>>) {
    super();
    this.#parts = parts;
  }
  open: AudioIngest['open'] = (...args) => this.#parts.kernel.open(...args);
  append: AudioIngest['append'] = (...args) => this.#parts.orchestrator.append(...args);
  read: AudioIngest['read'] = (...args) => this.#parts.executor.read(...args);
  newestMs: AudioIngest['newestMs'] = (...args) => this.#parts.executor.newestMs(...args);
  last: AudioIngest['last'] = (...args) => this.#parts.executor.last(...args);
  since: AudioIngest['since'] = (...args) => this.#parts.executor.since(...args);
  state: AudioIngest['state'] = (...args) => this.#parts.orchestrator.state(...args);
  expire: AudioIngest['expire'] = (...args) => this.#parts.kernel.expire(...args);
  forget: AudioIngest['forget'] = (...args) => this.#parts.kernel.forget(...args);
}

audioIngestContract('Postgres', async () => {
  const database = await testDatabase();
  const pools = (['writ_orchestrator', 'writ_executor', 'writ_kernel'] as const).map((role) => pooled(database, role));
  const [orchestrator, executor, kernel] = pools.map(pgAudioIngest) as [AudioIngest, AudioIngest, AudioIngest];
  return {
    ingest: new OfEachProcess({ orchestrator, executor, kernel }),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await database.drop();
    },
  };
});

describe('the tables of recordings', () => {
  let database: TestDatabase;
  let pools: Record<'writ_orchestrator' | 'writ_executor' | 'writ_kernel' | 'writ_ledger', Pool>;
  beforeAll(async () => {
    database = await testDatabase();
    pools = {
      writ_orchestrator: pooled(database, 'writ_orchestrator'),
      writ_executor: pooled(database, 'writ_executor'),
      writ_kernel: pooled(database, 'writ_kernel'),
      writ_ledger: pooled(database, 'writ_ledger'),
    };
    await pgAudioIngest(pools.writ_kernel).open(ALICE, DEVICE, OPTIONS.retention);
    await pgAudioIngest(pools.writ_orchestrator).append(ALICE, DEVICE, [frame(0)], OPTIONS);
  });
  afterAll(async () => {
    await Promise.all(Object.values(pools).map((pool) => pool.end()));
    await database.drop();
  });

  it.each<[keyof typeof pools, string]>([
    ['writ_orchestrator', `UPDATE audio.ingest_segment SET sealed = ''`],
    ['writ_orchestrator', 'DELETE FROM audio.ingest_device'],
    ['writ_orchestrator', `SELECT audio.open('${ALICE}', '${DEVICE}', 1)`],
    ['writ_orchestrator', `SELECT audio.sealed_segments('${ALICE}', '${DEVICE}', 0, 1, 0, 0, 0)`],
    ['writ_orchestrator', 'TRUNCATE audio.ingest_segment'],
    ['writ_executor', 'DELETE FROM audio.ingest_segment'],
    ['writ_executor', 'UPDATE audio.ingest_device SET bytes = 0'],
    ['writ_executor', `SELECT audio.append('${ALICE}', '${DEVICE}', '{}', '{}', '{}', '{}', '', 0, 0, 0)`],
    ['writ_kernel', `UPDATE audio.ingest_segment SET sealed = ''`],
    ['writ_kernel', 'UPDATE audio.ingest_device SET next_seq = 0'],
    ['writ_ledger', 'SELECT 1 FROM audio.ingest_segment'],
  ])('refuse %s: %s', async (role, statement) => {
    await expect(inTenant(pools[role], ALICE, (client) => client.query(statement))).rejects.toMatchObject({
      code: '42501',
    });
  });

  it.each(['ingest_device', 'ingest_segment'])('show a connection without a tenant no row of %s', async (table) => {
    for (const role of ['writ_orchestrator', 'writ_executor', 'writ_kernel'] as const) {
      expect((await pools[role].query(`SELECT 1 FROM audio.${table}`)).rowCount).toBe(0);
      const other = await inTenant(pools[role], BOB, (client) => client.query(`SELECT 1 FROM audio.${table}`));
      expect(other.rowCount).toBe(0);
    }
  });

  it('accept no row of another tenant', async () => {
    const insert = `INSERT INTO audio.ingest_device VALUES ('${BOB}', 'x', 0, 0, 0, 1)`;
    await expect(inTenant(pools.writ_kernel, ALICE, (client) => client.query(insert))).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('count the bytes of a device as its frames have them, whatever was removed', async () => {
    const device = formatId('resource', new Uint8Array(16).fill(201));
    const ingest = pgAudioIngest(pools.writ_orchestrator);
    await pgAudioIngest(pools.writ_kernel).open(ALICE, device, OPTIONS.retention);
    for (let seq = 0; seq < 40; seq += 4)
      await ingest.append(ALICE, device, [frame(seq), frame(seq + 1), frame(seq + 3)], OPTIONS);
    await pgAudioIngest(pools.writ_kernel).expire(ALICE, device, T0 + 30_000);
    const admin = await connect(database.ownerUrl, 'spec');
    const { rows } = await admin.query(
      `SELECT d.bytes::int AS counted, (SELECT sum(octet_length(s.sealed) - 28)::int FROM audio.ingest_segment s WHERE s.device_id = d.device_id) AS there
       FROM audio.ingest_device d WHERE d.device_id = $1`,
      [device],
    );
    await admin.end();
    const [{ counted, there }] = rows as [{ counted: number; there: number }];
    expect(counted).toBe(there);
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThanOrEqual(OPTIONS.retention.bytesMax);
  });

  it('give no window more bytes than a window can have, whatever lies in them', async () => {
    const device = formatId('resource', new Uint8Array(16).fill(204));
    const executor = pgAudioIngest(pools.writ_executor);
    await pgAudioIngest(pools.writ_kernel).open(ALICE, device, OPTIONS.retention);
    const admin = await connect(database.ownerUrl, 'spec');
    // Ten seconds each, all at one moment. No append stores such frames.
    await admin.query(
      `INSERT INTO audio.ingest_segment
       SELECT $1, $2, n, $3::bigint, $3::bigint + 10000, decode(repeat('00', 320028), 'hex') FROM generate_series(0, 129) AS n`,
      [ALICE, device, T0],
    );
    const of = async (most: number): Promise<readonly number[]> =>
      (
        await audioSql.sealedSegments(pools.writ_executor, {
          tenant: ALICE,
          device,
          from_ms: T0,
          to_ms: T0 + 1,
          from_seq: 0,
          since: 0,
          most,
        })
      ).map(({ seq }) => seq);
    expect([await of(640_000), await of(639_999), await of(319_999)]).toEqual([[0, 1, 2], [0, 1], [0]]);
    await expect(executor.read(ALICE, device, { fromMs: T0, toMs: T0 + 1 }, OPTIONS)).rejects.toMatchObject({
      code: 'blob.corrupt',
      message: expect.stringContaining('39040000') as string,
    });
    // The end of the newest frame is no sample.
    expect(await executor.newestMs(ALICE, device, OPTIONS)).toBe(T0 + 10_000);
    await admin.end();
  });

  it('hold no sample in clear, and what is sealed opens for its own frame and key alone', async () => {
    const [device, other] = [202, 203].map((n) => formatId('resource', new Uint8Array(16).fill(n))) as [Id, Id];
    const [kernel, executor] = [pgAudioIngest(pools.writ_kernel), pgAudioIngest(pools.writ_executor)];
    for (const each of [device, other]) await kernel.open(ALICE, each, OPTIONS.retention);
    const speech = { ...frame(0), pcm: Buffer.from('this is what somebody said '.repeat(100)) };
    await pgAudioIngest(pools.writ_orchestrator).append(ALICE, device, [speech, frame(1)], OPTIONS);
    const admin = await connect(database.ownerUrl, 'spec');
    const { rows } = await admin.query<{ sealed: Buffer }>(
      'SELECT sealed FROM audio.ingest_segment WHERE device_id = $1 ORDER BY seq',
      [device],
    );
    expect(rows.map(({ sealed }) => sealed.length)).toEqual([speech.pcm.length + 28, 32_028]);
    expect(rows[0]?.sealed.includes('somebody')).toBe(false);
    expect(Buffer.from((await executor.last(ALICE, device, 2_000, OPTIONS))?.pcm ?? []).includes('somebody')).toBe(
      true,
    );
    const wrongKey = { ...OPTIONS, key: Buffer.alloc(32, 8) };
    await expect(executor.last(ALICE, device, 2_000, wrongKey)).rejects.toMatchObject({ code: 'blob.corrupt' });
    // A row that somebody moved to another device, or to another number, is no audio of it.
    await admin.query(
      'INSERT INTO audio.ingest_segment SELECT tenant_id, $2, seq, start_ms, end_ms, sealed FROM audio.ingest_segment WHERE device_id = $1',
      [device, other],
    );
    await expect(executor.last(ALICE, other, 2_000, OPTIONS)).rejects.toMatchObject({ code: 'blob.corrupt' });
    await admin.query('UPDATE audio.ingest_segment SET seq = seq + 10 WHERE device_id = $1', [device]);
    await expect(executor.last(ALICE, device, 2_000, OPTIONS)).rejects.toMatchObject({ code: 'blob.corrupt' });
    await admin.end();
  });
});
