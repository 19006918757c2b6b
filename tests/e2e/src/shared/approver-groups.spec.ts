// SPDX-License-Identifier: Apache-2.0
// Approvals that a policy reserves for a group, their escalation and their reminders, through the public API.
import { vi } from 'vitest';
import { makeWorld, sharedStack, type Api, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const CEDAR = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);

@id("docs.owners") @reason("files of the documentation belong to its owners") @would_pass("other files")
@approvers("owners") @quorum("2")
forbid (principal, action in Action::"write", resource is File) when { resource.path like "docs/*" };
`;
const documentOf = (name: string, waiting?: JsonValue): JsonValue => ({
  v: 1,
  name,
  cedar: CEDAR,
  ...(waiting === undefined ? {} : { waiting, ttl: { approval_ms: 600_000 } }),
});

let stack: SharedStack;
let world: World;
let people: Readonly<Record<'ann' | 'bob' | 'mallory', Api>>;

const personOf = async (principal: string): Promise<Api> => {
  const { api_key } = await world.admin.must('/v1/api-keys', { name: principal, role: 'operator', principal });
  return world.admin.as(api_key as string);
};
const group = async (name: string, members: readonly string[]) =>
  await world.admin.request('PUT', '/v1/approver-groups', { name, members: [...members] });
const activate = async (document: JsonValue) => {
  expect((await world.admin.request('POST', '/v1/policies', { document })).body).toMatchObject({ valid: true });
  return await world.admin.request('POST', '/v1/policies/activate', { policy: document['name'] as string });
};
const hold = async (path: string): Promise<string> => {
  const { body } = await world.call('fs.write', { path, content: 'new' });
  expect(body).toMatchObject({ state: 'held', votes: { given: 0, needed: 2 } });
  const approvalId = body.approval_id as string;
  // A preview that ends between two votes would make the first one void.
  await vi.waitFor(async () => {
    const { body: shown } = await world.admin.get(`/v1/approvals/${approvalId}`);
    expect(shown).toMatchObject({ of: 'effect' });
  }, 20_000);
  return approvalId;
};
/** Approves what is shown at that moment. */
async function approve(by: Api, approvalId: string) {
  return await vi.waitFor(async () => {
    const { body } = await by.get(`/v1/approvals/${approvalId}`);
    const seen = (body.binding as { effect_digest: string | null }).effect_digest;
    const answer = await by.request('POST', `/v1/approvals/${approvalId}/approve`, {
      ...(seen === null ? {} : { effect_digest: seen }),
    });
    expect(answer.body['code']).not.toBe('approval.effect_unseen');
    return answer;
  }, 20_000);
}
const mine = async (by: Api): Promise<unknown[]> =>
  ((await by.get('/v1/approvals?mine=true')).body.items as { approval_id: string }[]).map(
    ({ approval_id }) => approval_id,
  );
/** Whether they may approve and deny it, and the codes of why not. */
async function you(by: Api, approvalId: string): Promise<unknown> {
  const shown = (await by.get(`/v1/approvals/${approvalId}`)).body['you'] as {
    may_approve: boolean;
    may_deny: boolean;
    why: { code: string }[];
  };
  return [shown.may_approve, shown.may_deny, shown.why.map(({ code }) => code)];
}

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'docs/a.md': 'one\n', 'docs/b.md': 'one\n' } });
  people = { ann: await personOf('ann'), bob: await personOf('bob'), mallory: await personOf('mallory') };
});

test('a policy that names a group is put in force once the group exists, and the group stays while it is', async () => {
  expect((await activate(documentOf('owned'))).body).toMatchObject({ code: 'policy.invalid' });
  expect((await group('owners', ['bob', 'ann'])).body).toMatchObject({ name: 'owners', members: ['ann', 'bob'] });
  expect((await activate(documentOf('owned'))).status).toBe(200);
  expect((await world.admin.request('DELETE', '/v1/approver-groups/owners')).body).toMatchObject({ code: 'conflict' });
  expect((await world.admin.get('/v1/approver-groups')).body.items).toMatchObject([{ name: 'owners' }]);
  expect((await group('owners', ['mbr_robot'])).body).toMatchObject({ code: 'request.malformed' });
});

test('only members approve, a removed one counts no more, and the call runs with as many as the rule demands', async () => {
  const approval = await hold('docs/a.md');
  expect(await mine(people.mallory)).toEqual([]);
  expect(await mine(people.ann)).toEqual([approval]);
  expect(await you(people.mallory, approval)).toEqual([false, true, ['approval.not_in_group']]);
  expect((await approve(people.mallory, approval)).body).toMatchObject({ code: 'approval.not_in_group' });
  expect(await you(people.ann, approval)).toEqual([true, true, []]);
  expect((await approve(people.ann, approval)).body).toMatchObject({ state: 'held' });
  expect(await you(people.ann, approval)).toEqual([false, true, ['approval.voted']]);
  expect(await mine(people.ann)).toEqual([]);
  await group('owners', ['bob']);
  expect((await approve(people.bob, approval)).body).toMatchObject({ state: 'held', votes: { given: 1, needed: 2 } });
  await group('owners', ['ann', 'bob']);
  const { body } = await approve(people.ann, approval);
  expect(['committed', 'admitted', 'performed', 'dispatched']).toContain(body['state']);
  expect((await world.admin.get(`/v1/approvals/${approval}`)).body).toMatchObject({
    state: 'approved',
    groups: [{ any_of: ['owners'], count: 2, given: 2 }],
  });
});

/** The events of operations that come while `work` goes on. */
async function eventsDuring(by: Api, work: () => Promise<unknown>): Promise<unknown[]> {
  const ends = new AbortController();
  const answer = await fetch(`${stack.url}/v1/events`, {
    headers: { authorization: `Bearer ${by.key ?? ''}` },
    signal: ends.signal,
  });
  const parts = answer.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
  let output = (await parts.next()).value ?? '';
  const read = (async () => {
    for (let part = await parts.next(); part.done !== true; part = await parts.next()) output += part.value;
  })().catch(() => undefined);
  const seen = (): unknown[] =>
    [...output.matchAll(/event: operation\ndata: (.*)\n/g)].map(([, data]) => JSON.parse(data ?? '') as unknown);
  await work();
  await vi.waitFor(() => expect(seen().length).toBeGreaterThan(0), 10_000);
  ends.abort();
  await read;
  return seen();
}

test('an approver sees who began the work, each vote as it is cast, and what was decided about alike calls', async () => {
  const approval = await hold('docs/c.md');
  const { body } = await people.ann.get(`/v1/approvals/${approval}`);
  const { operation_id, started_by } = body as { operation_id: string; started_by: JsonValue };
  expect(started_by).toMatchObject({
    ...{ agent_id: world.agentId, source: 'api', api_key_id: expect.stringMatching(/^key_/) as string },
  });
  expect(await eventsDuring(people.bob, () => approve(people.ann, approval))).toContainEqual(
    expect.objectContaining({ operation_id, approval_id: approval, state: 'held' }),
  );
  const denied = await people.bob.request('POST', `/v1/approvals/${approval}/deny`, { comment: 'write it elsewhere' });
  expect(denied.status).toBe(200);
  const next = await hold('docs/d.md');
  const { items } = (await people.bob.get(`/v1/approvals/${next}/alike`)).body as { items: JsonValue[] };
  expect(items[0]).toMatchObject({
    ...{ approval_id: approval, operation_id, outcome: 'denied', voters: ['bob'], comment: 'write it elsewhere' },
    ...{ held_for: expect.arrayContaining(['docs.owners']) as string[], risk_score: expect.any(Number) as number },
  });
  expect((await world.agent.get(`/v1/approvals/${next}/alike`)).status).toBe(403);
  await people.bob.request('POST', `/v1/approvals/${next}/deny`, {});
});

test('nobody decides: further groups are asked, people are reminded, and the call is held still', async () => {
  await group('leads', ['mallory']);
  const waiting = { escalation: [{ after_ms: 1_000, to: ['leads'] }], reminders_ms: [598_000] };
  expect((await activate(documentOf('waiting', waiting))).status).toBe(200);
  const hook = await world.admin.must('/v1/webhooks', {
    name: 'waits',
    url: 'https://receiver.example/',
    events: ['approval.escalated', 'approval.reminder'],
  });
  const approval = await hold('docs/b.md');
  await vi.waitFor(
    async () => {
      const { body } = await world.admin.get(`/v1/approvals/${approval}`);
      expect(body).toMatchObject({ state: 'pending', escalated_to: ['leads'] });
      const { items } = (await world.admin.get(`/v1/webhooks/${hook.webhook_id as string}/deliveries`)).body;
      expect((items as { kind: string }[]).map(({ kind }) => kind).sort()).toEqual([
        'approval.escalated',
        'approval.reminder',
      ]);
    },
    { timeout: 30_000, interval: 300 },
  );
  expect((await approve(people.mallory, approval)).body).toMatchObject({
    state: 'held',
    votes: { given: 1, needed: 2 },
  });
  await approve(people.ann, approval);
  expect((await world.admin.get(`/v1/approvals/${approval}`)).body).toMatchObject({ state: 'approved' });
});
