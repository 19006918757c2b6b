// SPDX-License-Identifier: Apache-2.0
// A queue of waiting calls through the public API: in brief, in orders, filtered and in groups.
import { vi } from 'vitest';
import { makeWorld, sharedStack, type Api, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const CEDAR = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);

@id("docs.changed") @reason("somebody reads what changes in the documentation") @would_pass("other files")
forbid (principal, action in Action::"write", resource is File)
when { resource.path like "docs/*" && context.supervision == "autopilot" };

@id("keys.changed") @reason("keys belong to their owners") @would_pass("other files") @approvers("owners")
forbid (principal, action in Action::"write", resource is File) when { resource.path like "keys/*" };
`;
const SECRET = 'the-content-of-a-call';

let stack: SharedStack;
let world: World;
const held: string[] = [];

const hold = async (path: string): Promise<void> => {
  const { body } = await world.call('fs.write', { path, content: SECRET });
  expect(body).toMatchObject({ state: 'held' });
  held.push(body.approval_id as string);
};
type Page = { items: Readonly<Record<string, JsonValue>>[]; next_cursor: string | null; waiting: number };
const read = async (path: string, by: Api = world.operator): Promise<Page> => {
  const { status, body } = await by.get(`/v1/approvals${path}`);
  expect([path, status]).toEqual([path, 200]);
  return body as unknown as Page;
};
const idsOf = ({ items }: Page): unknown[] => items.map(({ approval_id }) => approval_id);

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'docs/a.md': 'one\n', 'keys/a': 'one\n' } });
  await world.admin.request('PUT', '/v1/approver-groups', { name: 'owners', members: ['ann'] });
  const document = { v: 1, name: 'held', cedar: CEDAR };
  expect((await world.admin.request('POST', '/v1/policies', { document })).body).toMatchObject({ valid: true });
  expect((await world.admin.request('POST', '/v1/policies/activate', { policy: 'held' })).status).toBe(200);
  for (const path of ['docs/a.md', 'docs/a.md', 'keys/a', 'docs/a.md']) await hold(path);
});

test('the brief list has every call and none of its content, for approvers and auditors', async () => {
  for (const by of [world.operator, world.admin, world.auditor]) {
    const page = await read('/brief?state=pending', by);
    expect(idsOf(page)).toEqual([...held].reverse());
    expect(JSON.stringify(page)).not.toContain(SECRET);
  }
  expect((await read('/brief?tool_id=fs.*&group=owners')).items).toMatchObject([
    {
      approval_id: held[2],
      reason_codes: ['keys.changed', 'all', 'policy.would_pass'],
      groups: [{ any_of: ['owners'], count: 1, given: 0 }],
    },
  ]);
  expect((await world.agent.get('/v1/approvals/brief')).body).toMatchObject({ code: 'auth.role' });
  expect((await world.agent.get('/v1/approvals/groups')).body).toMatchObject({ code: 'auth.role' });
});

test('pages follow each other in an order, and a cursor of another order is refused', async () => {
  const first = await read('/brief?state=pending&order=oldest&limit=3');
  const rest = await read(`/brief?state=pending&order=oldest&limit=3&cursor=${String(first.next_cursor)}`);
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(held);
  expect(rest.next_cursor).toBeNull();
  for (const other of ['order=risk', 'order=oldest&risk_min=0'])
    expect(
      (await world.operator.get(`/v1/approvals/brief?state=pending&${other}&cursor=${String(first.next_cursor)}`)).body,
    ).toMatchObject({
      code: 'query.invalid',
      detail: expect.stringContaining('another order or other filters') as string,
    });
  expect((await world.operator.get('/v1/approvals/brief?order=expires')).body).toMatchObject({
    code: 'query.invalid',
    detail: expect.stringContaining('state=pending') as string,
  });
  for (const order of ['newest', 'expires', 'risk'])
    expect(idsOf(await read(`?state=pending&order=${order}`)).sort()).toEqual([...held].sort());
});

test('alike calls are one group, whose key lists them, and a decided one leaves it', async () => {
  const groups = await read('/groups');
  expect(groups).toMatchObject({
    waiting: 4,
    groups: 2,
    complete: true,
    items: [
      {
        count: 3,
        tool_id: 'fs.write',
        agent_id: world.agentId,
        reason_codes: ['docs.changed', 'all', 'policy.would_pass'],
      },
      {
        count: 1,
        tool_id: 'fs.write',
        agent_id: world.agentId,
        reason_codes: ['keys.changed', 'all', 'policy.would_pass'],
      },
    ],
  });
  const alike = `state=pending&alike=${String(groups.items[0]?.['alike'])}`;
  expect(idsOf(await read(`/brief?${alike}`))).toEqual([held[3], held[1], held[0]]);
  expect(idsOf(await read(`?${alike}`))).toEqual([held[3], held[1], held[0]]);
  expect((await world.operator.request('POST', `/v1/approvals/${String(held[1])}/deny`, {})).status).toBe(200);
  expect((await read('/groups?order=expires')).items.map(({ count }) => count).sort()).toEqual([1, 2]);
  expect(idsOf(await read(`/brief?${alike}`))).toEqual([held[3], held[0]]);
  expect((await read('/groups?mine=true')).waiting).toBe(2);
});

test('another tenant sees none of them', async () => {
  const other = await makeWorld(stack.url, stack.keys.platformKey);
  expect((await read('/brief', other.operator)).items).toEqual([]);
  expect(await read('/groups', other.operator)).toEqual({ items: [], waiting: 0, groups: 0, complete: true });
});
