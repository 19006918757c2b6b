// SPDX-License-Identifier: Apache-2.0
import { tenantScope } from '@writ/capability';
import { DEFAULT_CALL_SETTINGS, type Envelope } from '@writ/contract';
import { argsHash } from '@writ/digest';
import { sealPermit } from '@writ/permit';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newSigner, type TestKernel } from '../../specs/test-kernel.ts';
import { LEASE_MS, newNonce, payloadOf, credentialsOf, type TestExecution } from '../../specs/test-executor.ts';
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
  token = await tenant.token({ budgets: { calls: 10 } });
});

const dispatched = async (more = {}): Promise<{ operation_id: string; permit: Envelope }> => {
  const call = tenant.writeCall(token, more);
  await kernel.admit.run(call, null);
  run.speak(100);
  run.dispatcher.wake('inline');
  return { operation_id: call.operation_id, permit: await run.permitOf(call.operation_id) };
};
const redeem = (permit: unknown, executor = newId('executor'), nonce = newNonce()) =>
  run.redeem.run({ v: 1, permit: permit as Envelope, executor_id: executor, nonce });

describe('a permit', () => {
  it('returns everything that the call needs, with hashes that match the decision', async () => {
    const { operation_id, permit } = await dispatched();
    const redemption = await redeem(permit);
    const row = await tenant.row(operation_id);
    expect(row).toMatchObject({ state: 'performing', attempt: 1, lease_until: redemption.lease_until });
    expect(redemption).toMatchObject({
      operation_id,
      attempt: 1,
      tool_id: 'fs.write',
      args: { path: 'a.txt', content: 'x' },
      state_snapshot_id: tenant.head,
      lease_ms: LEASE_MS,
      secrets: {},
      fs: [[{ path: '', read: true, write: true }], tenantScope(DEFAULT_CALL_SETTINGS)],
    });
    expect(argsHash(Buffer.from(redemption.args_salt, 'base64'), redemption.args)).toBe(row.args_hash);
    const { rows } = await kernel.admin.query<{ now: number }>('SELECT kernel.now_ms() AS now');
    expect(Math.abs(redemption.lease_until - LEASE_MS - (rows[0]?.now ?? 0))).toBeLessThan(5_000);
  });

  it('given to ten executors runs at one', async () => {
    const { permit } = await dispatched();
    const answers = await Promise.allSettled(Array.from({ length: 10 }, () => redeem(permit)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'permit.spent' });
  });

  it('asked for again by the same executor and nonce gets the same answer', async () => {
    const { permit } = await dispatched();
    const [executor, nonce] = [newId('executor'), newNonce()];
    const first = await redeem(permit, executor, nonce);
    expect(await redeem(permit, executor, nonce)).toEqual(first);
    await expect(redeem(permit, executor)).rejects.toMatchObject({ code: 'permit.spent' });
    await expect(redeem(permit, newId('executor'), nonce)).rejects.toMatchObject({ code: 'permit.spent' });
  });

  it('signed by another key, or for another action, is invalid', async () => {
    const { operation_id, permit } = await dispatched();
    const payload = payloadOf(permit) as never as Parameters<typeof sealPermit>[0];
    await expect(redeem(sealPermit(payload, newSigner()))).rejects.toMatchObject({ code: 'permit.invalid' });
    await expect(
      redeem(sealPermit({ ...payload, action_digest: '0'.repeat(64) }, kernel.signer)),
    ).rejects.toMatchObject({ code: 'permit.invalid' });
    await expect(redeem(sealPermit({ ...payload, attempt: 9 }, kernel.signer))).rejects.toMatchObject({
      code: 'permit.invalid',
    });
    await expect(redeem(sealPermit({ ...payload, tenant_id: newId('tenant') }, kernel.signer))).rejects.toMatchObject({
      code: 'permit.invalid',
    });
    await expect(redeem({ not: 'a permit' })).rejects.toMatchObject({ code: 'permit.invalid' });
    expect(await tenant.row(operation_id)).toMatchObject({ state: 'dispatched' });
  });

  it('not redeemed in time is expired, and the call gets another', async () => {
    const { operation_id, permit } = await dispatched();
    await tenant.query('UPDATE kernel.operation SET permit_until = 1 WHERE operation_id = $1', [operation_id]);
    await expect(redeem(permit)).rejects.toMatchObject({ code: 'permit.expired' });
    expect(await run.sweeper.sweep()).toMatchObject({ unredeemed: 1, lost: 0 });
    await expect(redeem(permit)).rejects.toMatchObject({ code: 'permit.expired' });
    run.dispatch('inline');
    let next = permit;
    while (payloadOf(next).attempt === 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      next = await run.permitOf(operation_id);
    }
    await expect(redeem(permit)).rejects.toMatchObject({ code: 'permit.expired' });
    expect(await redeem(next)).toMatchObject({ attempt: 2 });
    // A permit that was not redeemed has used nothing.
    expect(await tenant.row(operation_id)).toMatchObject({ leases_lost: 0 });
  });

  it('of a call that was cancelled is spent', async () => {
    const { operation_id, permit } = await dispatched();
    await tenant.query(`UPDATE kernel.operation SET state = 'rolled_back' WHERE operation_id = $1`, [operation_id]);
    await expect(redeem(permit)).rejects.toMatchObject({ code: 'permit.spent' });
  });
});

describe('a call that may not run any more when its permit is redeemed', () => {
  it.each([
    ['token.revoked', 'UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1'],
    [
      'token.expired',
      `UPDATE kernel.token SET grant_json = jsonb_set(grant_json, '{expires_at}', '1') WHERE capability_token_id = $1`,
    ],
    ['deadline', 'UPDATE kernel.operation SET deadline = 1 WHERE capability_token_id = $1'],
  ])('ends by %s, with a record and its reservation given back', async (code, sql) => {
    const { operation_id, permit } = await dispatched();
    await tenant.query(sql, [token]);
    await expect(redeem(permit)).rejects.toMatchObject({ code });
    expect(await tenant.row(operation_id)).toMatchObject({
      state: 'rolled_back',
      tx_outcome: 'rolled_back',
      fault_code: code,
      reserved: {},
    });
    expect((await tenant.records()).at(-1)).toMatchObject({
      phase: 'outcome',
      operation_id,
      fault_code: code,
      tx_outcome: 'rolled_back',
      budget_delta: { calls: 0 },
    });
    expect(await tenant.budgetOf(token)).toMatchObject({ calls: { reserved: 0, used: 0 } });
  });
});

describe('a lease', () => {
  it('is extended for the executor that holds it, and for no other', async () => {
    const { attempt, redemption } = await run.perform(tenant, tenant.writeCall(token));
    const speaker = credentialsOf(attempt);
    const renewed = await run.renew.run(speaker);
    expect(renewed.stop).toBe(false);
    expect(renewed.lease_until).toBeGreaterThanOrEqual(redemption.lease_until);
    for (const other of [
      { nonce: newNonce() },
      { executor_id: newId('executor') },
      { attempt: 2 },
      { tenant_id: newId('tenant') },
      { operation_id: newId('operation') },
    ]) {
      await expect(run.renew.run({ ...speaker, ...other })).rejects.toMatchObject({ code: 'attempt.fenced' });
    }
  });

  it('that has run out is not revived', async () => {
    const { attempt } = await run.perform(tenant, tenant.writeCall(token));
    await tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [attempt.operation_id]);
    await expect(run.renew.run(credentialsOf(attempt))).rejects.toMatchObject({ code: 'attempt.fenced' });
    await expect(run.renew.effectStarted(credentialsOf(attempt))).rejects.toMatchObject({ code: 'attempt.fenced' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ effect_started: false });
  });

  it('signals stop once the call is cancelled or a token above it revoked, and then notes no effect', async () => {
    const parent = await tenant.token();
    const child = await tenant.token({}, { parent_id: parent });
    const { attempt: cancelled } = await run.perform(tenant, tenant.writeCall(token));
    const { attempt: revoked } = await run.perform(tenant, tenant.writeCall(child));
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      cancelled.operation_id,
    ]);
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [parent]);
    for (const attempt of [cancelled, revoked]) {
      expect(await run.renew.run(credentialsOf(attempt))).toMatchObject({ stop: true });
      expect(await run.renew.effectStarted(credentialsOf(attempt))).toMatchObject({ stop: true });
      expect(await tenant.row(attempt.operation_id)).toMatchObject({ effect_started: false });
    }
  });

  it("is not extended for a call that must stop: an executor that keeps renewing can't hold it for ever", async () => {
    const { attempt, redemption } = await run.perform(tenant, tenant.writeCall(token));
    await tenant.query('UPDATE kernel.operation SET cancel_requested = true WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    expect(await run.renew.run(credentialsOf(attempt))).toEqual({
      v: 1,
      stop: true,
      lease_until: redemption.lease_until,
    });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ lease_until: redemption.lease_until });
  });

  it('is not extended beyond the time that the call may take, whatever its executor does', async () => {
    const { attempt, redemption } = await run.perform(tenant, tenant.writeCall(token));
    await tenant.query('UPDATE kernel.operation SET permit_until = permit_until - 600000 WHERE operation_id = $1', [
      attempt.operation_id,
    ]);
    expect(await run.renew.effectStarted(credentialsOf(attempt))).toEqual({
      v: 1,
      stop: true,
      lease_until: redemption.lease_until,
    });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ effect_started: false });
  });
});
