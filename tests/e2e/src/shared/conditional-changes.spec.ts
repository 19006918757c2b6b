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
  /** the answer of a change shows something else */
  readonly isReplied?: true;
}
const skill = (n: number) => ({
  files: [{ path: 'SKILL.md', content: `---\nname: conditional\ndescription: how to release ${String(n)}\n---\n` }],
});

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
  'a secret': async () => {
    const put = (n: number) => ({ name: 'CONDITIONAL', value: `value ${String(n)}` });
    await world.admin.request('PUT', '/v1/secrets', put(0));
    return {
      path: '/v1/secrets/CONDITIONAL',
      change: (n) => ({ method: 'PUT', path: '/v1/secrets', body: put(n) }),
      remove: true,
    };
  },
  'a grant of a resource': async () => {
    // Each of the changes differs from the first state.
    const put = (n: number) => ({
      ...{ kind: 'search_engine', resource_id: null, right: 'use', agent_id: world.agentId },
      clearance: n === 0 ? 'autopilot' : n % 2 === 0 ? 'escalated' : 'soft_gate',
    });
    const { body } = await world.admin.request('PUT', '/v1/resource-grants', put(0));
    return {
      path: `/v1/resource-grants/${String(body.resource_grant_id)}`,
      change: (n) => ({ method: 'PUT', path: '/v1/resource-grants', body: put(n) }),
      remove: true,
    };
  },
  'an approver group': async () => {
    const put = (n: number) => ({ name: 'conditional', members: ['ann'], description: `group ${String(n)}` });
    await world.admin.request('PUT', '/v1/approver-groups', put(0));
    return {
      path: '/v1/approver-groups/conditional',
      change: (n) => ({ method: 'PUT', path: '/v1/approver-groups', body: put(n) }),
      remove: true,
    };
  },
  'an identity provider': async () => {
    const named = { name: 'conditional', issuer: 'https://conditional.example.org' };
    const platform = world.admin.as((await sharedStack()).keys.platformKey);
    await platform.must(`/v1/tenants/${world.tenantId}/identity-providers`, named);
    return {
      path: '/v1/identity-providers/conditional',
      change: (n) => ({
        method: 'POST',
        path: '/v1/identity-providers',
        body: { ...named, sign_in: { client_id: `client-${String(n)}` } },
      }),
      remove: true,
    };
  },
  'a skill': async () => {
    await world.admin.must('/v1/skills', skill(0));
    return {
      path: '/v1/skills/conditional',
      change: (n) => ({ method: 'POST', path: '/v1/skills', body: skill(n) }),
      remove: true,
      isReplied: true,
    };
  },
  'a sandbox': async () => {
    const put = (n: number) => ({
      ...{ name: 'conditional', workspace_id: world.workspaceId },
      fragments: { greet: [{ verb: 'Echo', args: [String(n)] }] },
    });
    await world.admin.request('PUT', '/v1/sandboxes', put(0));
    return {
      path: '/v1/sandboxes/conditional',
      change: (n) => ({ method: 'PUT', path: '/v1/sandboxes', body: put(n) }),
      remove: true,
      isReplied: true,
    };
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
    const after = await tagOf(thing);
    expect(after).not.toBe(tag);
    const shown = won[0]?.headers.get('etag') ?? null;
    if (thing.path.includes('/files/') || thing.path.startsWith('/v1/policies')) return;
    expect([name, shown]).toEqual([name, thing.isReplied === true ? null : after]);
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

test('a profile is removed, and a token revoked, under the present tag alone', async () => {
  const name = 'conditional';
  const limits = { wall_ms: 1_000, memory_bytes: 64 * 1024 * 1024 };
  await world.admin.must('/v1/execution-profiles', { name, shells: ['Bash'], limits });
  const token = await world.admin.must(`/v1/capability-tokens/${world.tokenId}/attenuate`, { grant: await ownGrant() });
  const tokenPath = `/v1/capability-tokens/${String(token.capability_token_id)}`;
  const ends = [
    { path: `/v1/execution-profiles/${name}`, method: 'DELETE', at: `/v1/execution-profiles/${name}` },
    { path: tokenPath, method: 'POST', at: `${tokenPath}/revoke` },
  ];
  for (const { path, method, at } of ends) {
    const end = (tag: string) =>
      world.admin.request(method, at, method === 'POST' ? {} : undefined, { 'if-match': tag });
    const tag = (await world.admin.get(path)).headers.get('etag') ?? '';
    expect([at, await end(`"${'0'.repeat(64)}"`)]).toMatchObject([at, REFUSED]);
    expect((await world.admin.get(path)).headers.get('etag')).toBe(tag);
    expect([at, (await end(tag)).status]).toEqual([at, 200]);
  }
  expect((await world.admin.get(tokenPath)).body).toMatchObject({ revoked: true });
});
const ownGrant = async (): Promise<JsonValue> =>
  (await world.admin.get(`/v1/capability-tokens/${world.tokenId}`)).body.grant as JsonValue;

test('any state is one that there is: nothing is made under `*`, and what is there is changed', async () => {
  const any = { 'if-match': '*' };
  const file = `/v1/workspaces/${world.workspaceId}/files/any.txt`;
  const bytes = { 'content-type': 'application/octet-stream' };
  const puts = [
    ['/v1/secrets', '/v1/secrets/ANY', { name: 'ANY', value: 'value' }, {}],
    ['/v1/sandboxes', '/v1/sandboxes/any', { name: 'any', workspace_id: world.workspaceId }, {}],
    [file, file, 'text', bytes],
  ] as const;
  for (const [path, at, body, headers] of puts) {
    const put = (more: Record<string, string>) => world.admin.request('PUT', path, body, { ...headers, ...more });
    expect([path, await put(any)]).toMatchObject([path, REFUSED]);
    expect([path, (await world.admin.get(at)).status]).toEqual([path, 404]);
    await put({});
    expect([path, (await put(any)).status]).toEqual([path, 200]);
    // The tag of one character is no state of anything.
    expect([path, await put({ 'if-match': '"*"' })]).toMatchObject([path, REFUSED]);
  }
  const { policy_hash: policy } = (await world.admin.get('/v1/policies/active')).body;
  expect((await world.admin.post('/v1/policies/activate', { policy }, any)).status).toBe(200);
});

test('the token endpoint answers a condition as OAuth does', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'if-match': '*' };
  const answer = await fetch(`${world.admin.url}/v1/oauth/token`, { method: 'POST', headers, body: 'grant_type=x' });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    { error: 'invalid_request', error_description: expect.stringContaining('if-match') },
  ]);
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
