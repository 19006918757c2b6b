// SPDX-License-Identifier: Apache-2.0
//
// A queue of some forty held calls: every order, filter and group is compared with the same done on all rows in memory.
import {
  APPROVAL_ORDERS,
  ApprovalBrief,
  ApprovalGroups,
  parseMessage,
  type ApprovalFilter,
  type ApprovalOrder,
  type Caller,
  type KernelRequest,
} from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../../specs/kernel-spec.ts';
import type { TestKernel } from '../../../specs/test-kernel.ts';
import { callerOf } from '../../../specs/test-management.ts';
import { requires } from '../../../specs/test-ports.ts';
import type { TestTenant } from '../../../specs/test-tenant.ts';

const HELD = 40;
let kernel: TestKernel;
let tenant: TestTenant;
let all: readonly ApprovalBrief[];
openKernelSpec(async (on) => {
  ({ kernel } = on);
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  const token = await tenant.token();
  for (let i = 0; i < HELD; i++) {
    kernel.policy.answer = requires(i % 4 === 0 ? 'escalated' : 'soft_gate');
    const more = { session_id: `ses-${i % 3}`, ...(i % 5 === 0 ? { person: PERSON } : {}) };
    const { approval_id } = await kernel.admit.run(tenant.writeCall(token, more), null);
    // Times, ends and risks are few, so that ids must order what is equal.
    await tenant.query(
      `UPDATE kernel.approval SET created_at = $2, expires_at = expires_at + $3, risk_score = $4,
       demands = CASE WHEN $5 THEN '[{"any_of": ["finance"], "count": 1}]'::jsonb END WHERE approval_id = $1`,
      [approval_id, 1_000 + (i % 7), (i % 6) * 1_000, (i % 4) / 4, i % 10 === 0],
    );
  }
  all = await every({});
});
const PERSON = newId('person');

type Request = Partial<KernelRequest<'approval.brief'>>;
const operator = (): Caller => callerOf(tenant.tenantId, 'operator');
const list = (more: Request = {}) =>
  kernel.queue.list({ v: 1, caller: operator(), page: { cursor: null, limit: 200 }, state: 'pending', ...more });
const groups = async (more: Partial<KernelRequest<'approval.groups'>> = {}) =>
  parseMessage(ApprovalGroups, await kernel.queue.groups({ v: 1, caller: operator(), order: 'count', ...more }));
/** All pages, of some rows each. */
async function every(more: Request, limit = 7): Promise<ApprovalBrief[]> {
  const items: ApprovalBrief[] = [];
  let cursor: string | null = null;
  do {
    const read: Awaited<ReturnType<typeof list>> = await list({ ...more, page: { cursor, limit } });
    items.push(...read.items.map((item) => parseMessage(ApprovalBrief, item)));
    cursor = read.next_cursor;
  } while (cursor !== null);
  return items;
}
const ids = (items: readonly ApprovalBrief[]): string[] => items.map(({ approval_id }) => approval_id);
const sorted = (items: readonly ApprovalBrief[]): string[] => ids(items).sort();

const KEYS: Readonly<Record<ApprovalOrder, (row: ApprovalBrief) => readonly number[]>> = {
  newest: ({ created_at }) => [-created_at],
  oldest: ({ created_at }) => [created_at],
  expires: ({ expires_at }) => [expires_at],
  risk: ({ risk_score, created_at }) => [-risk_score, -created_at],
};
const isInOrder = (a: readonly number[], b: readonly number[]): boolean => {
  const first = a.findIndex((key, index) => key !== b[index]);
  return first < 0 || a[first]! < b[first]!;
};

describe('a queue', () => {
  it.each(APPROVAL_ORDERS)('has every waiting approval once, in the order %s, over all of its pages', async (order) => {
    const items = await every({ order });
    expect(sorted(items)).toEqual(sorted(all));
    expect(items).toHaveLength(HELD);
    const keys = items.map((item) => KEYS[order](item));
    expect(keys.filter((key, index) => index > 0 && !isInOrder(keys[index - 1]!, key))).toEqual([]);
  });

  it('has nothing of a call that is sealed, and opens nothing', async () => {
    await tenant.query(`UPDATE kernel.payload SET args = '\\x00' WHERE operation_id = $1`, [all[0]!.operation_id]);
    const { items } = await list();
    expect(items).toHaveLength(HELD);
    expect(JSON.stringify(items)).not.toContain('a.txt');
    expect(items[0]).toMatchObject({
      preview: 'waiting',
      votes: { given: 0, needed: 1 },
      of: 'action',
      state: 'pending',
    });
    expect(items[0]).not.toHaveProperty('args');
  });

  it('is shown to an auditor, to nobody of another tenant and to no agent', async () => {
    expect((await list({ caller: callerOf(tenant.tenantId, 'auditor') })).items).toHaveLength(HELD);
    const other = await kernel.newTenant();
    expect((await list({ caller: callerOf(other.tenantId) })).items).toEqual([]);
    expect(await groups({ caller: callerOf(other.tenantId) })).toEqual({
      items: [],
      waiting: 0,
      groups: 0,
      complete: true,
    });
    for (const role of ['agent', 'worker'] as const) {
      await expect(list({ caller: { ...operator(), role } })).rejects.toMatchObject({ code: 'auth.role' });
      await expect(groups({ caller: { ...operator(), role } })).rejects.toMatchObject({ code: 'auth.role' });
    }
    const mine = { caller: callerOf(tenant.tenantId, 'auditor'), mine: true } as const;
    await expect(list(mine)).rejects.toMatchObject({ code: 'auth.role' });
  });
});

const FILTERS: readonly (readonly [ApprovalFilter, (row: ApprovalBrief) => boolean])[] = [
  [{ tool_id: 'fs.write' }, () => true],
  [{ tool_id: 'fs.*' }, () => true],
  [{ tool_id: 'fs.' }, () => false],
  [{ tool_id: '*' }, () => true],
  [{ tool_id: 'shell*' }, () => false],
  [{ session_id: 'ses-1' }, ({ session_id }) => session_id === 'ses-1'],
  [{ autonomy_mode: 'escalated' }, ({ autonomy_mode }) => autonomy_mode === 'escalated'],
  [{ group: 'finance' }, ({ groups: of }) => of !== undefined],
  [{ group: 'legal' }, () => false],
  [{ person_id: PERSON }, ({ person_id }) => person_id === PERSON],
  [{ risk_min: 0.5 }, ({ risk_score }) => risk_score >= 0.5],
  [{ since: 1_003 }, ({ created_at }) => created_at >= 1_003],
  [{ until: 1_003 }, ({ created_at }) => created_at < 1_003],
  [
    { session_id: 'ses-2', risk_min: 0.25, since: 1_001 },
    (row) => row.session_id === 'ses-2' && row.risk_score >= 0.25 && row.created_at >= 1_001,
  ],
];

describe('a filter', () => {
  it.each(FILTERS)('%j selects the same in pages, in groups and in the whole list', async (filter, isSelected) => {
    const expected = sorted(all.filter((row) => isSelected(row)));
    expect(sorted(await every({ filter, order: 'risk' }))).toEqual(expected);
    expect(await groups({ filter })).toMatchObject({ waiting: expected.length });
    const page = { cursor: null, limit: 200 };
    const whole = await kernel.approvals.list({ v: 1, caller: operator(), page, state: 'pending', filter });
    expect(whole.items.map(({ approval_id }) => approval_id as string).sort()).toEqual(expected);
  });

  it('by agent and by end selects those alone', async () => {
    const { agent_id } = all[0]!;
    expect(await every({ filter: { agent_id } })).toHaveLength(HELD);
    expect(await every({ filter: { agent_id: newId('agent') } })).toEqual([]);
    const ends = all.map(({ expires_at }) => expires_at).sort((a, b) => a - b);
    const expires_before = ends[HELD / 2]!;
    expect(sorted(await every({ filter: { expires_before } }))).toEqual(
      sorted(all.filter(({ expires_at }) => expires_at < expires_before)),
    );
  });

  it('with `mine` selects what the caller may decide: no escalated one for an operator', async () => {
    // Of the groups the caller is no member.
    const mine = all.filter(({ autonomy_mode, groups: of }) => autonomy_mode !== 'escalated' && of === undefined);
    expect(sorted(await every({ mine: true, order: 'expires', state: null }))).toEqual(sorted(mine));
    expect(await groups({ mine: true })).toMatchObject({ waiting: mine.length });
  });
});

describe('a cursor', () => {
  const page = async (more: Request) => (await list({ ...more, page: { cursor: null, limit: 3 } })).next_cursor!;
  it.each<[string, Request, Request]>([
    ['another order', { order: 'oldest' }, { order: 'newest' }],
    ['another filter', { filter: { risk_min: 0.25 } }, { filter: { risk_min: 0.5 } }],
    ['no filter', { filter: { risk_min: 0.25 } }, {}],
    ['another state', {}, { state: null }],
    ['those that I may decide', {}, { mine: true }],
  ])('is refused in a list of %s', async (_name, one, other) => {
    const cursor = await page(one);
    await expect(list({ ...other, page: { cursor, limit: 3 } })).rejects.toMatchObject({
      code: 'request.malformed',
      message: expect.stringContaining('another order or other filters'),
    });
    expect((await list({ ...one, page: { cursor, limit: 3 } })).items).toHaveLength(3);
  });

  it('of the whole list with an order is bound alike, and one without is that of the version before', async () => {
    const first = { v: 1 as const, caller: operator(), state: 'pending', page: { cursor: null, limit: 3 } };
    const { next_cursor: plain } = await kernel.approvals.list(first);
    const { next_cursor: bound } = await kernel.approvals.list({ ...first, order: 'oldest' });
    expect(Object.keys(JSON.parse(Buffer.from(plain!, 'base64url').toString()) as object)).toEqual([
      'created_at',
      'id',
    ]);
    const next = { ...first, page: { cursor: bound, limit: 3 } };
    await expect(kernel.approvals.list({ ...next, order: 'risk' })).rejects.toMatchObject({
      code: 'request.malformed',
    });
    await expect(kernel.approvals.list(next)).rejects.toMatchObject({ code: 'request.malformed' });
    expect((await kernel.approvals.list({ ...next, order: 'oldest' })).items).toHaveLength(3);
  });

  it.each(['expires', 'risk'] as const)('the order %s is refused for approvals that do not wait', async (order) => {
    await expect(list({ order, state: null })).rejects.toMatchObject({
      code: 'request.malformed',
      message: expect.stringContaining('`state=pending`'),
    });
  });

  it('fits a request, with the longest position', async () => {
    for (const order of APPROVAL_ORDERS) expect((await page({ order })).length).toBeLessThanOrEqual(256);
  });
});

describe('groups', () => {
  it('are the calls of one tool, agent, mode and reasons, and their key selects them', async () => {
    const { items, ...sums } = await groups();
    expect(sums).toEqual({ waiting: HELD, groups: items.length, complete: true });
    expect(items.map(({ count }) => count)).toEqual([30, 10]);
    for (const group of items) {
      const members = await every({ filter: { alike: group.alike } });
      expect(members).toHaveLength(group.count);
      for (const member of members)
        expect(member).toMatchObject({
          tool_id: group.tool_id,
          agent_id: group.agent_id,
          autonomy_mode: group.autonomy_mode,
          reason_codes: group.reason_codes,
          alike: group.alike,
        });
      expect(group).toMatchObject({
        created_at: Math.min(...members.map(({ created_at }) => created_at)),
        expires_at: Math.min(...members.map(({ expires_at }) => expires_at)),
        risk_score: Math.max(...members.map(({ risk_score }) => risk_score)),
      });
    }
  });

  it('come in the order of the nearest end where that is asked for', async () => {
    const ends = (await groups({ order: 'expires' })).items.map(({ expires_at }) => expires_at);
    expect(ends).toEqual([...ends].sort((a, b) => a - b));
  });

  it('follow the reasons: a call that is held for another one is of another group, in any order of the codes', async () => {
    const [one, two] = all.filter(({ autonomy_mode }) => autonomy_mode === 'soft_gate') as [
      ApprovalBrief,
      ApprovalBrief,
    ];
    const hold = (id: string, ...codes: string[]) =>
      tenant.query('UPDATE kernel.approval SET reasons = $2 WHERE approval_id = $1', [
        id,
        JSON.stringify(codes.map((code) => ({ code, message: 'x' }))),
      ]);
    await hold(one.approval_id, 'b', 'a');
    await hold(two.approval_id, 'a', 'b', 'a');
    const { items } = await list();
    const [first, second] = [one, two].map(({ approval_id }) => items.find((item) => item.approval_id === approval_id));
    expect([first?.reason_codes, second?.reason_codes]).toEqual([
      ['b', 'a'],
      ['a', 'b'],
    ]);
    expect(first?.alike).toBe(second?.alike);
    expect(first?.alike).not.toBe(one.alike);
  });

  it('an approval that waits has a place, whoever writes', async () => {
    const id = all[0]!.approval_id;
    await expect(
      tenant.query('UPDATE kernel.approval SET alike = NULL WHERE approval_id = $1', [id]),
    ).rejects.toMatchObject({ constraint: 'placed' });
  });
});
