// SPDX-License-Identifier: Apache-2.0
// Scripts in registered sandboxes: decided on the signed definition, bound to it, and run in no other.
import type { ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newNonce, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import { TestRegistrar } from '../../specs/test-registrar.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
let registrar: TestRegistrar;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token();
  kernel.policy.answer = () => AUTOPILOT;
  registrar = await TestRegistrar.of(manage, tenant);
});

const NAME = 'build';
const FRAGMENTS = { greet: [{ verb: 'FileWrite', args: ['greeting.txt', 'hello $WHO'] }] };

const register = (definition: Record<string, unknown> = {}) =>
  registrar.register({ fragments: FRAGMENTS, ...definition });
const sign = (environment = 'WHO=world\n') => registrar.sign(environment);
const ready = async (definition: Record<string, unknown> = {}): Promise<string> => {
  await register(definition);
  return await sign();
};

const op = (verb: string, ...args: string[]) => ({ verb, args });
const script = (
  operations: readonly object[],
  more: Partial<ProposedCall> = {},
  sandbox: string = NAME,
): ProposedCall =>
  tenant.writeCall(token, { tool_id: 'mk8.run', args: { script: { operations: [...operations] }, sandbox }, ...more });
const greet = (more: Partial<ProposedCall> = {}): ProposedCall => script([op('Include', 'greet')], more);
const verdictOf = async (call: ProposedCall) => {
  const { state, result, reasons } = await kernel.admit.run(call, null);
  return {
    state,
    code: result?.error?.code ?? null,
    message: result?.error?.message ?? '',
    hint: result?.error?.hint ?? '',
    reasons,
  };
};
const decisionOf = async (call: ProposedCall) =>
  (await tenant.records()).find(
    ({ operation_id, phase }) => operation_id === call.operation_id && phase === 'decision',
  );
const isEnded = async ({ operation_id }: ProposedCall) => {
  const { state, fault_code, fault_message } = await tenant.row(operation_id);
  return [state, fault_code, fault_message];
};

describe('a script that names a sandbox', () => {
  it('is judged by the signed definition, and its record, action and redemption are bound to it', async () => {
    const digest = await ready();
    const call = greet();
    const { redemption } = await run.perform(tenant, call);
    const bare = script([op('FileExists', 'a.txt')], {}, 'default');
    await kernel.admit.run(bare, null);
    const [within, shipped] = [await decisionOf(call), await decisionOf(bare)];
    expect(within?.tool_definition_digest).not.toBe(shipped?.tool_definition_digest);
    expect((await tenant.row(call.operation_id)).reasons).toContainEqual({
      code: 'sandbox.signed',
      message: expect.stringContaining(digest),
    });
    expect(redemption.tool_definition_digest).toBe(within?.tool_definition_digest);
    expect(JSON.parse(Buffer.from(redemption.sandbox?.definition ?? '', 'base64').toString())).toMatchObject({
      fragments: FRAGMENTS,
    });
    expect(JSON.parse(Buffer.from(redemption.sandbox?.statement ?? '', 'base64').toString())).toMatchObject({
      environment: 'WHO=world\n',
      sandbox: NAME,
    });
  });

  it('runs with the resource of its sandbox, by id or name, and is refused with any other one', async () => {
    await ready();
    await registrar.register({}, 'other');
    const idOf = async (name: string): Promise<string> =>
      (
        await kernel.admin.query<{ resource_id: string }>(
          "SELECT resource_id FROM kernel.resource WHERE tenant_id = $1 AND kind = 'sandbox' AND name = $2",
          [tenant.tenantId, name],
        )
      ).rows[0]?.resource_id ?? '';
    const within = (resource: string, sandbox = NAME): ProposedCall => {
      const call = script([op('FileExists', 'a.txt')], {}, sandbox);
      return { ...call, args: { ...call.args, resource } };
    };
    for (const resource of [await idOf(NAME), NAME])
      expect(await verdictOf(within(resource))).toMatchObject({ state: 'admitted' });
    expect(await verdictOf(within('default', 'default'))).toMatchObject({ state: 'admitted' });
    const refused = [];
    for (const [resource, sandbox] of [
      [await idOf('other'), NAME],
      [newId('resource'), NAME],
      ['6f0d7f2e-51c4-4f0a-9a55-0d6d3a9f9a10', NAME],
      [await idOf(NAME), 'default'],
    ] as const) {
      const { code, message } = await verdictOf(within(resource, sandbox));
      expect(message).toContain('`/resource` is not the resource of the sandbox');
      refused.push(code);
    }
    expect(new Set(refused)).toEqual(new Set(['args.invalid']));
    expect(await verdictOf(within(newId('resource'), 'nothing'))).toMatchObject({ code: 'sandbox.unknown' });
  });

  it('that does not exist is refused, with a message how to register it', async () => {
    expect(await verdictOf(greet())).toMatchObject({
      state: 'refused',
      code: 'sandbox.unknown',
      message: expect.stringContaining('writ sandbox register build'),
      hint: expect.stringContaining('tell the person'),
    });
  });

  it('is refused where it is not signed, was changed after the signature, or its key was revoked', async () => {
    await register();
    expect(await verdictOf(greet())).toMatchObject({
      state: 'refused',
      code: 'sandbox.unverified',
      message: expect.stringContaining('nobody has signed it'),
    });
    await sign();
    // The second one is decided on the cached facts of the first.
    for (const call of [greet(), greet()]) expect(await verdictOf(call)).toMatchObject({ state: 'admitted' });
    // The cached facts stay valid, except for its sandbox.
    await tenant.query('UPDATE kernel.sandbox SET sig = set_byte(sig, 5, get_byte(sig, 5) # 1) WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    expect(await verdictOf(greet())).toMatchObject({ state: 'refused', code: 'sandbox.unverified' });
    await tenant.query('UPDATE kernel.sandbox SET sig = set_byte(sig, 5, get_byte(sig, 5) # 1) WHERE tenant_id = $1', [
      tenant.tenantId,
    ]);
    await registrar.revoke();
    expect(await verdictOf(greet())).toMatchObject({
      state: 'refused',
      code: 'sandbox.unverified',
      message: expect.stringContaining('was revoked'),
    });
  });

  it("is refused in another workspace than the sandbox's, and so is another tenant", async () => {
    await ready();
    expect(await verdictOf(greet({ workspace_id: await tenant.secondWorkspace() }))).toMatchObject({
      state: 'refused',
      code: 'args.invalid',
      message: expect.stringContaining('another workspace'),
    });
    const other = await kernel.newTenant();
    await other.write({ 'a.txt': 'x' });
    const { result } = await kernel.admit.run(
      other.writeCall(await other.token(), { tool_id: 'mk8.run', args: greet().args }),
      null,
    );
    expect(result?.error?.code).toBe('sandbox.unknown');
  });

  it('has the limits and the capabilities that the sandbox adds', async () => {
    await ready({
      enabled_templates: ['git.status'],
      rules: {
        blacklist: [{ id: 'own.word', kind: 'word', pattern: 'plutonium', scope: 'everywhere', reason: 'is not ours' }],
      },
    });
    expect(await verdictOf(script([op('Echo', 'plutonium')]))).toMatchObject({
      code: 'args.invalid',
      message: expect.stringContaining('is not ours'),
    });
    expect(await verdictOf(script([op('Echo', 'plutonium')], {}, 'default'))).toMatchObject({ state: 'admitted' });
    expect(await verdictOf(script([op('ProcRun', 'git', 'status')]))).toMatchObject({ state: 'admitted' });
    expect(await verdictOf(script([op('ProcRun', 'git', 'log')]))).toMatchObject({ code: 'args.invalid' });
    expect(await verdictOf(script([op('Include', 'nothing')]))).toMatchObject({ code: 'args.invalid' });
    expect(await verdictOf(script([op('Include', 'greet')], {}, 'default'))).toMatchObject({ code: 'args.invalid' });
  });

  it('needs a token that grants what its fragments do', async () => {
    await ready();
    const reads = await tenant.token({ fs: [{ path: '', read: true, write: false }] });
    expect(await verdictOf(greet({ capability_token_id: reads }))).toMatchObject({
      state: 'refused',
      code: 'token.scope',
    });
  });

  it('called `default` is the shipped one, and no sandbox is registered under that name', async () => {
    const { valid, problems } = await manage.registerSandbox.put({
      ...requestBy(callerOf(tenant.tenantId)),
      name: 'default',
      definition: { workspace_id: tenant.workspaceId },
    });
    expect([valid, problems.map(({ pointer }) => pointer)]).toEqual([false, ['/name']]);
  });
});

describe('a dry run of a script', () => {
  it('returns and stores what it would read, write and request, with its hash on record, without a run', async () => {
    const digest = await ready();
    const call = script([op('Include', 'greet'), op('FileRead', 'a.txt'), op('ProcRun', 'git', 'status')], {
      dry_run: true,
    });
    const view = await kernel.admit.run(call, null);
    const foreseen = {
      status: 'dry_run',
      sandbox: { name: NAME, digest },
      steps: 3,
      category: 'write',
      reads: ['a.txt'],
      writes: ['greeting.txt'],
      hosts: [],
      templates: ['git.status'],
      omitted: 0,
    };
    expect(view).toMatchObject({
      state: 'no_op',
      result: { status: 'ok', tx_outcome: 'no_op', result: foreseen, commit_delta_id: null },
    });
    expect((await decisionOf(call))?.result_hash).toBe(view.result?.result_hash);
    expect(
      await manage.readOperation.run({ ...requestBy(callerOf(tenant.tenantId)), operation_id: call.operation_id }),
    ).toMatchObject({ result: { result: foreseen } });
    // A call that is sent twice after a lost answer gets the same answer.
    expect(await kernel.admit.run(call, null)).toMatchObject({ result: { result: foreseen } });
    expect([await tenant.countOf('idempotency'), await tenant.countOf('operation')]).toEqual([0, 1]);
  });

  it('that would be held returns that and its effect; one that is refused returns only the reason', async () => {
    kernel.policy.answer = requires('soft_gate');
    await ready();
    expect(await kernel.admit.run(greet({ dry_run: true }), null)).toMatchObject({
      state: 'no_op',
      approval_id: null,
      result: {
        result: { writes: ['greeting.txt'] },
        reasons: expect.arrayContaining([{ code: 'dry_run', message: expect.stringContaining('held') }]),
      },
    });
    kernel.policy.answer = requires('no_go');
    expect(await kernel.admit.run(greet({ dry_run: true }), null)).toMatchObject({
      state: 'refused',
      result: { result: null, result_hash: null },
    });
    expect(await kernel.admit.run(script([op('Nothing')], { dry_run: true }), null)).toMatchObject({
      state: 'refused',
      result: { result: null },
    });
  });

  it('is erased with its result', async () => {
    await ready();
    const call = greet({ dry_run: true });
    await kernel.admit.run(call, null);
    await manage.beginErasure.run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id: call.operation_id,
      session_id: null,
      before: null,
      reason_code: 'asked',
    });
    const { result } = await manage.readOperation.run({
      ...requestBy(callerOf(tenant.tenantId)),
      operation_id: call.operation_id,
    });
    expect(result?.result).toBeNull();
  });
});

describe('a sandbox that changes after a script was admitted', () => {
  const admitted = async (): Promise<ProposedCall> => {
    await ready();
    const call = greet();
    expect((await kernel.admit.run(call, null)).state).toBe('admitted');
    return call;
  };

  it.each([
    [
      'signed again',
      async () => {
        await sign('WHO=nobody\n');
      },
      'tool.changed',
      'was changed or signed anew',
    ],
    [
      'changed and signed',
      async () => {
        await register({ fragments: {} });
        await sign();
      },
      'tool.changed',
      'was changed or signed anew',
    ],
    [
      'changed and not signed',
      async () => {
        await register({ fragments: {} });
      },
      'sandbox.unverified',
      'nobody has signed it',
    ],
    [
      'removed',
      async () => {
        await registrar.remove();
      },
      'sandbox.unknown',
      'there is no sandbox',
    ],
    [
      'with a revoked key',
      async () => {
        await registrar.revoke();
      },
      'sandbox.unverified',
      'was revoked',
    ],
  ] as const)('%s: the call ends, and nothing runs', async (_how, change, code, words) => {
    const call = await admitted();
    await change();
    expect(await refusalOf(run.performAdmitted(tenant, call.operation_id, 'sandboxed'))).toMatchObject({ code });
    expect(await isEnded(call)).toEqual(['rolled_back', code, expect.stringContaining(words)]);
  });

  it('while its call is held makes the approval stale, and is refused as unverified where unsigned', async () => {
    kernel.policy.answer = requires('soft_gate');
    await ready();
    const held = async (call: ProposedCall): Promise<string> => (await kernel.admit.run(call, null)).approval_id ?? '';
    const [first, second, third] = [greet(), greet(), greet()];
    const ids = [await held(first), await held(second), await held(third)];
    const yes = (n: number) =>
      kernel.decide.run({
        ...requestBy(callerOf(tenant.tenantId, 'operator')),
        approval_id: ids[n] ?? '',
        decision: 'approve',
        comment: null,
      });
    await yes(0);
    expect(await isEnded(first)).toEqual(['admitted', null, null]);
    await sign('WHO=nobody\n');
    await yes(1);
    expect((await isEnded(second)).slice(0, 2)).toEqual(['refused', 'approval.stale']);
    await register({ fragments: {} });
    await yes(2);
    expect((await isEnded(third)).slice(0, 2)).toEqual(['refused', 'sandbox.unverified']);
  });

  it('ends a session grant: the same script needs another approval', async () => {
    kernel.policy.answer = requires('soft_gate');
    await ready();
    const said = async (): Promise<string> => (await kernel.admit.run(greet({ session_id: 'ses-1' }), null)).state;
    const { approval_id } = await kernel.admit.run(greet({ session_id: 'ses-1' }), null);
    await kernel.decide.run({
      ...requestBy(callerOf(tenant.tenantId, 'operator')),
      approval_id: approval_id ?? '',
      decision: 'approve',
      comment: null,
      session: { uses: 5, ttl_ms: 3_600_000 },
    });
    expect(await said()).toBe('admitted');
    await sign('WHO=nobody\n');
    expect(await said()).toBe('held');
  });

  it('before a preview of it ran abandons only the preview', async () => {
    kernel.policy.answer = requires('soft_gate');
    await ready();
    const call = greet();
    expect(await kernel.admit.run(call, null)).toMatchObject({ state: 'held' });
    run.speak(100);
    await run.previewDispatcher.run();
    const permit = await run.permitOf(call.operation_id, 'sandboxed');
    await sign('WHO=nobody\n');
    expect(
      await refusalOf(run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: newNonce() })),
    ).toMatchObject({ code: 'permit.invalid' });
    expect(await isEnded(call)).toEqual(['held', null, null]);
  });
});
