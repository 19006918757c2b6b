// SPDX-License-Identifier: Apache-2.0
//
// One row whose stored content can't be read: lists show it and all others, it can be denied, and nobody approves it.
import type { ApprovalView, OperationView } from '@writ/contract';
import { Trees } from '../../foundation/workspace/trees.ts';
import { ToolReader } from '../../judging/judgement/index.ts';
import { RecordedCalls } from '../../management/what-if/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { withSealedArguments } from '../../specs/long-arguments.ts';
import type { TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy } from '../../specs/test-management.ts';
import { requires } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  kernel.policy.answer = requires('soft_gate');
});

type Held = Pick<OperationView, 'operation_id' | 'approval_id'>;
const operator = () => requestBy(callerOf(tenant.tenantId, 'operator'));
const hold = (more = {}): Promise<OperationView> => kernel.admit.run(tenant.writeCall(token, more), null);
const list = async (by = operator()): Promise<readonly ApprovalView[]> =>
  (await kernel.approvals.list({ ...by, page: { cursor: null, limit: 50 }, state: null })).items;
const read = (held: Held): Promise<ApprovalView> =>
  kernel.approvals.read({ ...operator(), approval_id: held.approval_id ?? '' });
const decide = async (held: Held, decision: 'approve' | 'deny') =>
  await kernel.decide.run({
    ...operator(),
    approval_id: held.approval_id ?? '',
    decision,
    comment: null,
    effect_digest: (await read(held)).binding.effect_digest,
  });
const voted = async ({ approval_id }: Held) =>
  (await kernel.admin.query('SELECT 1 FROM kernel.vote WHERE approval_id = $1', [approval_id])).rows.length;

const payload = (change: string, { operation_id }: Held) =>
  tenant.query(`UPDATE kernel.payload SET ${change} WHERE operation_id = $1`, [operation_id]);
/** Ways in which the arguments of a call become unreadable. */
const DAMAGE: Readonly<Record<string, (held: Held) => Promise<unknown>>> = {
  'one byte changed': (held) =>
    payload('args = set_byte(args, length(args) - 1, get_byte(args, length(args) - 1) # 1)', held),
  'the bytes are cut short': (held) => payload('args = substring(args from 1 for 30)', held),
  'they are of another call': async (held) => {
    const other = await hold();
    await payload(`args = (SELECT p.args FROM kernel.payload p WHERE p.operation_id = '${other.operation_id}')`, held);
  },
};

describe('an approval whose arguments can not be read', () => {
  it.each(Object.keys(DAMAGE))('is listed and shown beside the others: %s', async (how) => {
    const [one, broken] = [await hold(), await hold()];
    await DAMAGE[how]!(broken);
    const items = await list();
    expect(items.find(({ approval_id }) => approval_id === broken.approval_id)).toMatchObject({
      state: 'pending',
      args: null,
      unreadable: true,
    });
    const other = items.find(({ approval_id }) => approval_id === one.approval_id);
    expect(other).toMatchObject({ args: { path: 'a.txt' } });
    expect(other).not.toHaveProperty('unreadable');
    expect(await read(broken)).toMatchObject({ args: null, unreadable: true });
  });

  it('says nothing of it to an auditor, who sees no arguments', async () => {
    await DAMAGE['one byte changed']!(await hold());
    const [item] = await list(requestBy(callerOf(tenant.tenantId, 'auditor')));
    expect(item).toMatchObject({ args: null });
    expect(item).not.toHaveProperty('unreadable');
  });

  it.each(Object.keys(DAMAGE))('is not approved, gets no vote, and is denied: %s', async (how) => {
    const broken = await hold();
    await DAMAGE[how]!(broken);
    await expect(decide(broken, 'approve')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('can not be read'),
    });
    expect(await voted(broken)).toBe(0);
    expect(await tenant.row(broken.operation_id)).toMatchObject({ state: 'held' });
    expect(await decide(broken, 'deny')).toMatchObject({ state: 'refused' });
  });

  it('is listed where its arguments are long and their blob is missing', async () => {
    const held = await kernel.admit.run(await withSealedArguments(kernel, tenant.writeCall(token)), null);
    await payload(`args_ref = args_ref || '{"sha256": "${'0'.repeat(64)}"}'`, held);
    expect(await list()).toMatchObject([{ args: null, unreadable: true }]);
    await expect(decide(held, 'approve')).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('an approval whose staged effect can not be read', () => {
  it('is shown with its arguments, is not approved, and is denied', async () => {
    const held = await hold();
    await run.preview(tenant, held, { 'a.txt': 'shown' });
    await payload('staged = set_byte(staged, length(staged) - 1, get_byte(staged, length(staged) - 1) # 1)', held);
    expect(await list()).toMatchObject([{ of: 'effect', args: { path: 'a.txt' } }]);
    expect(await read(held)).toMatchObject({
      args: { path: 'a.txt' },
      unreadable: true,
      preview: { state: 'ready', changes: null },
    });
    await expect(decide(held, 'approve')).rejects.toMatchObject({ code: 'conflict' });
    expect(await decide(held, 'deny')).toMatchObject({ state: 'refused' });
  });
});

it('a backtest says of a call that it can not be read, and goes on', async () => {
  const held = await hold();
  await DAMAGE['one byte changed']!(held);
  const calls = new RecordedCalls({ ...kernel, trees: new Trees(kernel.blobs), tools: new ToolReader(null) });
  const [call] = await calls.findNamed(tenant.tenantId, [held]);
  expect(await calls.actionOf(call!)).toBe("the arguments of the call are stored and can't be read");
});

it('a database that does not answer is no content that can not be read', async () => {
  await hold();
  const { args } = kernel;
  vi.spyOn(args, 'readShown').mockRejectedValueOnce(new Error('connection terminated'));
  await expect(list()).rejects.toThrow('connection terminated');
});
