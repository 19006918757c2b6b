// SPDX-License-Identifier: Apache-2.0
// Texts of sessions are erased on request: no existing key opens them. When an API is killed at any step of an erasure,
// another one repeats that step, once.
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

/** The key of the tenant's texts, derived as the orchestrator does (HKDF, RFC 5869), without its code. */
function tenantKey(): Buffer {
  const own = Buffer.from(readFileSync(stack.keys.file('webhook.key'), 'utf8').trim(), 'base64');
  return Buffer.from(hkdfSync('sha256', own, '', `writ/session/v1\n${world.tenantId}`, 32));
}

/** Decrypts sealed bytes with a key. It needs no associated data: only the tag depends on it (GCM). */
function opened(key: Buffer, sealed: Buffer): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return Buffer.alloc(0);
  return createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES)).update(
    sealed.subarray(NONCE_BYTES, -TAG_BYTES),
  );
}

/** Columns of any schema that contain the text: in clear, or sealed under the tenant's key. */
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
    WHERE c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped AND n.nspname IN ('orchestrator', 'kernel', 'ledger', 'blobs', 'audio', 'info_store') ORDER BY 1, 2`);
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
/** The places of a session's texts: its instructions, the input, the prompt of the model, and its answer. */
const PRINTED = [
  'orchestrator.run.content',
  'orchestrator.run.prompt',
  'orchestrator.run_event.event',
  'orchestrator.session.content',
];

interface FinishedSession {
  readonly marker: string;
  readonly session_id: string;
  readonly run_id: string;
  readonly operation_id: string;
}

async function runSession(): Promise<FinishedSession> {
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

const erasureOf = async ({ session_id }: FinishedSession): Promise<JsonValue> =>
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

/** Asserts that none of the texts is left, that one record documents it, and that the call's records verify. */
async function expectRemoved(
  { marker, session_id, run_id, operation_id }: FinishedSession,
  erasureId: unknown,
): Promise<void> {
  expect(await columnsWith(marker)).toEqual([]);
  expect(
    await observer.rows(
      `SELECT 1 FROM orchestrator.session WHERE session_id = $1 UNION ALL SELECT 1 FROM orchestrator.run WHERE run_id = $2 UNION ALL SELECT 1 FROM orchestrator.run_event WHERE run_id = $2
    UNION ALL SELECT 1 FROM kernel.payload WHERE operation_id = $3 AND (args IS NOT NULL OR result IS NOT NULL)`,
      [session_id, run_id, operation_id],
    ),
  ).toEqual([]);
  await observer.untilLogged();
  const reported = await observer.rows(
    `SELECT 1 FROM ledger.leaf WHERE tenant_id = $1 AND kind = 'erasure' AND convert_from(payload, 'UTF8')::jsonb #>> '{predicate,change,verb}' = 'texts_erased'
    AND convert_from(payload, 'UTF8')::jsonb #>> '{predicate,change,subject}' = $2`,
    [world.tenantId, erasureId],
  );
  expect(reported).toHaveLength(1);
  expect((await verifiedReceipt(stack, world, operation_id, 'outcome')).record).toMatchObject({ operation_id });
  expectCleanLog(stack);
}

it.each([
  ['session', ({ session_id }: FinishedSession) => ({ session_id })],
  ['subject', () => ({ subject: 'crm/42' })],
  ['call', ({ operation_id }: FinishedSession) => ({ operation_id })],
])('by %s removes texts of the session and its forks, and records it in the log', async (_by, selectorOf) => {
  const output = await runSession();
  const forked = await world.agent.must(`/v1/runs/${output.run_id}/fork`, { after: 2 });
  expect(await columnsWith(output.marker)).toEqual(PRINTED);
  const selector = selectorOf(output);
  expect((await world.admin.must('/v1/erasures', { ...selector, reason_code: 'asked', dry_run: true })).sessions).toBe(
    2,
  );
  expect(await columnsWith(output.marker)).toEqual(PRINTED);
  const erasure = await world.admin.must('/v1/erasures', { ...selector, reason_code: 'asked' });
  expect(erasure).toMatchObject({ state: 'done', sessions: 2 });
  expect(await observer.rows('SELECT 1 FROM orchestrator.session WHERE session_id = $1', [forked.session_id])).toEqual(
    [],
  );
  await expectRemoved(output, erasure.erasure_id);
});

it('of a deleted session removes its texts only: its calls stay, and a record documents it', async () => {
  const output = await runSession();
  expect((await world.admin.request('DELETE', `/v1/sessions/${output.session_id}`)).status).toBe(200);
  expect((await world.admin.get('/v1/erasures')).body.items[0]).toMatchObject({
    selector: 'conversation',
    session_id: output.session_id,
    reason_code: 'session-deleted',
    state: 'done',
    sessions: 1,
    operations: 0,
    records: 1,
  });
  expect(await columnsWith(output.marker)).toEqual([]);
  expect(
    await observer.rows('SELECT 1 FROM kernel.payload WHERE operation_id = $1 AND args IS NOT NULL', [
      output.operation_id,
    ]),
  ).toHaveLength(1);
});

/**
 * The steps at which an API is killed: the statement that waits at the gate, and the state of the erasure there.
 * `there`: whether the texts still exist.
 */
const POINTS = [
  {
    point: 'the selection is stored, and the kernel not informed',
    on: 'kernel.erasure',
    when: `UPDATE ON kernel.erasure FOR EACH ROW WHEN (NEW.texts = 'told' AND OLD.texts = 'ordered')`,
    by: 'writ_kernel',
    texts: 'ordered',
    gone: false,
    there: true,
  },
  {
    point: 'the kernel has recorded it, and no text is removed',
    on: 'orchestrator.session',
    when: 'DELETE ON orchestrator.session FOR EACH ROW',
    by: 'writ_orchestrator',
    texts: 'told',
    gone: false,
    there: true,
  },
  {
    point: 'all texts are removed, and the completion is not stored',
    on: 'orchestrator.erasure',
    when: 'UPDATE ON orchestrator.erasure FOR EACH ROW',
    by: 'writ_orchestrator',
    texts: 'told',
    gone: false,
    there: true,
  },
  {
    point: 'all texts are removed, and the kernel not informed',
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
    // Restarts the orchestrator for later tests, also after a failure.
    if (!stack.services.orchestrator.isRunning) await stack.services.orchestrator.start();
  });

  it.each([
    ['the next orchestrator', false],
    ['another replica', true],
  ])('%s continues by itself, and the erasure is done once', async (_who, hasSecondReplica) => {
    const inParallel = hasSecondReplica
      ? await stack.another('orchestrator', { WRIT_HTTP_PORT: String(await freePort()), WRIT_MODELS_FILE: model.file })
      : null;
    const output = await runSession();
    const shut = await observer.hold(`SELECT pg_advisory_xact_lock(${GATES})`);
    open = shut;
    const answer = world.admin
      .post('/v1/erasures', { session_id: output.session_id, reason_code: 'asked' })
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
    // Nothing that waits at the gate is committed: its process is gone, or its connection closed.
    await observer.rows(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND datname = current_database() AND wait_event_type = 'Lock'`,
      [by],
    );
    const erasure = await erasureOf(output);
    expect(erasure).toMatchObject({ state: 'running', texts, texts_rounds: texts === 'told' ? 1 : 0 });
    expect(await rounds(erasure['erasure_id'])).toEqual([{ round: 1, gone }]);
    expect(await columnsWith(output.marker)).toEqual(there ? PRINTED : []);

    await shut();
    open = () => Promise.resolve();
    if (inParallel === null) await stack.services.orchestrator.start();
    await eventually('it is done', async () => (await erasureOf(output))['state'] === 'done', 60_000);
    expect(await erasureOf(output)).toEqual({
      ...erasure,
      state: 'done',
      texts: 'gone',
      sessions: 1,
      runs: 0,
      records: 2,
      texts_rounds: 1,
    });
    expect(await rounds(erasure['erasure_id'])).toEqual([{ round: 1, gone: true }]);
    await inParallel?.kill();
    if (inParallel !== null) await stack.services.orchestrator.start();
    await expectRemoved(output, erasure['erasure_id']);
  });
});
