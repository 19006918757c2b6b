// SPDX-License-Identifier: Apache-2.0
// Calls that wait for a value, through the public API: the agent's answer, and a search that finds no value in clear in
// anything stored or sent.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import {
  eventually,
  makeWorld,
  Observer,
  approveShown,
  startStack,
  verifiedReceipt,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const SECRET = 'marker-5e1f-secret-of-a-person';
const PLAIN = 'marker-5e1f-plain-of-a-person';
const BUS = ['orchestrator', 'kernel', 'executor'] as const;

let stack: Stack;
let world: World;
let observer: Observer;
let token: string;
const tapped: Buffer[] = [];

beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_SWEEP_MS: '200' } }, busProxies: [...BUS] });
  for (const name of BUS) stack.busProxy(name).tap((bytes) => tapped.push(Buffer.from(bytes)));
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  observer = new Observer(stack);
  token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['value.get'],
        fs: [],
        net: [],
        secrets: ['NPM_TOKEN'],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
      },
    })
  ).capability_token_id as string;
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

const ask = async (args: JsonValue, over: JsonValue = {}) =>
  (
    await world.call(
      'value.get',
      { reason: 'to publish', ...args },
      { capability_token_id: token, session_id: 'ses-1', ...over },
    )
  ).body;
const give = (held: JsonValue, body: JsonValue, by = world.operator) =>
  by.post(`/v1/approvals/${held.approval_id as string}/value`, body);
const heldFor = async (args: JsonValue): Promise<JsonValue> => {
  const held = await ask(args);
  expect(held.state).toBe('held');
  return held;
};

it('a supplied secret is answered with a reference', async () => {
  const held = await heldFor({ key: 'NPM_TOKEN' });
  const shown = (await world.operator.get(`/v1/approvals/${held.approval_id as string}`)).body;
  expect(shown).toMatchObject({
    of: 'value',
    args: { key: 'NPM_TOKEN', reason: 'to publish' },
    reasons: [{ code: 'value.wanted' }],
  });
  const given = await give(held, { value: SECRET, scope: 'session' });
  expect([given.status, given.text.includes(SECRET)]).toEqual([200, false]);
  expect((await world.until(held.operation_id as string, ['no_op'])).result.result).toEqual({
    key: 'NPM_TOKEN',
    value: null,
    reference: '${secret:NPM_TOKEN}',
  });
  expect(await ask({ key: 'NPM_TOKEN' })).toMatchObject({
    tx_outcome: 'no_op',
    result: { reference: '${secret:NPM_TOKEN}' },
  });
  const { record } = await verifiedReceipt(stack, world, held.operation_id as string, 'decision');
  expect(record).toMatchObject({ verdict: 'admitted', approval_refs: [held.approval_id] });
});

it('a plain value is returned itself, for one use or for the session', async () => {
  const held = await heldFor({ key: 'REGION', secret: false });
  expect((await give(held, { value: PLAIN })).status).toBe(200);
  expect((await world.until(held.operation_id as string, ['no_op'])).result.result).toEqual({
    key: 'REGION',
    value: PLAIN,
    reference: null,
  });
  await eventually(
    'the used value is deleted',
    async () =>
      (await observer.rows('SELECT 1 FROM kernel.session_value WHERE approval_id = $1', [held.approval_id])).length ===
      0,
  );
  const again = await heldFor({ key: 'REGION', secret: false });
  expect((await give(again, { value: PLAIN, scope: 'session' })).status).toBe(200);
  expect(await ask({ key: 'REGION', secret: false })).toMatchObject({ tx_outcome: 'no_op', result: { value: PLAIN } });
  expect((await ask({ key: 'REGION', secret: false }, { session_id: 'ses-2' })).state).toBe('held');
});

it('a stored secret is available to every session', async () => {
  const held = await ask({ key: 'NPM_TOKEN', note: 'suggested' }, { session_id: 'ses-3' });
  expect((await give(held, { value: SECRET, scope: 'stored', note: 'of the registry' })).status).toBe(200);
  expect(await ask({ key: 'NPM_TOKEN' }, { session_id: 'ses-4' })).toMatchObject({ tx_outcome: 'no_op' });
  expect(
    await observer.rows('SELECT name, version, note FROM kernel.secret WHERE tenant_id = $1', [world.tenantId]),
  ).toEqual([{ name: 'NPM_TOKEN', version: 1, note: 'of the registry' }]);
});

it("an agent can't answer its own request, and an approval without a value is no answer", async () => {
  const held = await heldFor({ key: 'NPM_TOKEN', secret: false });
  expect((await give(held, { value: 'x' }, world.agent)).body.code).toBe('auth.role');
  expect((await approveShown(world.operator, held.approval_id)).body.code).toBe('conflict');
  const own = (
    await world.admin.post('/v1/tool-calls', {
      tool_id: 'value.get',
      args: { key: 'OWN', reason: 'r', secret: false },
      agent_id: world.agentId,
      capability_token_id: token,
      workspace_id: world.workspaceId,
      session_id: 'ses-1',
    })
  ).body;
  expect((await give(own, { value: 'x' }, world.admin)).body.code).toBe('approval.own_call');
});

it('a secret that the token does not grant is for the session to which a person gives it', async () => {
  expect(await ask({ key: 'OTHER' }, { session_mode: 'scheduled' })).toMatchObject({ error: { code: 'token.scope' } });
  const held = await heldFor({ key: 'OTHER' });
  expect((await give(held, { value: SECRET, scope: 'stored' })).body).toMatchObject({ code: 'conflict' });
  expect((await give(held, { value: SECRET, scope: 'session' })).status).toBe(200);
  expect((await world.until(held.operation_id as string, ['no_op'])).result.result).toMatchObject({
    reference: '${secret:OTHER}',
  });
  expect(await ask({ key: 'OTHER' })).toMatchObject({ tx_outcome: 'no_op' });
  expect((await ask({ key: 'OTHER' }, { session_id: 'ses-other' })).state).toBe('held');
});

it('afterwards no table, log or bus message contains a secret, and no table or log any value', async () => {
  // An error that is answered and perhaps logged.
  const held = await heldFor({ key: 'WRONG', secret: false });
  for (const body of [{ value: SECRET, scope: 'ever' }, { value: [SECRET] }, { value: SECRET, note: 'of nothing' }])
    expect((await give(held, body)).text).not.toContain(SECRET);
  await observer.untilLogged();
  const shapes = [SECRET, PLAIN].flatMap((text) => [
    text,
    Buffer.from(text).toString('base64').slice(0, -4),
    Buffer.from(text).toString('hex'),
  ]);
  const found = (text: string): string[] => shapes.filter((shape) => text.includes(shape));
  const tables = await observer.rows<{ name: string }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  expect(tables.length).toBeGreaterThan(20);
  for (const { name } of tables)
    for (const { row } of await observer.rows<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t`))
      expect([name, found(row)]).toEqual([name, []]);
  const files = readdirSync(stack.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.some((file) => file.endsWith('kernel.log'))).toBe(true);
  for (const file of files) expect([file, found(readFileSync(file, 'latin1'))]).toEqual([file, []]);
  const bus = Buffer.concat(tapped).toString('latin1');
  expect(bus).toContain('approval.give');
  expect(shapes.slice(0, 3).filter((shape) => bus.includes(shape))).toEqual([]);
});
