// SPDX-License-Identifier: Apache-2.0
// Calls every route of the served document with every kind of key.
import { request as httpRequest } from 'node:http';
import { LIMITS } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { KEY_ROLES } from '../edge/requests/route.ts';
import { ROUTES } from './routes.ts';
import { Compile } from 'typebox/compile';
import { sampleOf } from '../specs/sample-requests.ts';
import { createFixture, type Fixture } from '../specs/tenant-fixture.ts';
import { openTestApi, PLATFORM_KEY, problem, type TestApi, type TestTenant } from '../specs/test-api.ts';

interface Operation {
  readonly operationId: string;
  readonly security?: unknown[];
  readonly requestBody?: unknown;
  readonly responses: Record<string, { content?: Record<string, unknown> }>;
}

let api: TestApi;
let mine: TestTenant;
let theirs: TestTenant;
let has: Fixture;
let foreign: Fixture;
let documented: { method: string; path: string; operation: Operation }[];

beforeAll(async () => {
  api = await openTestApi({ WRIT_PUBLIC_URL: 'https://writ.example.org' });
  [mine, theirs] = [await api.newTenant(), await api.newTenant()];
  [has, foreign] = [await createFixture(api, mine), await createFixture(api, theirs)];
  const { paths } = (await api.ask('GET', '/openapi.json')).json as {
    paths: Record<string, Record<string, Operation>>;
  };
  documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
});
afterAll(() => api.close());

const rowOf = (id: string) => ROUTES.find((row) => row.id === id)!;
const fill = (path: string, ids: Record<string, string>): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => ids[name] ?? 'missing');
const keyOf = (role: string, tenant = mine): string => (role === 'platform' ? PLATFORM_KEY : tenant[role as 'admin']);
const keyFor = (id: string, tenant = mine): string | undefined => {
  const { allowed } = rowOf(id);
  if (allowed === 'public') return undefined;
  return allowed === 'platform' ? PLATFORM_KEY : keyOf(allowed[0]!, tenant);
};
const ask = (
  method: string,
  path: string,
  id: string,
  key: string | undefined,
  ids: Fixture = has,
  from: Fixture = ids,
) => {
  const { query = '', ...sample } = sampleOf(id, from);
  return api.ask(method, `${fill(path, ids)}${query}`, { ...sample, ...(key === undefined ? {} : { key }) });
};
/**
 * Sends the head of a request alone, and resolves with the status of the answer: a body that is announced as too large
 * needn't come.
 */
const sendHeaders = (url: string, method: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.flushHeaders();
  });
const each = async (run: (one: (typeof documented)[number]) => Promise<void>): Promise<void> => {
  for (const one of documented) await run(one);
};
/** Removes the request id, the only legitimate difference between two equal answers. */
const alike = (text: string): string => text.replaceAll(/urn:writ:request:req_[0-9a-z]+/g, 'urn');

it('documents every route of the table, and no other', () => {
  expect(documented.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(
    ROUTES.map(({ method, path }) => `${method} ${path}`).sort(),
  );
  expect(documented.length).toBeGreaterThan(35);
});

it('rejects requests without a key, with a forged key or with a malformed one', async () => {
  await each(async ({ method, path, operation: { operationId, security } }) => {
    if (security?.length === 0) return;
    for (const [key, code] of [
      [undefined, 'auth.missing'],
      [`writ_${newId('apiKey').slice(4)}_${'A'.repeat(43)}`, 'auth.invalid'],
      ['word', 'auth.invalid'],
    ] as const) {
      const answer = await ask(method, path, operationId, key);
      expect([operationId, answer.json]).toEqual([operationId, problem(code, 401)]);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });
});

it('refuses every role that a route does not list, and the platform key where it is not listed', async () => {
  await each(async ({ method, path, operation: { operationId } }) => {
    const { allowed } = rowOf(operationId);
    if (allowed === 'public') return;
    const refused = [
      ...KEY_ROLES.filter((role) => allowed === 'platform' || !allowed.includes(role)).map((role) => mine[role]),
      ...(allowed.includes('platform') ? [] : [PLATFORM_KEY]),
    ];
    for (const key of refused)
      expect([operationId, (await ask(method, path, operationId, key)).json['code']]).toEqual([
        operationId,
        'auth.role',
      ]);
  });
});

it('answers every allowed role with a documented status', async () => {
  await each(async ({ method, path, operation: { operationId, responses } }) => {
    const row = rowOf(operationId);
    // A grant is good once, and each has a spec of its own.
    if (row.form !== undefined) return;
    const keys = Array.isArray(row.allowed) ? row.allowed.map((role: string) => keyOf(role)) : [keyFor(operationId)];
    for (const key of keys) {
      const answer = await ask(method, path, operationId, key, has);
      const declared = responses[String(answer.status)];
      expect([operationId, answer.status, answer.text]).toEqual([
        operationId,
        Number(Object.keys(row.answers)[0]),
        expect.anything(),
      ]);
      expect(Object.keys(declared?.content ?? { '': {} })).toContain(
        (answer.headers.get('content-type') ?? '').split(';')[0],
      );
      const { schema } = row.answers[answer.status] ?? {};
      if (schema) expect([operationId, Compile(schema).Errors(answer.json)]).toEqual([operationId, []]);
    }
  });
});

it('answers "not yours" as "not there": the same bytes but for the request\'s id', async () => {
  const unknown: Fixture = {
    ...has,
    agent_id: newId('agent'),
    workspace_id: newId('workspace'),
    operation_id: newId('operation'),
    approval_id: newId('approval'),
    capability_token_id: newId('token'),
    api_key_id: newId('apiKey'),
    webhook_id: newId('webhook'),
    channel_id: newId('channel'),
    delivery_id: newId('delivery'),
    freeze_id: newId('freeze'),
    resource_id: newId('resource'),
    resource_grant_id: newId('resourceGrant'),
    erasure_id: newId('erasure'),
    delegation_id: newId('delegation'),
    budget_id: newId('budget'),
    session_id: newId('session'),
    run_id: newId('run'),
    job_id: newId('job'),
    tenant_id: newId('tenant'),
    name: 'NOTHING',
    provider: 'nothing',
    person_id: newId('person'),
    member_id: newId('member'),
    invitation_id: newId('invitation'),
    sign_in_id: newId('signIn'),
    tile: '0/999',
    bundle: '999',
    leaf_index: '999',
    tool_id: 'nothing',
    container_id: '0'.repeat(32),
    sandbox: 'nothing',
    profile: 'nothing',
    group: 'nothing',
    image: 'nothing',
    mcp_server: 'nothing',
    connection_id: newId('connection'),
    skill: 'nothing',
    keyid: '1'.repeat(43),
    policy: '1'.repeat(64),
  };
  let walked = 0;
  await each(async ({ method, path, operation: { operationId } }) => {
    // The platform key belongs to no tenant: for it a tenant either exists or not.
    if (!path.includes('{') || rowOf(operationId).allowed === 'platform') return;
    const key = keyFor(operationId);
    const [notMine, notThere, noId] = [
      await ask(method, path, operationId, key, foreign, has),
      await ask(method, path, operationId, key, unknown, has),
      await ask(
        method,
        path,
        operationId,
        key,
        Object.fromEntries(Object.keys(has).map((name) => [name, 'banana'])) as Fixture,
        has,
      ),
    ];
    expect([operationId, notMine.status, notMine.json['code']]).toEqual([operationId, 404, 'not_found']);
    for (const other of [notThere, noId])
      expect([operationId, alike(other.text)]).toEqual([operationId, alike(notMine.text)]);
    expect([...notThere.headers.keys()]).toEqual([...notMine.headers.keys()]);
    walked += 1;
  });
  expect(walked).toBe(
    documented.filter(
      ({ path, operation }) => path.includes('{') && rowOf(operation.operationId).allowed !== 'platform',
    ).length,
  );
});

it('answers ids of other tenants in a body like ids that do not exist', async () => {
  for (const [operationId, path] of [
    ['createApiKey', '/v1/api-keys'],
    ['issueToken', '/v1/capability-tokens'],
  ] as const) {
    const answers = await Promise.all(
      [foreign, { ...has, agent_id: newId('agent'), workspace_id: newId('workspace') }].map((ids) =>
        ask('POST', path, operationId, mine.admin, has, ids),
      ),
    );
    for (const { status, json } of answers)
      expect([operationId, status, json['code']]).toEqual([operationId, 404, 'not_found']);
    expect(alike(answers[0]!.text)).toBe(alike(answers[1]!.text));
  }
});

it('refuses what is no JSON, of another shape or of another type, on every route that takes JSON', async () => {
  await each(async ({ method, path, operation: { operationId } }) => {
    const row = rowOf(operationId);
    if (row.body === undefined) return;
    const send = (text: string, headers = {}) =>
      api.ask(method, fill(path, has), { text, headers, key: keyFor(operationId)! });
    const codes = async (...texts: string[]) => Promise.all(texts.map(async (text) => (await send(text)).json['code']));
    expect([
      operationId,
      ...(await codes(
        '{',
        '[]',
        '"x"',
        '{"a":1,"a":2}',
        '{"no_such_field":1}',
        '{"a":"\\u0000"}',
        '{"a":9007199254740993}',
        '{"a":"\\ud800"}',
      )),
    ]).toEqual([operationId, ...Array<string>(8).fill('request.malformed')]);
    expect((await send('{}', { 'content-type': 'text/plain' })).json).toEqual(
      problem('request.unsupported_media_type', 415),
    );
  });
});

it('refuses a body that is larger than a route takes, on every route that takes one, as its document says', async () => {
  let walked = 0;
  await each(async ({ method, path, operation: { operationId, responses } }) => {
    const row = rowOf(operationId);
    if (row.body === undefined && row.bytes !== true) return;
    const bytesMax =
      row.bytes === true
        ? (row.bytesOf?.bytesMax ?? LIMITS.uploadBytes.max)
        : (row.bodyBytesMax ?? LIMITS.httpBodyBytes.max);
    const status = await sendHeaders(`${api.url}${fill(path, has)}`, method, {
      authorization: `Bearer ${keyFor(operationId)!}`,
      'content-length': String(bytesMax + 1),
      'content-type': row.bytes === true ? (row.bytesOf?.media ?? 'application/octet-stream') : 'application/json',
    });
    expect([operationId, status, Object.keys(responses)]).toEqual([operationId, 413, expect.arrayContaining(['413'])]);
    walked += 1;
  });
  expect(walked).toBeGreaterThan(50);
});

it('lists what is answered where nothing is by a name in the path, and where headers are too large', async () => {
  await each(async ({ path, operation: { operationId, responses } }) => {
    expect([operationId, Object.keys(responses)]).toEqual([
      operationId,
      expect.arrayContaining(['413', ...(path.includes('{') ? ['404'] : [])]),
    ]);
  });
  expect(await sendHeaders(`${api.url}/v1/agents`, 'GET', { 'x-large': 'x'.repeat(64 * 1024) })).toBe(413);
});

it('refuses a method that a path does not take, and says which it takes', async () => {
  await each(async ({ path }) => {
    const takes = documented.filter((one) => one.path === path).map((one) => one.method);
    const answer = await api.ask(
      ['PATCH', 'DELETE', 'PUT'].find((method) => !takes.includes(method)) ?? '',
      fill(path, has),
    );
    expect([path, answer.status, answer.json['code']]).toEqual([path, 405, 'request.method_not_allowed']);
    expect([
      path,
      answer.headers
        .get('allow')
        ?.split(', ')
        .filter((method) => method !== 'HEAD')
        .sort(),
    ]).toEqual([path, takes.sort()]);
  });
});

it('takes no concrete path for the value of a parameter, and no method that HTTP has and it has not', async () => {
  const headers = { 'writ-version': 'none' };
  const refused = (code: string) => ({ status: 405, json: { code } });
  for (const [method, path] of [
    ['DELETE', '/v1/sign-ins/own'],
    ['GET', '/v1/policies/rollback'],
    ['PUT', '/v1/jobs'],
  ] as const)
    expect(await api.ask(method, path, { headers })).toMatchObject(refused('request.method_not_allowed'));
  // Fastify looks at the body of such a request before it has no route.
  expect(await api.ask('QUERY', '/v1/jobs')).toMatchObject(refused('request.method_not_allowed'));
  expect((await api.ask('QUERY', '/v1/job')).json['code']).toBe('route.unknown');
});

it('refuses query parameters that it does not know', async () => {
  await each(async ({ method, path, operation: { operationId } }) => {
    if (rowOf(operationId).allowed === 'public') return;
    const { query: _query, ...sample } = sampleOf(operationId, has);
    const answer = await api.ask(method, `${fill(path, has)}?no_such=1`, { ...sample, key: keyFor(operationId)! });
    expect([operationId, answer.json['code']]).toEqual([operationId, 'query.invalid']);
    for (const name of Object.keys(rowOf(operationId).query?.properties ?? {}))
      expect([operationId, answer.json['detail']]).toEqual([operationId, expect.stringContaining(`\`${name}\``)]);
  });
});
