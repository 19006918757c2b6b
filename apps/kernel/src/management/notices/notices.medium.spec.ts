// SPDX-License-Identifier: Apache-2.0
import { CallNotice, isId, NOTICE_KINDS, parseMessage, type Caller } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, credentialsOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Notices } from './notices.ts';

let kernel: TestKernel;
let run: TestExecution;
let notices: Notices;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
  notices = new Notices(kernel.workers);
});
beforeEach(async () => {
  await kernel.admin.query('DELETE FROM kernel.notice');
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  kernel.policy.answer = requires('soft_gate');
});

const as = (role: Caller['role']): Caller => ({
  tenant_id: tenant.tenantId,
  api_key_id: newId('apiKey'),
  role,
  agent_id: null,
});
const take = async (limit = 100) =>
  (await notices.claim({ v: 1, limit })).notices.map((notice) => parseMessage(CallNotice, notice));
const hold = () =>
  kernel.admit.run(tenant.writeCall(token, { args: { path: 'a.txt', content: 'a secret plan' } }), null);
const decide = (approvalId: string | null, decision: 'approve' | 'deny') =>
  kernel.decide.run({
    v: 1,
    caller: as('operator'),
    approval_id: approvalId ?? '',
    decision,
    comment: 'words of mine',
  });

it('a held call and its decision cause notices, with ids and digests only', async () => {
  const held = await hold();
  await decide(held.approval_id, 'deny');
  const [pending, denied, ...more] = await take();
  const approval = await kernel.admin.query<{ action_digest: string; expires_at: number }>(
    'SELECT action_digest, expires_at FROM kernel.approval WHERE approval_id = $1',
    [held.approval_id],
  );
  const ids = {
    tenant_id: tenant.tenantId,
    operation_id: held.operation_id,
    approval_id: held.approval_id,
    agent_id: tenant.agentId,
    tool_id: 'fs.write',
    workspace_id: tenant.workspaceId,
    action_digest: approval.rows[0]?.action_digest,
    autonomy_mode: 'soft_gate',
    resolution: null,
  };
  expect(pending).toMatchObject({ kind: 'approval.pending', expires_at: approval.rows[0]?.expires_at, ...ids });
  expect(denied).toMatchObject({ kind: 'approval.denied', expires_at: null, ...ids });
  expect(more).toEqual([]);
  expect(JSON.stringify([pending, denied])).not.toMatch(/secret|words|a\.txt/);
});

it('approvals, expiries and cancellations each cause their own kind of notice', async () => {
  const [approved, expired, cancelled] = [await hold(), await hold(), await hold()];
  await decide(approved.approval_id, 'approve');
  await tenant.query('UPDATE kernel.approval SET expires_at = 1 WHERE approval_id = $1', [expired.approval_id]);
  await kernel.expire.run();
  await kernel.cancel.run({ v: 1, caller: as('operator'), operation_id: cancelled.operation_id });
  const kinds = (await take())
    .filter(({ kind }) => kind !== 'approval.pending')
    .map(({ kind, approval_id }) => [kind, approval_id]);
  expect(kinds).toEqual([
    ['approval.approved', approved.approval_id],
    ['approval.expired', expired.approval_id],
    ['approval.cancelled', cancelled.approval_id],
  ]);
});

it('an ambiguous call and its resolution cause notices, and a committed call does not', async () => {
  kernel.policy.answer = () => AUTOPILOT;
  const { attempt: done } = await run.perform(tenant, tenant.writeCall(token));
  await run.commit.run(reportOf(done, await deltaFor(kernel, done, { 'a.txt': 'written' })));
  const { attempt } = await run.perform(tenant, tenant.writeCall(token));
  expect(await take()).toEqual([]);
  await run.renew.effectStarted(credentialsOf(attempt));
  await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]);
  await run.sweeper.sweep();
  await kernel.resolve.run({
    v: 1,
    caller: as('operator'),
    operation_id: attempt.operation_id,
    outcome: 'committed',
    note: 'words of mine',
  });
  const told = await take();
  expect(
    told.map(({ kind, operation_id, resolution, approval_id }) => [kind, operation_id, resolution, approval_id]),
  ).toEqual([
    ['operation.ambiguous', attempt.operation_id, null, null],
    ['operation.resolved', attempt.operation_id, 'committed', null],
  ]);
  expect(JSON.stringify(told)).not.toContain('words');
});

it('a rolled back transaction causes no notice', async () => {
  const held = await hold();
  await tenant.query('UPDATE kernel.operation SET tool_id = repeat($2, 20000) WHERE operation_id = $1', [
    held.operation_id,
    'x',
  ]);
  await expect(decide(held.approval_id, 'deny')).rejects.toThrow();
  expect((await take()).map(({ kind }) => kind)).toEqual(['approval.pending']);
});

it('a notice goes to one consumer at a time, again after its claim expired, and never once dropped', async () => {
  for (let n = 0; n < 5; n++) await hold();
  // A concurrent consumer is claiming two. The others must not wait for it.
  await kernel.admin.query('BEGIN');
  const { rows } = await kernel.admin.query<{ taken: { notice_id: string }[] }>(
    'SELECT kernel.claim_notices(30000, 2) AS taken',
  );
  const rest = await Promise.all([take(2), take(2)]);
  await kernel.admin.query('COMMIT');
  const ids = [...(rows[0]?.taken ?? []), ...rest.flat()].map(({ notice_id }) => notice_id);
  expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
  expect(await take()).toEqual([]);
  await notices.drop({ v: 1, notice_ids: ids.slice(0, 3) });
  await kernel.admin.query('UPDATE kernel.notice SET claimed_until = 1');
  expect((await take()).map(({ notice_id }) => notice_id).sort()).toEqual(ids.slice(3).sort());
});

it('every state of an approval has a notice, and every id is valid for this clock', async () => {
  const { rows } = await kernel.admin.query<{ states: string }>(
    `SELECT pg_get_constraintdef(oid) AS states FROM pg_constraint WHERE conname = 'approval_state_check'`,
  );
  const states = [...(rows[0]?.states ?? '').matchAll(/'(\w+)'/g)].map(([, state = '']) => `approval.${state}`);
  expect(states.length).toBeGreaterThan(4);
  expect(NOTICE_KINDS.filter((kind) => kind.startsWith('approval.')).sort()).toEqual(
    [...states, 'approval.voted', 'approval.escalated', 'approval.reminder'].sort(),
  );
  const made = await kernel.admin.query<{ id: string; ms: number }>(
    `SELECT kernel.new_id('ntc') AS id, kernel.now_ms() AS ms FROM generate_series(1, 50)`,
  );
  expect(new Set(made.rows.map(({ id }) => id)).size).toBe(50);
  for (const { id, ms } of made.rows) {
    expect(isId('notice', id)).toBe(true);
    const value = [...id.slice(4)].reduce(
      (sum, character) => sum * 32n + BigInt('0123456789abcdefghjkmnpqrstvwxyz'.indexOf(character)),
      0n,
    );
    expect(Math.abs(Number(value >> 80n) - ms)).toBeLessThan(1_000);
    expect([(value >> 76n) & 15n, (value >> 62n) & 3n]).toEqual([7n, 2n]);
  }
});

it('a tenant writes its own notices and reads none; the worker writes none', async () => {
  await hold();
  await expect(kernel.tenants.pool.query('SELECT 1 FROM kernel.notice')).rejects.toThrow('permission denied');
  const insert = `INSERT INTO kernel.notice (tenant_id, kind, operation_id, agent_id, tool_id, autonomy_mode) VALUES ('ten_other', 'a.b', 'o', 'a', 't', 'm')`;
  await expect(kernel.tenants.pool.query(insert)).rejects.toThrow('row-level security');
  await expect(kernel.workers.pool.query(insert)).rejects.toThrow('permission denied');
  await expect(kernel.workers.pool.query(`UPDATE kernel.notice SET kind = 'a.b'`)).rejects.toThrow('permission denied');
});
