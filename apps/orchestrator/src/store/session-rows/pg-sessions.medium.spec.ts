// SPDX-License-Identifier: Apache-2.0
import { inTenant } from '@writ/database';
import { newId } from '@writ/nest-kit';
import { runWorkContract } from './run-work.contract.ts';
import { sessionsContract } from './sessions.contract.ts';
import { newRun, newSession, type SessionStoreUnderTest } from '../../specs/session-steps.ts';
import { sessionTextsContract } from './session-texts.contract.ts';
import { testStore, type TestStore } from '../../specs/test-store.ts';
import { PgRunWork } from './pg-run-work.ts';
import { PgSessionTexts } from './pg-session-texts.ts';
import { PgSessions } from './pg-sessions.ts';
import { SessionSeal } from './session-seal.ts';

let store: TestStore;
let sessions: PgSessions;
let work: PgRunWork;
let said: PgSessionTexts;

beforeAll(async () => {
  store = await testStore();
  const seal = new SessionSeal(Buffer.alloc(32, 7));
  sessions = new PgSessions(store.pool, seal);
  work = new PgRunWork(store.pool, seal);
  said = new PgSessionTexts(store.pool, seal);
}, 120_000);
afterAll(async () => {
  await store.drop();
});

const under: SessionStoreUnderTest = {
  sessions: () => sessions,
  work: () => work,
  sessionTexts: () => said,
  key: (tenant) => store.key(tenant),
  // Time is the database's clock, so stored times are moved into the past.
  advance: async (ms) => {
    await store.admin.query('UPDATE orchestrator.run SET lease_until = lease_until - $1, wake_at = wake_at - $1', [ms]);
  },
  revoke: (tenant, id) => store.revoke(tenant, id),
};
sessionsContract('Postgres', under);
runWorkContract('Postgres', under);

sessionTextsContract('Postgres', {
  sessions: () => sessions,
  work: () => work,
  sessionTexts: () => said,
  key: (tenant) => store.key(tenant),
  age: async (id, ms) => {
    await store.admin.query('UPDATE orchestrator.session SET created_at = created_at - $2 WHERE session_id = $1', [
      id,
      ms,
    ]);
    await store.admin.query('UPDATE orchestrator.run SET created_at = created_at - $2 WHERE run_id = $1', [id, ms]);
  },
});

it('the end of a run is stored for every subscribed webhook, atomically with its event, as ids and counts', async () => {
  const tenant = newId('tenant');
  const by = await store.key(tenant);
  const webhook = async (events: string, state = 'active'): Promise<string> => {
    const id = newId('webhook');
    await store.admin.query(
      `INSERT INTO orchestrator.webhook (webhook_id, tenant_id, name, url, events, state, disabled_reason, secret, created_by) VALUES ($1, $2, $1, 'https://example.com/', $3, $4, $5, $6, 'spec')`,
      [id, tenant, events, state, state === 'active' ? null : 'asked', Buffer.alloc(64)],
    );
    return id;
  };
  const [listens] = [
    await webhook('{run.finished}'),
    await webhook('{approval.pending}'),
    await webhook('{run.finished}', 'disabled'),
  ];
  const { session_id, agent_id } = await sessions.create(tenant, newSession(), 10);
  const { run_id } = (await sessions.queue(tenant, newRun(session_id, by, { input: 'the secret plan' }), {
    runsMax: 5,
    unendedMax: 5,
  }))!;
  const claim = (await work.claim({ rows: 1_000, tenantMax: 8, leaseMs: 60_000, models: ['m'], goneMs: null })).find(
    ({ tenant_id }) => tenant_id === tenant,
  )!;
  const told = async () =>
    (
      await store.admin.query<{ webhook_id: string; kind: string; body: string }>(
        'SELECT webhook_id, kind, body FROM orchestrator.delivery WHERE tenant_id = $1',
        [tenant],
      )
    ).rows;
  const ended = {
    state: 'ended',
    stopped: 'end',
    fault: null,
    rounds: 2,
    input_tokens: 7,
    cached_tokens: 1,
    output_tokens: 2,
    cost: 30,
  } as const;
  await expect(work.append(claim, 5, { kind: 'ended', stopped: 'end' }, ended, 60_000)).rejects.toThrow('lease');
  expect(await told()).toEqual([]);
  await work.append(claim, 1, { kind: 'ended', stopped: 'end' }, ended, 60_000);
  const [only, ...others] = await told();
  expect([only?.webhook_id, only?.kind, others]).toEqual([listens, 'run.finished', []]);
  expect(JSON.parse(only!.body)).toMatchObject({
    type: 'run.finished',
    data: { run_id, session_id, agent_id, state: 'ended', stopped: 'end', rounds: 2, cost: 30, spawned_by: null },
  });
  expect(only!.body).not.toContain('secret plan');
});

it('renews only leases that are more than half over, and waits for no locked row', async () => {
  const tenant = newId('tenant');
  const by = await store.key(tenant);
  for (let n = 0; n < 3; n += 1)
    await sessions.queue(tenant, newRun((await sessions.create(tenant, newSession(), 10)).session_id, by), {
      runsMax: 5,
      unendedMax: 5,
    });
  const claims = (await work.claim({ rows: 1_000, tenantMax: 8, leaseMs: 60_000, models: ['m'], goneMs: null })).filter(
    ({ tenant_id }) => tenant_id === tenant,
  );
  const [fresh, old, changing] = claims.map(({ run_id }) => run_id);
  const leases = async () =>
    new Map(
      (
        await store.admin.query<{ run_id: string; lease: number }>(
          'SELECT run_id, (lease_until - orchestrator.now_ms())::float8 AS lease FROM orchestrator.run WHERE tenant_id = $1',
          [tenant],
        )
      ).rows.map(({ run_id, lease }) => [run_id, lease]),
    );
  await store.admin.query('UPDATE orchestrator.run SET lease_until = lease_until - 35000 WHERE run_id = ANY ($1)', [
    [old, changing],
  ]);
  await inTenant(store.pool, tenant, async (client) => {
    await client.query('SELECT 1 FROM orchestrator.run WHERE run_id = $1 FOR UPDATE', [changing]);
    expect((await work.renew(claims, 60_000)).map(({ run_id }) => run_id).toSorted()).toEqual(
      claims.map(({ run_id }) => run_id).toSorted(),
    );
  });
  const before = await leases();
  expect([before.get(old!)! > 50_000, before.get(changing!)! < 30_000, before.get(fresh!)! > 50_000]).toEqual([
    true,
    true,
    true,
  ]);
  await store.admin.query('UPDATE orchestrator.run SET lease_until = lease_until - 20000 WHERE run_id = $1', [fresh]);
  await work.renew(claims, 60_000);
  const after = await leases();
  expect([after.get(changing!)! > 50_000, after.get(fresh!)! < 45_000]).toEqual([true, true]);
});

describe('the database', () => {
  it('shows this process nothing without a tenant, only ids of due runs, and no text in clear', async () => {
    const [mine, theirs] = [newId('tenant'), newId('tenant')];
    for (const tenant of [mine, theirs]) {
      const { session_id } = await sessions.create(
        tenant,
        newSession({ content: { system: 'the secret plan', base: [] } }),
        10,
      );
      await sessions.queue(tenant, newRun(session_id, await store.key(tenant), { input: 'the secret plan' }), {
        runsMax: 5,
        unendedMax: 5,
      });
    }
    const claimed = (
      await work.claim({ rows: 1_000, tenantMax: 8, leaseMs: 60_000, models: ['m'], goneMs: null })
    ).find(({ tenant_id }) => tenant_id === mine)!;
    await work.begin(claimed, { system: 'the secret plan', tools: [] });
    await work.append(
      claimed,
      1,
      { kind: 'replied', turn: { text: 'the secret plan', calls: [], stop: 'end' } },
      {
        state: 'running',
        stopped: null,
        fault: null,
        rounds: 1,
        input_tokens: 0,
        cached_tokens: 0,
        output_tokens: 0,
        cost: null,
      },
      60_000,
    );
    for (const table of ['session', 'run', 'run_event']) {
      expect((await store.pool.query(`SELECT 1 FROM orchestrator.${table}`)).rowCount).toBe(0);
      const { rows } = await inTenant(store.pool, mine, (client) =>
        client.query<{ tenant_id: string; t: string }>(`SELECT tenant_id, t::text AS t FROM orchestrator.${table} t`),
      );
      expect(rows.map(({ tenant_id }) => tenant_id)).toEqual([mine]);
      expect(
        Buffer.from(
          rows[0]!.t.replaceAll(/\\\\x([0-9a-f]*)/g, (_all, hex: string) => Buffer.from(hex, 'hex').toString('latin1')),
        ).toString('latin1'),
      ).not.toContain('secret plan');
    }
    const { fields } = await store.pool.query(`SELECT * FROM orchestrator.claim_runs(0, 1, 1, '{}', NULL)`);
    expect(fields.map(({ name }) => name)).toEqual(['tenant_id', 'run_id', 'fence']);
  });

  it('does not decrypt a sealed value in another row', async () => {
    const tenant = newId('tenant');
    const [a, b] = [await sessions.create(tenant, newSession(), 10), await sessions.create(tenant, newSession(), 10)];
    await store.admin.query(
      'UPDATE orchestrator.session SET content = (SELECT content FROM orchestrator.session WHERE session_id = $1) WHERE session_id = $2',
      [a.session_id, b.session_id],
    );
    await expect(sessions.read(tenant, b.session_id)).rejects.toThrow();
    expect(await sessions.read(tenant, a.session_id)).not.toBeNull();
  });

  it.each([
    [
      'a session of another tenant',
      `INSERT INTO orchestrator.session (session_id, tenant_id, agent_id, workspace_id, capability_token_id, dialect, model, content, created_by) VALUES ('ses_x', 'ten_other', 'a', 'w', 'c', 'native', 'm', '', 'me')`,
      /row-level security/,
    ],
    ['another owner for a run', `UPDATE orchestrator.run SET tenant_id = 'ten_other'`, /permission denied/],
    ['another task for a run', `UPDATE orchestrator.run SET content = ''`, /permission denied/],
    ['another claim for a run', `UPDATE orchestrator.run SET fence = 9`, /permission denied/],
    ['another history', `UPDATE orchestrator.run_event SET event = ''`, /permission denied/],
    ['the end of an event', 'DELETE FROM orchestrator.run_event', /permission denied/],
    ['the end of a run alone', 'DELETE FROM orchestrator.run', /permission denied/],
  ])('refuses this process %s', async (_what, sql, words) => {
    await expect(inTenant(store.pool, newId('tenant'), (client) => client.query(sql))).rejects.toThrow(words);
  });
});
