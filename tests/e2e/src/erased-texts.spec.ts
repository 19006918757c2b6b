// SPDX-License-Identifier: Apache-2.0
// What was said in sessions is taken away by order: it opens under no key that there is, and an API that is killed at
// any step of it leaves a step that another makes again, once.
import { createDecipheriv, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { vi } from 'vitest';
import { connect } from '@writ/database';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { freePort } from '@writ/testing';
import { ScriptedModel } from './scripted-model.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const GATES = 7_102;
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

let stack: Stack;
let world: World;
let model: ScriptedModel;
let observer: Observer;

beforeAll(async () => {
  model = await ScriptedModel.open();
  stack = await startStack({
    env: { kernel: { WRIT_SWEEP_MS: '200' }, orchestrator: { WRIT_MODELS_FILE: model.file } },
  });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  await model?.close();
});
beforeEach(async () => {
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});

/**
 * The key that the tenant's texts are sealed under, derived as the orchestrator does (HKDF, RFC 5869), by none of its
 * code.
 */
function tenantKey(): Buffer {
  const own = Buffer.from(readFileSync(stack.keys.file('webhook.key'), 'utf8').trim(), 'base64');
  return Buffer.from(hkdfSync('sha256', own, '', `writ/session/v1\n${world.tenantId}`, 32));
}

/**
 * What sealed bytes hold under a key. Whatever they are bound to isn't asked for: the tag alone depends on it (GCM).
 */
function opened(key: Buffer, sealed: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return Buffer.alloc(0);
  return createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).update(
    sealed.subarray(NONCE_BYTES, -TAG_BYTES),
  );
}

/** Columns of any schema in which the text stands: as it is, or sealed under the tenant's key. */
async function columnsWith(text: string): Promise<string[]> {
  const client = await connect(stack.database.ownerUrl, 'erased-texts');
  try {
    return await searched(client, text);
  } finally {
    await client.end();
  }
}

async function searched(client: Awaited<ReturnType<typeof connect>>, text: string): Promise<string[]> {
  const { rows: columns } = await client.query<{
    name: string;
    column: string;
    type: string;
  }>(`SELECT format('%I.%I', n.nspname, c.relname) AS name, a.attname AS column, format_type(a.atttypid, NULL) AS type
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname IN ('orchestrator', 'kernel', 'ledger', 'blobs') ORDER BY 1, 2`);
  const key = tenantKey();
  const found: string[] = [];
  for (const { name, column, type } of columns) {
    const { rows } = await client.query<{ value: Buffer | string }>(
      `SELECT ${type === 'bytea' ? `"${column}"` : `"${column}"::text`} AS value FROM ${name} WHERE "${column}" IS NOT NULL`,
    );
    const holds = ({ value }: { value: Buffer | string }): boolean =>
      typeof value === 'string' ? value.includes(text) : value.includes(text) || opened(key, value).includes(text);
    if (rows.some(holds)) found.push(`${name}.${column}`);
  }
  return found;
}
/**
 * Where the words of a session stand: what it began with, what was asked, what the model was told to be, and what it
 * answered.
 */
const SAID = [
  'orchestrator.run.content',
  'orchestrator.run.prompt',
  'orchestrator.run_event.event',
  'orchestrator.session.content',
];

interface Spoken {
  readonly marker: string;
  readonly session_id: string;
  readonly run_id: string;
  readonly operation_id: string;
}

async function spoken(): Promise<Spoken> {
  const marker = `marker-${Math.random().toString(36).slice(2)}`;
  model.scripts.set(`keep ${marker}`, [
    { text: `I keep ${marker}`, calls: [{ name: 'bash', args: { command: `echo ${marker}` } }] },
    { text: `kept ${marker}` },
  ]);
  const { session_id } = await world.agent.must('/v1/sessions', {
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: 'wire',
    data_subject: 'crm/42',
    system: `mind ${marker}`,
  });
  const { run_id } = await world.agent.must(`/v1/sessions/${session_id as string}/runs`, { input: `keep ${marker}` });
  await eventually(
    'the run ended',
    async () => (await world.admin.get(`/v1/runs/${run_id as string}`)).body.stopped === 'end',
    60_000,
  );
  const [{ operation_id }] = (await observer.rows<{ operation_id: string }>(
    `SELECT operation_id FROM kernel.operation WHERE session_id = $1 AND tool_id = 'shell.run'`,
    [session_id],
  )) as [{ operation_id: string }];
  return { marker, session_id: session_id as string, run_id: run_id as string, operation_id };
}

const erasureOf = async ({ session_id }: Spoken): Promise<JsonValue> =>
  (
    await observer.rows<JsonValue>(
      'SELECT erasure_id, state, texts, sessions, runs, records, texts_rounds FROM kernel.erasure WHERE $1 = ANY (session_ids)',
      [session_id],
    )
  )[0] ?? {};
const rounds = (erasureId: unknown) =>
  observer.rows<JsonValue>(
    'SELECT round, gone_at IS NOT NULL AS gone FROM orchestrator.erasure WHERE erasure_id = $1',
    [erasureId],
  );

/** Nothing is left of what was said, one record says so, and what was recorded of the call verifies. */
async function expectGone({ marker, session_id, run_id, operation_id }: Spoken, erasureId: unknown): Promise<void> {
  expect(await columnsWith(marker)).toEqual([]);
  expect(
    await observer.rows(
      `SELECT 1 FROM orchestrator.session WHERE session_id = $1 UNION ALL SELECT 1 FROM orchestrator.run WHERE run_id = $2 UNION ALL SELECT 1 FROM orchestrator.run_event WHERE run_id = $2
    UNION ALL SELECT 1 FROM kernel.payload WHERE operation_id = $3 AND (args IS NOT NULL OR result IS NOT NULL)`,
      [session_id, run_id, operation_id],
    ),
  ).toEqual([]);
  await observer.untilLogged();
  const told = await observer.rows(
    `SELECT 1 FROM ledger.leaf WHERE tenant_id = $1 AND kind = 'erasure' AND convert_from(payload, 'UTF8')::jsonb #>> '{predicate,change,verb}' = 'texts_erased'
    AND convert_from(payload, 'UTF8')::jsonb #>> '{predicate,change,subject}' = $2`,
    [world.tenantId, erasureId],
  );
  expect(told).toHaveLength(1);
  expect((await verifiedReceipt(stack, world, operation_id, 'outcome')).record).toMatchObject({ operation_id });
  expectCleanLog(stack);
}

it.each([
  ['session', ({ session_id }: Spoken) => ({ session_id })],
  ['subject', () => ({ subject: 'crm/42' })],
  ['call', ({ operation_id }: Spoken) => ({ operation_id })],
])('by %s takes what was said along, in its forks too, and says so in the log', async (_by, selectorOf) => {
  const said = await spoken();
  const forked = await world.agent.must(`/v1/runs/${said.run_id}/fork`, { after: 2 });
  expect(await columnsWith(said.marker)).toEqual(SAID);
  const selector = selectorOf(said);
  expect((await world.admin.must('/v1/erasures', { ...selector, reason_code: 'asked', dry_run: true })).sessions).toBe(
    2,
  );
  expect(await columnsWith(said.marker)).toEqual(SAID);
  const erasure = await world.admin.must('/v1/erasures', { ...selector, reason_code: 'asked' });
  expect(erasure).toMatchObject({ state: 'done', sessions: 2 });
  expect(await observer.rows('SELECT 1 FROM orchestrator.session WHERE session_id = $1', [forked.session_id])).toEqual(
    [],
  );
  await expectGone(said, erasure.erasure_id);
});

it('of a session that is deleted goes alone: its calls stay, and it is recorded', async () => {
  const said = await spoken();
  expect((await world.admin.request('DELETE', `/v1/sessions/${said.session_id}`)).status).toBe(200);
  expect((await world.admin.get('/v1/erasures')).body.items[0]).toMatchObject({
    selector: 'conversation',
    session_id: said.session_id,
    reason_code: 'session-deleted',
    state: 'done',
    sessions: 1,
    operations: 0,
    records: 1,
  });
  expect(await columnsWith(said.marker)).toEqual([]);
  expect(
    await observer.rows('SELECT 1 FROM kernel.payload WHERE operation_id = $1 AND args IS NOT NULL', [
      said.operation_id,
    ]),
  ).toHaveLength(1);
});

/**
 * Where an API is killed: who waits at the gate of this statement then, and what has come of the order. `there`:
 * whether the texts are.
 */
const POINTS = [
  {
    point: 'what goes was settled, and the kernel was not told',
    on: 'kernel.erasure',
    when: `UPDATE ON kernel.erasure FOR EACH ROW WHEN (NEW.texts = 'told' AND OLD.texts = 'ordered')`,
    by: 'writ_kernel',
    texts: 'ordered',
    gone: false,
    there: true,
  },
  {
    point: 'the kernel has recorded it, and nothing was taken',
    on: 'orchestrator.session',
    when: 'DELETE ON orchestrator.session FOR EACH ROW',
    by: 'writ_orchestrator',
    texts: 'told',
    gone: false,
    there: true,
  },
  {
    point: 'all was taken, and that it was is not kept',
    on: 'orchestrator.erasure',
    when: 'UPDATE ON orchestrator.erasure FOR EACH ROW',
    by: 'writ_orchestrator',
    texts: 'told',
    gone: false,
    there: true,
  },
  {
    point: 'all is gone, and the kernel does not know',
    on: 'kernel.erasure',
    when: `UPDATE ON kernel.erasure FOR EACH ROW WHEN (NEW.texts = 'gone' AND OLD.texts <> 'gone')`,
    by: 'writ_kernel',
    texts: 'told',
    gone: true,
    there: false,
  },
] as const;

describe.each(POINTS)('killed when $point', ({ on, when, by, texts, gone, there }) => {
  let open: () => Promise<void> = () => Promise.resolve();
  beforeAll(async () => {
    await observer.rows(
      `CREATE OR REPLACE FUNCTION public.gate_of_a_test() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(${GATES}); RETURN coalesce(NEW, OLD); END $$`,
    );
    await observer.rows(`CREATE TRIGGER a_gate_of_a_test BEFORE ${when} EXECUTE FUNCTION public.gate_of_a_test()`);
  });
  afterAll(() => observer.rows(`DROP TRIGGER a_gate_of_a_test ON ${on}`));
  afterEach(async () => {
    await open();
    open = () => Promise.resolve();
    // A failure leaves no orchestrator dead for those after it.
    if (!stack.services.orchestrator.isRunning) await stack.services.orchestrator.start();
  });

  it.each([
    ['the next orchestrator', false],
    ['another that was there all the time', true],
  ])('%s goes on by itself, and it is done once', async (_who, isBeside) => {
    const beside = isBeside
      ? await stack.another('orchestrator', { WRIT_HTTP_PORT: String(await freePort()), WRIT_MODELS_FILE: model.file })
      : null;
    const said = await spoken();
    const shut = await observer.hold(`SELECT pg_advisory_xact_lock(${GATES})`);
    open = shut;
    const answer = world.admin
      .post('/v1/erasures', { session_id: said.session_id, reason_code: 'asked' })
      .catch(() => null);
    await eventually(
      'a session at the gate',
      async () =>
        (await observer.rows(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${GATES} AND NOT granted`))
          .length > 0,
      60_000,
    );
    await stack.services.orchestrator.kill();
    await answer;
    // Nothing of what stands at the gate is committed: its process is gone, or finds its connection gone.
    await observer.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND datname = current_database() AND wait_event_type = 'Lock'`,
      [by],
    );
    const erasure = await erasureOf(said);
    expect(erasure).toMatchObject({ state: 'running', texts, texts_rounds: texts === 'told' ? 1 : 0 });
    expect(await rounds(erasure['erasure_id'])).toEqual([{ round: 1, gone }]);
    expect(await columnsWith(said.marker)).toEqual(there ? SAID : []);

    await shut();
    open = () => Promise.resolve();
    if (beside === null) await stack.services.orchestrator.start();
    await eventually('it is done', async () => (await erasureOf(said))['state'] === 'done', 60_000);
    expect(await erasureOf(said)).toEqual({
      ...erasure,
      state: 'done',
      texts: 'gone',
      sessions: 1,
      runs: 0,
      records: 2,
      texts_rounds: 1,
    });
    expect(await rounds(erasure['erasure_id'])).toEqual([{ round: 1, gone: true }]);
    await beside?.kill();
    if (beside !== null) await stack.services.orchestrator.start();
    await expectGone(said, erasure['erasure_id']);
  });
});
