// SPDX-License-Identifier: Apache-2.0
// Sends every example of the API's own document to a whole Writ, as a reader of the document would, with ids of its own
// in place of those that are shown. What a route answers has the form that the document says.
import { vi } from 'vitest';
import {
  makeWorld,
  RECORDED_MODEL,
  sharedStack,
  type Api,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { Value } from 'typebox/value';
import { Document, urlOf, type Named, type Route } from '../openapi.ts';
import { MAY } from '../route-roles.ts';
import { createTenantObjects, UNUSED_URL } from '../tenant-objects.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Examples that are answered otherwise on a new installation, each with the reason. */
const OTHERWISE: Readonly<Record<string, string>> = {
  ...{
    signSandbox: '409 sandbox.unverified: the signature is of no registrar',
    updateResource: '400 request.malformed: the resource is an audio device, and the settings are of a search',
    putIdentityProvider: "400 request.malformed: nobody has a token of the example's issuer",
    linkIdentity: '400 request.malformed: the member is a service account',
    issueAccessToken: '400 invalid_grant: the code is of no program',
    takePermit: '403 auth.role: only workers take permits',
  },
  ...Object.fromEntries(
    ['redeemPermit', 'renewLease', 'reportFunction'].map((id) => [id, '403 permit.invalid: nobody signed the permit']),
  ),
  ...Object.fromEntries(
    ['askMcpConnection', 'askListingMcpConnection'].map((id) => [id, '403 auth.role: a key is no person']),
  ),
  ...Object.fromEntries(
    ['listRecordsOfClosedTenant', 'readReceiptOfClosedTenant'].map((id) => [id, '409 conflict: the tenant is open']),
  ),
  ...Object.fromEntries(
    ['acceptMcpServerTools', 'refuseMcpServerTools'].map((id) => [id, '404 not_found: the server has no tool']),
  ),
  ...Object.fromEntries(
    ['readMcpConnection', 'endMcpConnection'].map((id) => [id, '404 not_found: nobody is connected']),
  ),
  ...Object.fromEntries(
    ['readTile', 'readEntries', 'readSignatures'].map((id) => [id, '404 not_found: the log fills no tile']),
  ),
  ...Object.fromEntries(['readInvitation', 'revokeInvitation'].map((id) => [id, '404 not_found: nobody is invited'])),
  ...Object.fromEntries(['endOwnSignIn', 'endSignIn'].map((id) => [id, '404 not_found: nobody has signed in'])),
  ...{
    resolveOperation: '409 conflict: the operation is not ambiguous',
    approve: '409 approval.effect_unseen: the digest is of another effect',
    deny: '409 conflict: the call was decided by the edit',
    cancelOperation: '409 conflict: the call has ended',
    giveValue: '409 conflict: the call waits for no value',
    readOutput: '404 output.not_kept: the result shows all of a short output',
    readApprovalDiff: '409 conflict: the approval is of a call without a staged effect',
    importWorkspace: '400 request.malformed: the bytes are no archive',
    uploadAudioFrames: '422 audio.unreadable: the bytes are no frames',
    removeResourceGrant: '404 not_found: the grant has gone with its resource',
  },
};

/** What a route needs in its query although no parameter is obligatory. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  findPerson: { principal: 'ben' },
  readConsistency: { from: '1', to: '1' },
  exportBundle: { since: '0' },
};

/** Streams have no end, and MCP has clients and specs of its own. */
const LEFT_OUT: ReadonlySet<string> = new Set(['postMcp', 'postMcpWithToken']);

let stack: SharedStack;
let world: World;
let routes: readonly Route[];
let named: Named;

// Examples end what they name, with its keys: a second try in the same tenant could only fail.
beforeEach(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'src/a.txt': 'a\n', 'a.txt': 'a\n' } });
  routes = (await Document.of(world.admin)).routes;
  const key = await world.admin.must('/v1/api-keys', { name: 'ben', role: 'operator', principal: 'ben' });
  await world.admin.as(key.api_key as string).get('/v1/whoami');
  const objects = await createTenantObjects(world, stack.keys.platformKey);
  named = {
    ...objects.named,
    ...{ name: 'NPM_TOKEN', policy: 'our-team', tool_id: 'look', leaf_index: 0, tenant_id: world.tenantId },
    ...{ for_ms: 0, phase: 'decision', dialect: 'blocks', principal: 'ben' },
  };
});

/** The key of a role that may use the route. */
function apiFor({ id, isPublic }: Route): Api {
  if (isPublic) return world.admin.as(undefined as unknown as string);
  const roles = MAY[id] ?? [];
  if (roles === 'platform') return world.admin.as(stack.keys.platformKey);
  if (roles === 'public' || roles.includes('admin')) return world.admin;
  return roles.includes('operator') ? world.operator : world.agent;
}

/** What a request ends comes after what needs it. */
const ENDING =
  /^(remove|delete|revoke|retire|cancel|kill|close|end|deny|offboard|rotate|signOut|liftFreeze|forget|changeMember)/;
const RANKS: Readonly<Record<string, number>> = { PUT: 0, PATCH: 1, POST: 2, GET: 3, DELETE: 5 };
const rankOf = ({ id, method }: Route): number =>
  id === 'closeTenant' ? 9 : ENDING.test(id) ? 4 : (RANKS[method] ?? 2);

/** The example with the ids of things that there are. Each kind of id is told by its prefix. */
function withOwnIds(example: JsonValue): JsonValue {
  const own = new Map(
    Object.values(named).flatMap((value) => {
      const [, prefix] = /^([a-z]{2,3})_[0-9a-z]{26}$/.exec(String(value)) ?? [];
      return prefix === undefined ? [] : [[prefix, String(value)] as const];
    }),
  );
  const text = JSON.stringify(example)
    .replaceAll(/"([a-z]{2,3})_01kbc[0-9a-z]{21}"/g, (all, prefix: string) => JSON.stringify(own.get(prefix) ?? all))
    .replaceAll(/"snap_[0-9a-f]{64}"/g, JSON.stringify(named['at']))
    // A time of the document passes, or is too far away for what may live a year.
    .replaceAll(/"expires_at":\d+/g, `"expires_at":${String(Date.now() + 600_000)}`)
    .replaceAll('https://example.org/hooks', UNUSED_URL)
    .replaceAll('"model":"recorded"', `"model":${JSON.stringify(RECORDED_MODEL)}`);
  return JSON.parse(text) as JsonValue;
}

async function send(route: Route): ReturnType<Api['request']> {
  const api = apiFor(route);
  const names = route.parameters.map(({ name }) => name);
  const query: Record<string, string> = names.includes('for_ms') && !names.includes('follow') ? { for_ms: '0' } : {};
  const url = urlOf(route, named, { ...query, ...QUERIES[route.id] });
  if (route.binaryMediaType !== null)
    return await api.request(route.method, url, new TextEncoder().encode('text'), {
      'content-type': route.binaryMediaType,
    });
  if (route.example === null) return await api.request(route.method, url);
  const example = withOwnIds(route.example);
  if (route.body !== null) return await api.request(route.method, url, example);
  const form = new URLSearchParams(example as Record<string, string>).toString();
  return await api.request(route.method, url, form, { 'content-type': 'application/x-www-form-urlencoded' });
}

/** What is wrong with an answer, in a line; null where it is as documented. */
function problemOf(route: Route, { status, body, text }: Awaited<ReturnType<Api['request']>>): string | null {
  const expected = OTHERWISE[route.id] ?? 'done';
  const isDone = status < 300;
  const found = isDone ? 'done' : `${String(status)} ${String(body?.code ?? body?.error ?? '')}`;
  if (!route.statuses.includes(status))
    return `${route.id}: ${String(status)} is not documented: ${text.slice(0, 300)}`;
  if (expected.split(':')[0] !== found) return `${route.id}: expected ${expected}, got ${found}: ${text.slice(0, 300)}`;
  const schema = route.answers[String(status)];
  if (!isDone || schema === undefined) return null;
  const [error] = Value.Errors(schema as never, body);
  return error === undefined ? null : `${route.id}: \`${error.instancePath}\` ${error.message}`;
}

test('every example is answered as the document says', async () => {
  const wrong: string[] = [];
  const sent = routes.filter(({ id }) => !LEFT_OUT.has(id)).toSorted((a, b) => rankOf(a) - rankOf(b));
  for (const route of sent) {
    const problem = problemOf(route, await send(route));
    if (problem !== null) wrong.push(problem);
  }
  expect(wrong).toEqual([]);
  expect(sent.length).toBeGreaterThan(200);
  expect(Object.keys(OTHERWISE).filter((id) => !routes.some((route) => route.id === id))).toEqual([]);
});
