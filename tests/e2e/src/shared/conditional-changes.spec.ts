// SPDX-License-Identifier: Apache-2.0
// Conditional requests: of several writers that have read the same state, one changes what has an `ETag`.
import { Writ } from '@writ/client';
import { makeWorld, RECORDED_MODEL, sharedStack, type Answer, type JsonValue, type World } from '@writ/stack';
import { UNUSED_URL } from '../tenant-objects.ts';

let world: World;
beforeAll(async () => {
  const stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'before\n' } });
});

/** A thing that has a tag: where it is shown, and a change that differs with each number. */
interface Thing {
  readonly path: string;
  readonly change: (n: number) => { method: string; path?: string; body: unknown };
  readonly remove?: true;
}

const hook = (n: number) => ({
  name: `hook ${String(n)}`,
  url: UNUSED_URL,
  events: ['approval.pending'],
  state: 'active',
});
const job = (n: number) => ({
  name: `job ${String(n)}`,
  cron: '@yearly',
  workspace_id: world.workspaceId,
  capability_token_id: world.tokenId,
  model: RECORDED_MODEL,
  input: 'do it',
});
const search = (n: number) => ({ kind: 'searxng', url: `https://searx${String(n)}.example.org` });

const THINGS: Readonly<Record<string, () => Promise<Thing>>> = {
  'the settings of calls': async () => ({
    path: '/v1/call-settings',
    change: (n) => ({ method: 'PATCH', body: { output_bytes: 2_000 + n } }),
  }),
  'the retention': async () => ({
    path: '/v1/retention',
    change: (n) => ({ method: 'PUT', body: { payload_days: 100 + n, output_days: null } }),
  }),
  'a resource': async () => {
    const { resource_id } = await world.admin.must('/v1/resources', {
      kind: 'search_engine',
      name: 'conditional',
      settings: search(0),
    });
    return {
      path: `/v1/resources/${String(resource_id)}`,
      change: (n) => ({ method: 'PATCH', body: { settings: search(n), expected_version: 1 } }),
      remove: true,
    };
  },
  'a webhook': async () => {
    const { state: _active, ...made } = hook(0);
    const { webhook_id } = await world.admin.must('/v1/webhooks', made);
    return {
      path: `/v1/webhooks/${String(webhook_id)}`,
      change: (n) => ({ method: 'PUT', body: hook(n) }),
      remove: true,
    };
  },
  'a job': async () => {
    const { job_id } = await world.admin.must('/v1/jobs', job(0));
    return { path: `/v1/jobs/${String(job_id)}`, change: (n) => ({ method: 'PUT', body: job(n) }), remove: true };
  },
  'a file': async () => ({
    path: `/v1/workspaces/${world.workspaceId}/files/a.txt`,
    change: (n) => ({ method: 'PUT', body: `text ${String(n)}\n` }),
    remove: true,
  }),
  'the policy in force': async () => {
    const cedar = '@id("all") @reason("all is permitted") permit (principal, action, resource);';
    const nameOf = (n: number): string => `conditional-${String(n)}`;
    for (let n = 0; n < WRITERS + 2; n += 1)
      await world.admin.must('/v1/policies', { document: { v: 1, name: nameOf(n), cedar } });
    return {
      path: '/v1/policies/active',
      change: (n) => ({ method: 'POST', path: '/v1/policies/activate', body: { policy: nameOf(n) } }),
    };
  },
};

/** Writers that have read the same state. */
const WRITERS = 5;

const send = (thing: Thing, n: number, headers: Record<string, string>): Promise<Answer<JsonValue>> => {
  const { method, path = thing.path, body } = thing.change(n);
  const type: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/octet-stream' } : {};
  return world.admin.request(method, path, body, { ...type, ...headers });
};
const tagOf = async (thing: Thing): Promise<string> => (await world.admin.get(thing.path)).headers.get('etag') ?? '';
const REFUSED = { status: 412, body: { code: 'precondition.failed', retry: 'never' } };

describe.each(Object.keys(THINGS))('%s', (name) => {
  let thing: Thing;
  beforeAll(async () => {
    thing = await THINGS[name]!();
  });

  test('has a tag that stays while it does, and a client that has it gets no body', async () => {
    const [first, second] = [await tagOf(thing), await tagOf(thing)];
    expect(first).toMatch(/^"[0-9a-f]{64}"$/);
    expect(second).toBe(first);
    const again = await world.admin.get(thing.path, { 'if-none-match': first });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', first]);
    expect((await world.admin.get(thing.path, { 'if-none-match': `"${'0'.repeat(64)}"` })).status).toBe(200);
  });

  test('is changed by exactly one of several writers that have read the same state', async () => {
    const tag = await tagOf(thing);
    const answers = await Promise.all(
      Array.from({ length: WRITERS }, (_, n) => send(thing, n + 1, { 'if-match': tag })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect([name, answers.map(({ status }) => status).sort(), won[0]?.text]).toEqual([
      name,
      [200, ...Array<number>(WRITERS - 1).fill(412)],
      expect.anything(),
    ]);
    for (const lost of answers.filter(({ status }) => status !== 200)) expect(lost).toMatchObject(REFUSED);
    expect(await tagOf(thing)).not.toBe(tag);
  });

  test('is not changed under the tag of an earlier state, under a weak one or under none of its own', async () => {
    const tag = await tagOf(thing);
    for (const other of [`"${'0'.repeat(64)}"`, `W/${tag}`])
      expect([name, await send(thing, WRITERS + 1, { 'if-match': other })]).toMatchObject([name, REFUSED]);
    expect(await tagOf(thing)).toBe(tag);
    expect(await send(thing, WRITERS + 1, { 'if-match': 'unquoted' })).toMatchObject({
      status: 400,
      body: { code: 'request.malformed' },
    });
  });

  test('is removed under its present tag alone', async () => {
    if (thing.remove === undefined) return;
    const remove = (tag: string) => world.admin.request('DELETE', thing.path, undefined, { 'if-match': tag });
    expect([name, await remove(`"${'0'.repeat(64)}"`)]).toMatchObject([name, REFUSED]);
    expect((await remove(await tagOf(thing))).status).toBe(200);
  });
});

test('a file is made by one of several writers that want it to be new', async () => {
  const path = `/v1/workspaces/${world.workspaceId}/files/new.txt`;
  const headers = { 'content-type': 'application/octet-stream', 'if-none-match': '*' };
  const answers = await Promise.all(
    Array.from({ length: WRITERS }, (_, n) => world.admin.request('PUT', path, `text ${String(n)}`, headers)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(WRITERS - 1).fill(412)]);
});

test('a route that compares no tags refuses a condition, and does nothing', async () => {
  const answer = await world.admin.post('/v1/agents', { name: 'conditional' }, { 'if-match': '"x"' });
  expect(answer).toMatchObject({ status: 400, body: { code: 'request.malformed' } });
  const { items } = (await world.admin.get('/v1/agents')).body as { items: { name: string }[] };
  expect(items.map(({ name }) => name)).not.toContain('conditional');
});

test('the client library names the state by the answer that it has read', async () => {
  const { url, key } = world.admin;
  const { callSettings } = new Writ({ url, apiKey: key });
  const seen = await callSettings.get();
  const changed = await callSettings.set({ output_bytes: 5_000 }, { ifMatch: seen });
  await expect(callSettings.set({ output_bytes: 6_000 }, { ifMatch: seen })).rejects.toMatchObject({
    code: 'precondition.failed',
  });
  expect(await callSettings.get()).toEqual(changed);
});
