// SPDX-License-Identifier: Apache-2.0
//
// Calls that were admitted under a sandbox image or a definition of their tool, where the deployment has another one by
// now.
import type { ProposedCall } from '@writ/contract';
import {
  newNonce,
  deltaFor,
  payloadOf,
  reportOf,
  textsAt,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { callerOf, requestBy, type TestManagement } from '../../specs/test-management.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const NEW = `sha256:${'6'.repeat(64)}`;

// A sweep is for all tenants: earlier specs may have left calls that it processes too.
let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { calls: 10, cpu_ms: 1_000_000 } });
  kernel.policy.answer = () => AUTOPILOT;
});

const SHELL = { tool_id: 'shell.run', args: { command: 'make' } };

/** Admits a command, and dispatches its permit so many times; no executor redeems one. */
const waiting = async (permits = 1, program: Partial<ProposedCall> = SHELL): Promise<string> => {
  const call = tenant.writeCall(token, program);
  expect(await kernel.admit.run(call, null)).toMatchObject({ state: 'admitted' });
  run.speak(100);
  for (let n = 1; n <= permits; n += 1) {
    await dispatched(call.operation_id, n);
    if (n < permits) await expire(call.operation_id);
  }
  return call.operation_id;
};
/** Waits for the permit of the attempt. */
const dispatched = async (operationId: string, attempt: number) => {
  for (;;) {
    run.dispatch('sandboxed');
    const permit = await run.permitOf(operationId, 'sandboxed');
    if (payloadOf(permit).attempt === attempt) return permit;
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
};
const expire = async (operationId: string): Promise<void> => {
  await tenant.query('UPDATE kernel.operation SET permit_until = 1 WHERE operation_id = $1', [operationId]);
  await run.sweeper.sweep();
};
const updated = () => run.versionSweeper({ sandbox: NEW, others: { v: 1, images: [] } });
const imageOf = (envelope: Awaited<ReturnType<typeof run.permitOf>>): string =>
  (JSON.parse(Buffer.from(envelope.payload, 'base64').toString()) as { image_digest: string }).image_digest;
const recordsOf = async (operationId: string) =>
  (await tenant.records()).filter((record) => record.operation_id === operationId);

it('a command that no executor redeemed is decided once more under the present image, and runs in it', async () => {
  const id = await waiting();
  await expire(id);
  expect((await updated().sweep()).replaced).toBeGreaterThan(0);
  expect(await tenant.row(id)).toMatchObject({ state: 'admitted', image_digest: NEW, reruns: 1, permit_until: null });
  const permit = await dispatched(id, 2);
  expect(imageOf(permit)).toBe(NEW);
  const speaker = { executor_id: 'exe_00000000000000000000000000', nonce: newNonce() };
  const redemption = await run.redeem.run({ v: 1, permit, ...speaker });
  const attempt: Attempt = {
    tenant,
    operation_id: id,
    attempt: redemption.attempt,
    snapshot: redemption.state_snapshot_id,
    ...speaker,
  };
  expect(
    await run
      .newCommit()
      .run(
        reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'made' }), {
          exit_code: 0,
          result: { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 5 },
        }),
      ),
  ).toMatchObject({ state: 'committed' });
  expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({ 'a.txt': 'made' });
  const [before, anew, outcome, ...more] = await recordsOf(id);
  expect(more).toEqual([]);
  expect(before).toMatchObject({ phase: 'decision', image_digest: kernel.images.sandbox });
  expect(anew).toMatchObject({
    phase: 'decision',
    verdict: 'admitted',
    rule_ids: ['sandbox.image_replaced', 'permit-all'],
    image_digest: NEW,
    budget_delta: null,
  });
  expect(outcome).toMatchObject({
    phase: 'outcome',
    decision_record_id: anew?.record_id,
    image_digest: NEW,
    tx_outcome: 'committed',
  });
  expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 0, used: 1 });
});

it("a call of a tenant's own program in the deployment's image is decided once more, and waits for the new one", async () => {
  await manage.applyTools.run({
    ...requestBy(callerOf(tenant.tenantId)),
    file: { tools: [{ name: 'deploy', description: 'Deploys.', category: 'write', cmd: 'deploy' }] },
    dry_run: false,
  });
  const id = await waiting(1, { tool_id: 'deploy', args: {} });
  await expire(id);
  await updated().sweep();
  expect(await tenant.row(id)).toMatchObject({ state: 'admitted', fault_code: null, image_digest: NEW, reruns: 1 });
  expect(imageOf(await dispatched(id, 2))).toBe(NEW);
});

/** Admits a write that another version decided: its definition of the tool was another one. */
const decidedOnOtherDefinition = async (): Promise<string> => {
  const call = tenant.writeCall(token);
  expect(await kernel.admit.run(call, null)).toMatchObject({ state: 'admitted' });
  await tenant.query(
    `UPDATE kernel.operation SET tool_definition_digest = repeat('1', 64), attempt = 1 WHERE operation_id = $1`,
    [call.operation_id],
  );
  return call.operation_id;
};

it('a call that was decided on another definition of its tool is decided once more, and runs', async () => {
  const id = await decidedOnOtherDefinition();
  expect((await run.versionSweeper(kernel.images).sweep()).replaced).toBeGreaterThan(0);
  expect(await tenant.row(id)).toMatchObject({ state: 'admitted', reruns: 1, image_digest: null });
  const [before, anew, ...more] = await recordsOf(id);
  expect(more).toEqual([]);
  expect(anew).toMatchObject({
    phase: 'decision',
    verdict: 'admitted',
    rule_ids: ['tool.definition_replaced', 'permit-all'],
    tool_definition_digest: before?.['tool_definition_digest'],
    budget_delta: null,
  });
  expect(await tenant.row(id)).toMatchObject({ tool_definition_digest: anew?.['tool_definition_digest'] });
});

it('a call on another definition that no executor left keeps its decision', async () => {
  const id = await decidedOnOtherDefinition();
  await tenant.query('UPDATE kernel.operation SET attempt = 0 WHERE operation_id = $1', [id]);
  await run.versionSweeper(kernel.images).sweep();
  expect(await tenant.row(id)).toMatchObject({ reruns: 0, tool_definition_digest: '1'.repeat(64) });
});

it("a sweep doesn't find calls in images of tenants, which would take the place of calls to decide", async () => {
  const id = await waiting();
  await expire(id);
  const found = async (): Promise<boolean> => (await updated().find()).some(({ operation_id }) => operation_id === id);
  expect(await found()).toBe(true);
  await tenant.query(
    `INSERT INTO kernel.image (image_id, tenant_id, name, definition, digest, tools, state, image_digest, created_by)
     VALUES ($1, $2, 'own', '', repeat('0', 64), '{}', 'ready', $3, 'key_1')`,
    [`img_${id}`, tenant.tenantId, kernel.images.sandbox],
  );
  expect(await found()).toBe(false);
});

it('an outstanding permit for the old image is fenced', async () => {
  const id = await waiting(2);
  const old = await run.permitOf(id, 'sandboxed');
  await updated().sweep();
  await expect(
    run.redeem.run({ v: 1, permit: old, executor_id: 'exe_00000000000000000000000000', nonce: newNonce() }),
  ).rejects.toMatchObject({ code: 'permit.invalid' });
  expect(imageOf(await dispatched(id, 3))).toBe(NEW);
});

it.each([
  [
    'is still configured',
    async () => {
      const id = await waiting();
      await expire(id);
      return [
        id,
        run.versionSweeper({
          sandbox: NEW,
          others: { v: 1, images: [{ digest: kernel.images.sandbox, tools: ['shell.session'] }] },
        }),
      ] as const;
    },
  ],
  ['was replaced, but whose first permit is still valid', async () => [await waiting(), updated()] as const],
  [
    'was replaced, but that an executor of the old version runs',
    async () => {
      const id = await waiting(2);
      await run.redeem.run({
        v: 1,
        permit: await run.permitOf(id, 'sandboxed'),
        executor_id: 'exe_00000000000000000000000000',
        nonce: newNonce(),
      });
      return [id, updated()] as const;
    },
  ],
])('a command whose image %s keeps its decision', async (_what, prepare) => {
  const [id, sweeper] = await prepare();
  await sweeper.sweep();
  expect(await tenant.row(id)).toMatchObject({ image_digest: kernel.images.sandbox, reruns: 0 });
  expect(await recordsOf(id)).toHaveLength(1);
});

it('sweeps of both versions at once decide a call anew once, until executors leave it again', async () => {
  const id = await waiting();
  await expire(id);
  const old = run.versionSweeper(kernel.images);
  for (let round = 0; round < 5; round += 1) await Promise.all([old.sweep(), updated().sweep(), updated().sweep()]);
  expect(await tenant.row(id)).toMatchObject({ reruns: 1, image_digest: NEW });
  const records = await recordsOf(id);
  expect(records).toHaveLength(2);
  expect(records.at(-1)).toMatchObject({ phase: 'decision', image_digest: NEW });
});

it('a call that another sweep decided after it was found keeps that decision', async () => {
  const id = await waiting();
  await expire(id);
  const old = run.versionSweeper({ sandbox: `sha256:${'8'.repeat(64)}`, others: { v: 1, images: [] } });
  const found = await old.find();
  expect(found.map(({ operation_id }) => operation_id)).toContain(id);
  await updated().sweep();
  await old.decide(found);
  expect(await tenant.row(id)).toMatchObject({ reruns: 1, image_digest: NEW });
});

it('the version that stays decides last, whatever two versions decided before, and seldom', async () => {
  const id = await waiting();
  const old = run.versionSweeper(kernel.images);
  let attempt = 1;
  const leave = async (): Promise<void> => {
    await expire(id);
    attempt += 1;
    await dispatched(id, attempt);
  };
  // Both run, and no executor has the image of either: each sweeps at each turn.
  for (let turn = 0; turn < 20; turn += 1) {
    await leave();
    await Promise.all([old.sweep(), updated().sweep()]);
    if ((await tenant.row(id)).state === 'admitted') await dispatched(id, (attempt += 1));
  }
  const { reruns } = await tenant.row(id);
  expect(reruns).toBeGreaterThan(2);
  expect(2 ** (reruns - 1)).toBeLessThanOrEqual(attempt);
  expect(await recordsOf(id)).toHaveLength(1 + reruns);
  for (const stays of [old, updated()]) {
    const image = stays === old ? kernel.images.sandbox : NEW;
    for (let turn = 0; turn <= 2 * attempt && (await tenant.row(id)).image_digest !== image; turn += 1) {
      await leave();
      await stays.sweep();
      if ((await tenant.row(id)).state === 'admitted') await dispatched(id, (attempt += 1));
    }
    expect(await tenant.row(id)).toMatchObject({ image_digest: image });
  }
}, 60_000);

it.each([
  [
    'the policy refuses now',
    () => {
      kernel.policy.answer = () => ({ effect: 'refuse', code: 'policy.error', message: 'a rule failed' });
    },
    'policy.error',
  ],
  [
    'whose token was revoked',
    async () => {
      await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
    },
    'token.revoked',
  ],
] as const)('a command that %s ends, and costs nothing', async (_what, change, code) => {
  const id = await waiting();
  await expire(id);
  await change();
  expect((await updated().sweep()).ended).toBe(1);
  expect(await tenant.row(id)).toMatchObject({ state: 'refused', fault_code: code, reserved: {} });
  expect(await recordsOf(id)).toHaveLength(2);
});
