// SPDX-License-Identifier: Apache-2.0
// "Not yours" and "not there" are one answer, on every route of the API's own document. A request without a key, or
// with one of another role, is refused.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import {
  FunctionWorker,
  makeWorld,
  RECORDED_MODEL,
  sharedStack,
  type Answer,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { ask, Document, urlOf, type Named, type Route } from '../openapi.ts';
import { MAY, ROLES, type Role } from '../route-roles.ts';
import { nothingLike, UNUSED_URL, createTenantObjects, type TenantObjects } from '../tenant-objects.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let ours: World;
let theirs: World;
let worker: FunctionWorker;
let routes: Route[];
let [own, foreign] = [{} as TenantObjects, {} as TenantObjects];

const grant = {
  tools: ['fs.read'],
  fs: [],
  net: [],
  secrets: [],
  budgets: {},
  not_before: 0,
  expires_at: Date.now() + 3_600_000,
};
/** Values for fields where the schema alone would produce invalid ones. */
const values = (): Named => ({
  grant,
  name: 'sample',
  cron: '@yearly',
  time_zone: 'UTC',
  tools: [],
  conversation: 'fresh',
  role: 'auditor',
  tool_id: 'fs.read',
  args: { path: 'a.txt' },
  model: RECORDED_MODEL,
  input: 'do it',
  after: 0,
  idempotency_key: randomUUID(),
  files: [{ path: 'x.txt', content: 'x' }],
  url: UNUSED_URL,
  dialect: 'blocks',
  output: '[TOOL_CALL:a] {"action":"fs.read","args":{"path":"a.txt"}}',
  session_id: 'sample',
  turn_id: randomUUID(),
});

beforeAll(async () => {
  stack = await sharedStack();
  const world = (name: string) =>
    makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': `of ${name}\n`, 'deep/c.txt': `of ${name}\n` } });
  ours = await world('ours');
  theirs = await world('theirs');
  const { platformKey } = stack.keys;
  [own, foreign] = [await createTenantObjects(ours, platformKey), await createTenantObjects(theirs, platformKey)];
  worker = await FunctionWorker.create(ours, ['*']);
  routes = (await Document.of(ours.admin)).routes;
});

const apiOf = (world: World, role: Role) => (role === 'worker' ? worker.api : world[role]);
const guarded = (): Route[] => routes.filter(({ isPublic }) => !isPublic);
const allowedOf = ({ id }: Route): readonly Role[] =>
  ROLES.filter((role) => Array.isArray(MAY[id]) && MAY[id].includes(role));

/**
 * Ids in a query or a body that need no foreign object: a path depends on its workspace, an agent chooses the name of
 * its session, and a profile may name an image before it is there.
 */
const NO_ID: ReadonlySet<string> = new Set(['path', 'session_id', 'image']);
/** Of paths: names that may be the same in every tenant, places in its log, and what the platform alone names. */
const NOT_UNIQUE: ReadonlySet<string> = new Set([
  'name',
  'tool_id',
  'policy',
  'leaf_index',
  'bundle',
  'tile',
  'tenant_id',
]);

/** Headers that differ from one answer to the next of the same caller. */
const VARYING = ['date', 'content-length', 'writ-request-id', 'writ-operation-id', 'location', 'etag', 'ratelimit'];

/** The answer without parts that differ between any two requests: its own ids, the log index, and the requested ids. */
function essence({ status, headers, text }: Answer<JsonValue>, asked: readonly string[]): JsonValue {
  const reported = asked
    .reduce((all, id) => all.replaceAll(id, '<asked>'), text)
    .replaceAll(
      /(req|op|rec|key|agt|wsp|cap|apr|whk|dlv|ntc|frz|dlg|ers|ses|run|idp|per)_[0-7][0-9a-hjkmnp-tv-z]{25}/g,
      '<$1>',
    )
    .replaceAll(/"(created_at|updated_at)":\d+/g, '"$1":0')
    // Whether the ledger has answered by now depends on timing.
    .replaceAll(/"(leaf_index|tree_size)":(?:\d+|null)/g, '"$1":0')
    .replaceAll(/"state":"(?:pending|logged)","record_id"/g, '"state":"<receipt>","record_id"')
    .replaceAll(/writ_[a-z0-9]+_[A-Za-z0-9_-]{43}/g, '<key>');
  const kept = [...headers].filter(([name]) => !VARYING.includes(name));
  return { status, told: reported, kept: Object.fromEntries(kept) };
}

it('the document and the table have the same routes', () => {
  expect(routes.map(({ id }) => id).sort()).toEqual(Object.keys(MAY).sort());
  expect(
    routes
      .filter(({ isPublic }) => isPublic)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(
    Object.entries(MAY)
      .filter(([, may]) => may === 'public')
      .map(([id]) => id)
      .sort(),
  );
});

it("no list shows another tenant's objects, not even with its cursors", async () => {
  const lists = guarded().filter(
    ({ method, id, parameters }) =>
      method === 'GET' && id.startsWith('list') && parameters.some(({ name }) => name === 'cursor'),
  );
  const secrets = [
    ...Object.entries(foreign.named)
      .filter(([name]) => name !== 'path')
      .map(([, id]) => String(id)),
    theirs.tenantId,
  ];
  expect(lists.length).toBeGreaterThan(6);
  for (const route of lists) {
    const { body } = await ask(theirs.admin, route, foreign.named, { limit: '1' });
    const cursors = body.next_cursor === null ? [] : [body.next_cursor as string];
    for (const query of [{}, ...cursors.map((cursor) => ({ cursor }))]) {
      const answer = await ask(ours.admin, route, own.named, query);
      for (const secret of secrets)
        expect({ route: route.id, leaks: answer.text.includes(secret) }).toEqual({ route: route.id, leaks: false });
    }
  }
});

it('there is an object for each id that a path can have', () => {
  const ids = guarded().flatMap(({ parameters }) =>
    parameters.filter((one) => one.in === 'path').map(({ name }) => name),
  );
  expect([...new Set(ids)].filter((name) => !(name in own.named) && !NOT_UNIQUE.has(name))).toEqual([]);
});

it("another tenant's objects and unknown ones get the same answer, wherever an id can be", async () => {
  const before = await stateOf(theirs);
  const different: JsonValue[] = [];
  let compared = 0;
  for (const route of guarded()) {
    // A path is no tenant's id: its content depends on the workspace.
    const inQuery = route.parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name }) => name)
      .filter((name) => name in own.named && !NO_ID.has(name));
    const inPath = route.parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name)
      .filter((name) => name in own.named && name !== 'path');
    const inBody = Object.keys((route.body?.['properties'] ?? {}) as object).filter(
      (name) => name in own.named && !NO_ID.has(name),
    );
    for (const role of allowedOf(route)) {
      for (const place of [...inPath, ...inBody, ...inQuery]) {
        const named = { ...values(), ...own.named };
        const answers = [foreign.named, foreign.nothing].map((others) =>
          ask(
            apiOf(ours, role),
            withBody(route, inBody),
            { ...named, [place]: others[place] },
            inQuery.includes(place) ? { [place]: String(others[place]) } : {},
          ),
        );
        const [notOurs, notThere] = (await Promise.all(answers)).map((answer) =>
          essence(answer, [foreign.named[place], foreign.nothing[place]].map(String)),
        );
        compared += 1;
        if (JSON.stringify(notOurs) !== JSON.stringify(notThere))
          different.push({ route: route.id, role, place, notOurs, notThere });
        // Only a list may answer a foreign id with a success: an empty one.
        if ((notOurs as JsonValue).status < 300 && !isEmptyList(notOurs) && !isRefusedCall(notOurs))
          different.push({ route: route.id, role, place, notOurs });
      }
    }
  }
  expect(different).toEqual([]);
  expect(compared).toBeGreaterThan(80);
  expect(await stateOf(theirs)).toEqual(before);
});

/** Optional ids of a body are sent too. */
function withBody(route: Route, inBody: readonly string[]): Route {
  return route.body === null
    ? route
    : {
        ...route,
        body: {
          ...route.body,
          required: [...new Set([...((route.body['required'] as string[] | undefined) ?? []), ...inBody])],
        },
      };
}
/** No items, or no permit: that of a call that doesn't wait for its proposer. */
const isEmptyList = ({ told }: JsonValue): boolean => /^\{(?:"items":\[\]|"permit":null\})/.test(told as string);
const isRefusedCall = ({ told }: JsonValue): boolean =>
  (/"tx_outcome":"(rolled_back|no_op)"/.test(told as string) && /"status":"error"/.test(told as string)) ||
  /"standing":"denied"[^]*"state":"refused"/.test(told as string);

async function stateOf(world: World): Promise<JsonValue> {
  const lists = [
    '/v1/api-keys',
    '/v1/agents',
    '/v1/operations',
    '/v1/approvals',
    '/v1/approvals/delegations',
    '/v1/capability-tokens',
    '/v1/freezes',
    '/v1/workspaces',
    '/v1/webhooks',
    '/v1/sandboxes',
    '/v1/execution-profiles',
    '/v1/skills',
    '/v1/registrar-keys',
    `/v1/workspaces/${world.workspaceId}/history`,
  ];
  return await Promise.all(lists.map(async (path) => (await world.admin.get(`${path}?limit=200`)).body));
}

it('the same idempotency key of two tenants is two keys', async () => {
  const idempotency_key = randomUUID();
  const [a, b] = await Promise.all(
    [ours, theirs].map((world) =>
      world.call('fs.write', { path: 'same-key.txt', content: world.tenantId }, { idempotency_key }),
    ),
  );
  expect([a!.body.tx_outcome, b!.body.tx_outcome]).toEqual(['committed', 'committed']);
  expect([await ours.file('same-key.txt'), await theirs.file('same-key.txt')]).toEqual([
    ours.tenantId,
    theirs.tenantId,
  ]);
});

it('a request without a valid key is refused', async () => {
  const revoked = await ours.admin.must('/v1/api-keys', { name: 'revoked', role: 'admin' });
  const { status, text } = await ours.admin.request('DELETE', `/v1/api-keys/${revoked.api_key_id as string}`);
  expect({ status, text }).toMatchObject({ status: 200 });
  const wrong: readonly [string, Record<string, string>, string][] = [
    ['none', {}, 'auth.missing'],
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }, 'auth'],
    ['an empty one', { authorization: 'Bearer ' }, 'auth'],
    ['a made-up one', { authorization: `Bearer writ_${'0'.repeat(26)}_${'A'.repeat(43)}` }, 'auth.invalid'],
    ['a key id alone', { authorization: `Bearer ${own.keyId}` }, 'auth.invalid'],
    ['a revoked one', { authorization: `Bearer ${revoked.api_key as string}` }, 'auth.invalid'],
    ['control characters', { authorization: 'Bearer \t\u00ff' }, 'auth'],
  ];
  for (const route of guarded()) {
    for (const [what, headers, code] of wrong) {
      const response = await fetch(`${stack.url}${urlOf(route, own.named)}`, { method: route.method, headers });
      const body = (await response.json()) as JsonValue;
      expect({ route: route.id, what, status: response.status, code: (body.code as string).startsWith(code) }).toEqual({
        route: route.id,
        what,
        status: 401,
        code: true,
      });
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
    }
  }
});

it('a key of another role is refused on every route, before the request is parsed', async () => {
  for (const route of guarded()) {
    for (const role of ROLES.filter((name) => !allowedOf(route).includes(name))) {
      for (const ids of [own.named, own.nothing]) {
        const { status, body } = await ask(apiOf(ours, role), route, { ...values(), ...ids });
        expect({ route: route.id, role, status, code: body?.code }).toEqual({
          route: route.id,
          role,
          status: 403,
          code: 'auth.role',
        });
      }
    }
    if (MAY[route.id]?.includes('platform') === true) continue;
    const platform = await ask(ours.admin.as(stack.keys.platformKey), route, { ...values(), ...own.named });
    expect({ route: route.id, refused: [401, 403].includes(platform.status) }).toEqual({
      route: route.id,
      refused: true,
    });
  }
});

it("an agent's key can act only for its agent", async () => {
  const other = (await ours.admin.must('/v1/agents', { name: 'another' })).agent_id as string;
  const call = (agent_id: string) => ours.call('fs.read', { path: 'a.txt' }, { agent_id });
  const [notIts, notThere] = [await call(other), await call(nothingLike(other))].map((answer) => essence(answer, []));
  expect(notIts).toEqual(notThere);
  const theirsToo = await ours.admin.must('/v1/capability-tokens', {
    agent_id: other,
    workspace_id: ours.workspaceId,
    grant,
  });
  expect((await ours.agent.get('/v1/capability-tokens')).text).not.toContain(theirsToo.capability_token_id);
  const id = theirsToo.capability_token_id as string;
  const [seen, missing] = [
    await ours.agent.get(`/v1/capability-tokens/${id}`),
    await ours.agent.get(`/v1/capability-tokens/${nothingLike(id)}`),
  ].map((answer) => essence(answer, []));
  expect(seen).toEqual(missing);
});
