// SPDX-License-Identifier: Apache-2.0
//
// A token that ends while its call runs: the call doesn't commit, whichever token of the chain it is.
import type { Caller } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import {
  deltaFor,
  reportOf,
  credentialsOf,
  textsAt,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { shownEffectDigest } from '../../specs/shown-effect.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let parent: string;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello', 'b.txt': 'b' });
  parent = await tenant.token();
  token = await tenant.token({ budgets: { calls: 10, cpu_ms: 1_000_000 } }, { parent_id: parent });
  kernel.policy.answer = () => AUTOPILOT;
});

const perform = async (): Promise<Attempt> => (await run.perform(tenant, tenant.writeCall(token))).attempt;
const writes = async (attempt: Attempt, path = 'a.txt') =>
  reportOf(attempt, await deltaFor(kernel, attempt, { [path]: 'written' }));
/** As if its time had come. */
const expire = (id: string) =>
  tenant.query(
    `UPDATE kernel.token SET grant_json = jsonb_set(grant_json, '{expires_at}', to_jsonb(kernel.now_ms() - 1)) WHERE capability_token_id = $1`,
    [id],
  );
const outcomesOf = async ({ operation_id }: { operation_id: string }) =>
  (await tenant.records()).filter((record) => record.operation_id === operation_id && record.phase === 'outcome');
const expectRolledBack = async (attempt: Attempt, used: number): Promise<void> => {
  expect(await tenant.row(attempt.operation_id)).toMatchObject({
    state: 'rolled_back',
    tx_outcome: 'rolled_back',
    fault_code: 'token.expired',
    reserved: {},
  });
  expect(await outcomesOf(attempt)).toMatchObject([
    { fault_code: 'token.expired', tx_outcome: 'rolled_back', commit_delta_id: null },
  ]);
  expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  expect(await tenant.budgetOf(token)).toMatchObject({
    calls: { used: 1, reserved: 0 },
    cpu_ms: { used, reserved: 0 },
  });
};

describe('a call whose token expires while it runs', () => {
  it.each(['its own', 'one above it'])('does not commit, and costs what it used: %s', async (which) => {
    const attempt = await perform();
    await expire(which === 'its own' ? token : parent);
    expect(await run.newCommit().run(await writes(attempt))).toMatchObject({ state: 'rolled_back' });
    await expectRolledBack(attempt, 3);
  });

  it('is detected by the statement that commits, where the token was valid when the effect was checked', async () => {
    const attempt = await perform();
    const memory = run.newMemory();
    memory.remember(await run.factsOf(attempt));
    await expire(token);
    expect(await run.newCommit(memory).run(await writes(attempt))).toMatchObject({ state: 'rolled_back' });
    await expectRolledBack(attempt, 3);
  });

  it('has to stop, and may start no effect outside any more', async () => {
    const attempt = await perform();
    await expire(token);
    expect(await run.renew.run(credentialsOf(attempt))).toMatchObject({ stop: true });
    expect(await run.renew.effectStarted(credentialsOf(attempt))).toMatchObject({ stop: true });
    expect((await tenant.row(attempt.operation_id)).effect_started).toBe(false);
  });

  it('with an effect outside begun in time is ambiguous: its effect outside may remain, its change of the workspace may not', async () => {
    const attempt = await perform();
    await run.renew.effectStarted(credentialsOf(attempt));
    await expire(token);
    expect(await run.renew.run(credentialsOf(attempt))).toMatchObject({ stop: true });
    expect(await run.newCommit().run(await writes(attempt))).toMatchObject({
      state: 'ambiguous',
      tx_outcome: 'ambiguous',
    });
    expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'hello' });
  });

  it('is not run again when another changed its files', async () => {
    const attempt = await perform();
    const memory = run.newMemory();
    memory.remember(await run.factsOf(attempt));
    const other = (await run.perform(tenant, tenant.writeCall(await tenant.token()))).attempt;
    await run.newCommit().run(reportOf(other, await deltaFor(kernel, other, { 'a.txt': 'hello', 'b.txt': 'theirs' })));
    await expire(token);
    expect(await run.newCommit(memory).run(await writes(attempt, 'b.txt'))).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'token.expired', reruns: 0 });
  });
});

it('an effect that waits for a person is not committed by an approval once the token has expired', async () => {
  kernel.policy.answer = (action) =>
    action.resources.some(({ path }) => path === 'b.txt') ? requires('soft_gate')() : AUTOPILOT;
  const attempt = await perform();
  expect(await run.newCommit().run(await writes(attempt, 'b.txt'))).toMatchObject({ state: 'held' });
  const { approval_id } = await tenant.row(attempt.operation_id);
  const effect_digest = await shownEffectDigest(kernel, tenant.tenantId, approval_id);
  const caller: Caller = { tenant_id: tenant.tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null };
  // The statement that commits waits for the rules, and finds the token expired when it has them.
  await kernel.admin.query('BEGIN');
  await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
  const deciding = kernel.decide.run({
    v: 1,
    caller,
    approval_id: approval_id ?? '',
    decision: 'approve',
    comment: null,
    effect_digest,
  });
  await kernel.untilBlocked();
  await expire(token);
  await kernel.admin.query('COMMIT');
  expect(await deciding).toMatchObject({ state: 'rolled_back', result: { error: { code: 'token.expired' } } });
  expect(await textsAt(kernel, tenant, ['b.txt'])).toEqual({ 'b.txt': 'b' });
});

it('a call that was decided under a valid token, and is written once that has expired, is refused', async () => {
  await kernel.admin.query('BEGIN');
  await kernel.admin.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
  const deciding = kernel.admit.run(tenant.writeCall(token), null);
  await kernel.untilBlocked();
  await expire(token);
  await kernel.admin.query('COMMIT');
  expect(await deciding).toMatchObject({ state: 'refused', result: { error: { code: 'token.expired' } } });
});
