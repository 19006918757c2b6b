// SPDX-License-Identifier: Apache-2.0
// Sign-in with an API key through a whole Writ with two replicas, as `npm start` turns it on.
import {
  makeWorld,
  Api,
  eventually,
  startStack,
  type Answer,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { Browser, freePort } from '@writ/testing';
import { vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** How long a replica goes on with what it has found. */
const CACHED_MS = 1_000;
const SAME = { 'sec-fetch-site': 'same-origin' };

let url: string;
/** of the second replica */
let other: string;
let stack: Stack;
let world: World;

beforeAll(async () => {
  const [port, second] = [String(await freePort()), String(await freePort())];
  url = `http://127.0.0.1:${port}`;
  other = `http://127.0.0.1:${second}`;
  const env = { WRIT_HTTP_PORT: port, WRIT_PUBLIC_URL: url, WRIT_KEY_SESSIONS: 'true' };
  stack = await startStack({ env: { orchestrator: env } });
  await stack.another('orchestrator', { ...env, WRIT_HTTP_PORT: second });
  world = await makeWorld(url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
});
afterAll(() => stack?.stop());

/** Another key of the tenant. */
async function newKey(role: string, more: object = {}): Promise<{ id: string; key: string }> {
  const made = await world.admin.must('/v1/api-keys', { name: 'of a browser', role, ...more });
  return { id: made.api_key_id as string, key: made.api_key as string };
}
async function enter(key: string, browser = new Browser()): Promise<Browser> {
  const page = await browser.open(`${url}/sign-in?to=/console/`);
  await browser.send(page, 'Sign in', { fields: { key } });
  return browser;
}
const get = (browser: Browser, path: string, at = url): Promise<Answer<JsonValue>> =>
  new Api(at).get(path, { cookie: browser.cookiesFor(url), ...SAME });
async function headersOf(browser: Browser): Promise<Record<string, string>> {
  const { key_session } = (await get(browser, '/v1/sign-in')).body;
  const csrf = key_session.csrf_token as string;
  return { cookie: browser.cookiesFor(url), origin: url, 'writ-csrf': csrf };
}
const post = async (browser: Browser, path: string, body: unknown, changes: Record<string, string> = {}) =>
  await new Api(url).post(path, body, { ...(await headersOf(browser)), ...changes });

it('a person signs in with a key, and decides a held call as that key, at any replica', async () => {
  const { id, key } = await newKey('operator');
  const browser = await enter(key);
  const held = await world.call('fs.write', { path: 'b.txt', content: 'x' }, { max_autonomy: 'soft_gate' });
  expect(held.body.state).toBe('held');
  const operationId = held.body.operation_id as string;
  const pending = (await get(browser, '/v1/approvals', other)).body.items as JsonValue[];
  const { approval_id } = pending.find(({ operation_id }) => operation_id === operationId);
  const { body } = await get(browser, `/v1/approvals/${approval_id as string}`);
  expect(body.operation_id).toBe(operationId);
  const denied = await post(browser, `/v1/approvals/${approval_id as string}/deny`, {});
  expect([denied.status, denied.body.state]).toEqual([200, 'refused']);
  expect((await world.admin.get(`/v1/approvals/${approval_id as string}`)).text).toContain(id);
});

it('a change without the token, and one of another origin, does nothing', async () => {
  const browser = await enter((await newKey('admin')).key);
  const count = async (): Promise<number> => ((await world.admin.get('/v1/agents')).body.items as unknown[]).length;
  const before = await count();
  for (const changes of [{ 'writ-csrf': '' }, { origin: 'https://evil.example' }] as Record<string, string>[]) {
    const refused = await post(browser, '/v1/agents', { name: 'evil' }, changes);
    expect([refused.status, refused.body.code]).toEqual([403, 'auth.csrf']);
  }
  expect(await count()).toBe(before);
  expect((await post(browser, '/v1/agents', { name: 'good' })).status).toBe(201);
});

it('a revoked key ends its session at every replica within a second', async () => {
  const { id, key } = await newKey('operator');
  const browser = await enter(key);
  for (const at of [url, other]) expect((await get(browser, '/v1/tools', at)).status).toBe(200);
  await world.admin.request('DELETE', `/v1/api-keys/${id}`);
  expect((await get(browser, '/v1/tools')).body.code).toBe('auth.invalid');
  const refused = async (): Promise<boolean> => (await get(browser, '/v1/tools', other)).status === 401;
  await eventually('the end at the other replica', refused, CACHED_MS);
});

it('a session ends no later than its key', async () => {
  const expires_at = Date.now() + 600_000;
  const browser = await enter((await newKey('operator', { expires_at })).key);
  expect((await get(browser, '/v1/sign-in', other)).body).toMatchObject({ sign_in: null, key_session: { expires_at } });
});

it('the platform key and a wrong key sign nobody in, and no log has a key or a cookie', async () => {
  for (const key of [stack.keys.platformKey, `${world.admin.key?.slice(0, -4) ?? ''}AAAA`])
    expect((await enter(key)).cookiesFor(url)).toBe('');
  const { key } = await newKey('operator');
  const browser = await enter(key);
  const cookie = browser.cookiesFor(url).replace('writ_session=', '');
  expect(cookie).toMatch(/^writ_k_/);
  for (const secret of [key.slice(-43), cookie]) expect(stack.logs()).not.toContain(secret);
});

it('at `localhost` a person is sent to the public URL, and programs are not', async () => {
  const alias = url.replace('127.0.0.1', 'localhost');
  for (const path of ['/sign-in?to=/console/', '/console/']) {
    const { status, headers } = await fetch(`${alias}${path}`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, `${url}${path}`]);
  }
  expect((await new Api(alias, world.admin.key).get('/v1/tools')).status).toBe(200);
});
