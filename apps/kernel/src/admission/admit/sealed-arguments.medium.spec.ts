// SPDX-License-Identifier: Apache-2.0
//
// Long arguments, sealed or stored before sealing existed: who reads them after the admission, and what happens when
// the key of their call is deleted.
import type { ProposedCall } from '@writ/contract';
import { openContent, ARGUMENTS_ATTEMPT } from '@writ/sealing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { withPlainArguments, withSealedArguments } from '../../specs/long-arguments.ts';
import { deltaFor, newNonce, payloadOf, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Approvals } from '../approvals/index.ts';
import { ArgumentsReader, ToolReader } from '../../judging/judgement/index.ts';
import { newId } from '@writ/nest-kit';
import { Trees } from '../../foundation/workspace/trees.ts';
import { SpawnToken } from '../../management/tokens/index.ts';
import { RecordedCalls } from '../../management/what-if/index.ts';
import { openArguments } from '../../evidence/payload/index.ts';

const MARKER = 'marker-of-a-person';
const ARGS = { path: 'a.txt', content: MARKER };

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
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
});

const refOf = async (id: string) =>
  (
    await kernel.admin.query<{ r: { sha256: string; size: number; sealed_key?: string } | null }>(
      'SELECT args_ref AS r FROM kernel.payload WHERE operation_id = $1',
      [id],
    )
  ).rows[0]!.r!;
const admit = async (call: ProposedCall) => await kernel.admit.run(call, null);
/** The reader of a separate replica, which has only the rows. */
const readerOf = (vault: TestKernel['vault']) => new ArgumentsReader({ blobs: kernel.blobs, vault, work: null });
const operator = () => callerOf(tenant.tenantId, 'operator');
const approve = async (
  { approval_id }: { approval_id: string | null },
  session: { uses: number; ttl_ms: number } | null = null,
) =>
  await kernel.decide.run({
    ...requestBy(operator()),
    approval_id: approval_id ?? '',
    decision: 'approve',
    comment: null,
    ...(session === null ? {} : { session }),
  });
const shownBy = async (approvals: Approvals, { approval_id }: { approval_id: string | null }) =>
  (await approvals.read({ ...requestBy(operator()), approval_id: approval_id ?? '' })).args;
/** Deletes the key of every call of the tenant, as if a backup of the rest had been restored after an erasure. */
const withoutKeys = () => kernel.admin.query('DELETE FROM kernel.payload_key WHERE tenant_id = $1', [tenant.tenantId]);

describe('long arguments that are sealed', () => {
  it('are stored under the key of their call, which only the redeeming executor gets', async () => {
    const call = await withSealedArguments(kernel, tenant.writeCall(token, { args: ARGS }));
    const { redemption } = await run.perform(tenant, call);
    const stored = Buffer.from(await kernel.blobs.get(tenant.tenantId, call.args_ref!.sha256));
    expect(stored.includes(MARKER)).toBe(false);
    expect(redemption).toMatchObject({ args: null, args_key: call.args_key });
    expect(redemption.args_ref).toEqual(call.args_ref);
    expect(
      JSON.parse(
        openContent(
          {
            key: Buffer.from(redemption.args_key!, 'base64'),
            tenantId: tenant.tenantId,
            operationId: call.operation_id,
            attempt: ARGUMENTS_ATTEMPT,
          },
          'args',
          stored,
        ).toString(),
      ),
    ).toEqual(ARGS);
    const rows = await kernel.admin.query(
      'SELECT to_jsonb(o) AS o, to_jsonb(y) AS y FROM kernel.operation o JOIN kernel.payload y USING (operation_id) WHERE o.tenant_id = $1',
      [tenant.tenantId],
    );
    expect(JSON.stringify([rows.rows, await tenant.records()])).not.toContain(call.args_key);
  });

  it('sealed again are the same call, by its id and by its key', async () => {
    const call = tenant.writeCall(token, { args: ARGS });
    const first = await admit(await withSealedArguments(kernel, call));
    expect(await admit(await withSealedArguments(kernel, call))).toMatchObject({
      operation_id: first.operation_id,
      state: first.state,
    });
    expect(await admit(await withSealedArguments(kernel, { ...call, operation_id: newId('operation') }))).toMatchObject(
      { operation_id: call.operation_id, replayed: true },
    );
    await expect(
      admit(await withSealedArguments(kernel, { ...call, args: { ...ARGS, content: 'else' } })),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it('of another call are neither judged nor shown', async () => {
    kernel.policy.answer = requires('soft_gate');
    const [mine, other] = [
      await withSealedArguments(kernel, tenant.writeCall(token, { args: ARGS })),
      await withSealedArguments(kernel, tenant.writeCall(token, { args: ARGS })),
    ];
    expect(await admit({ ...mine, args_ref: other.args_ref })).toMatchObject({
      state: 'refused',
      result: { error: { code: 'args.invalid' } },
    });
    const held = await admit(await withSealedArguments(kernel, tenant.writeCall(token, { args: ARGS })));
    await tenant.query(
      `UPDATE kernel.payload SET args_ref = args_ref || jsonb_build_object('sha256', $2::text) WHERE operation_id = $1`,
      [held.operation_id, other.args_ref?.sha256],
    );
    expect(await shownBy(kernel.approvals, held)).toBeNull();
    await expect(approve(held)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('lose their key with their reference when the call is erased', async () => {
    const { attempt } = await run.perform(
      tenant,
      await withSealedArguments(kernel, tenant.writeCall(token, { args: ARGS })),
    );
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })));
    const ref = await refOf(attempt.operation_id);
    await manage.beginErasure.run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id: attempt.operation_id,
      session_id: null,
      before: null,
      reason_code: 'gdpr-art-17',
    });
    expect(await refOf(attempt.operation_id)).toBeNull();
    // An old copy of the row.
    const open = (vault = kernel.newVault()) =>
      openArguments(vault.calls, kernel.blobs, { tenant_id: tenant.tenantId, operation_id: attempt.operation_id }, ref);
    expect(await open()).toBeNull();
  });
});

describe.each([
  ['sealed', withSealedArguments],
  ['of a time when none were sealed', withPlainArguments],
] as const)('long arguments %s', (_, put) => {
  const isSealed = put === withSealedArguments;
  const sent = async (more: Partial<ProposedCall> = {}) =>
    await put(kernel, tenant.writeCall(token, { args: ARGS, ...more }));

  it('are shown to approvers and judged again, and are unreadable once their key is deleted', async () => {
    kernel.policy.answer = requires('soft_gate');
    const held = await admit(await sent());
    expect('sealed_key' in (await refOf(held.operation_id))).toBe(isSealed);
    expect(await shownBy(kernel.approvals, held)).toEqual(ARGS);
    const other = await admit(await sent());
    expect(await approve(held)).toMatchObject({ state: 'admitted' });
    await withoutKeys();
    expect(
      await shownBy(new Approvals(kernel.tenants, kernel.newVault(), kernel.blobs, readerOf(kernel.newVault())), other),
    ).toEqual(isSealed ? null : ARGS);
  });

  it('are named in an answer that they do not fit, without their key', async () => {
    kernel.policy.answer = requires('soft_gate');
    const call = await sent({ args: { ...ARGS, content: MARKER.repeat(10_000) } });
    expect(await shownBy(kernel.approvals, await admit(call))).toEqual({
      args_ref: call.args_ref,
      too_long_to_show: expect.any(Number),
    });
  });

  it('are used to check an effect and to run a call again', async () => {
    const { attempt } = await run.perform(tenant, await sent());
    const meanwhile = (await run.perform(tenant, tenant.writeCall(token))).attempt;
    await run.newCommit().run(reportOf(meanwhile, await deltaFor(kernel, meanwhile, { 'a.txt': 'theirs' })));
    expect(await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'x' })))).toMatchObject({
      state: 'admitted',
    });
    run.dispatch('inline');
    let permit = await run.permitOf(attempt.operation_id);
    for (; payloadOf(permit).attempt === attempt.attempt; permit = await run.permitOf(attempt.operation_id))
      await new Promise((resolve) => {
        setTimeout(resolve, 2);
      });
    const redemption = await run.redeem.run({ v: 1, permit, executor_id: attempt.executor_id, nonce: newNonce() });
    expect('args_key' in redemption).toBe(isSealed);
    expect(redemption).toMatchObject({ attempt: 2, content_key: expect.any(String) });
  });

  it('are compared with those of the call of a session grant', async () => {
    kernel.policy.answer = requires('soft_gate');
    const shell = (command: string) =>
      sent({ tool_id: 'shell.run', args: { command, stdin: MARKER }, session_id: 'ses-1' });
    await approve(await admit(await shell('make')), { uses: 3, ttl_ms: 60_000 });
    expect([(await admit(await shell('make'))).state, (await admit(await shell('make all'))).state]).toEqual([
      'admitted',
      'held',
    ]);
  });

  it('define the token of a sub-agent, and none once their key is deleted', async () => {
    const spawned = async () => {
      const { attempt } = await run.perform(
        tenant,
        await sent({
          tool_id: 'agent.spawn',
          args: { task: MARKER, tools: ['fs.read'] },
          provenance: { source: 'run', run_id: newId('run') },
        }),
      );
      await run.commit.run(reportOf(attempt, null, { result: { allowed: true } }));
      return attempt.operation_id;
    };
    const take = (operation_id: string, by = manage.spawn) =>
      by.run({ ...requestBy(callerOf(tenant.tenantId)), operation_id });
    const [first, second] = [await spawned(), await spawned()];
    expect(await take(first)).toMatchObject({ grant: { tools: ['fs.read'] } });
    await withoutKeys();
    const fresh = take(second, new SpawnToken(kernel.tenants, manage.changes, readerOf(kernel.newVault())));
    await (isSealed
      ? expect(fresh).rejects.toMatchObject({ code: 'not_found' })
      : expect(fresh).resolves.toMatchObject({ grant: { tools: ['fs.read'] } }));
  });

  it('are evaluated again by simulations and replays, until their key is deleted', async () => {
    const { operation_id } = await admit(await sent());
    const asked = async (vault = kernel.vault) => {
      const calls = new RecordedCalls({
        ...kernel,
        vault,
        args: readerOf(vault),
        trees: new Trees(kernel.blobs),
        tools: new ToolReader(null),
      });
      const [call] = await calls.findNamed(tenant.tenantId, [{ operation_id }]);
      return await calls.actionOf(call!);
    };
    expect(await asked()).toMatchObject({ args: ARGS });
    await withoutKeys();
    expect(await asked(kernel.newVault())).toEqual(
      isSealed ? 'the arguments of the call were erased' : expect.objectContaining({ args: ARGS }),
    );
  });
});
