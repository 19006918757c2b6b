// SPDX-License-Identifier: Apache-2.0
//
// Secrets that a call names: who may, and how they come to the executor that runs it.
import { SHELL_RUN, type ProposedCall } from '@writ/contract';
import { redeemedContext, HpkeBox } from '@writ/sealing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newNonce, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

const MARKER = 'marker-20ab-of-a-secret';
const box = new HpkeBox(Buffer.alloc(32, 7));
let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ secrets: ['KEY', 'OTHER'] });
  kernel.policy.says = () => AUTOPILOT;
  await put('KEY');
});

const put = (name: string, value = MARKER) =>
  kernel.kept.store.put(tenant.tenantId, { name, value: Buffer.from(value), note: null, created_by: 'key_x' });
const remove = (name: string) =>
  tenant.query('DELETE FROM kernel.secret WHERE tenant_id = $1 AND name = $2', [tenant.tenantId, name]);
const shell = (command: string, more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.call(token, { tool_id: 'shell.run', args: { command }, idempotency_key: newId('request'), ...more });
const codeOf = async (call: ProposedCall): Promise<string> => {
  const { state, result } = await kernel.admit.run(call, null);
  return result?.error?.code ?? state;
};
const permitOf = async (call: ProposedCall) => {
  expect(await codeOf(call)).toBe('admitted');
  run.speak(100);
  run.dispatcher.wake('sandboxed');
  return await run.permitOf(call.operation_id, 'sandboxed');
};
const redeem = async (call: ProposedCall, public_key: string | undefined) =>
  await run.redeem.run({
    v: 1,
    permit: await permitOf(call),
    executor_id: newId('executor'),
    nonce: newNonce(),
    ...(public_key === undefined ? {} : { public_key }),
  });
const opened = async (
  call: ProposedCall,
  sealed: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(sealed).map(
        async ([name, text]) =>
          [
            name,
            (
              await box.open(Buffer.from(text, 'base64'), redeemedContext(tenant.tenantId, call.operation_id, name))
            ).toString(),
          ] as const,
      ),
    ),
  );
const ours = async (): Promise<string> => (await box.publicKey()).toString('base64');

describe('a call that names a secret', () => {
  it("is refused where it isn't there, and where a token of the chain doesn't grant it", async () => {
    expect(await codeOf(shell('echo ${secret:OTHER}'))).toBe('secret.unknown');
    expect(
      await codeOf(shell('echo ${secret:KEY}', { capability_token_id: await tenant.token({ secrets: ['OTHER'] }) })),
    ).toBe('token.scope');
    expect(
      await codeOf(
        shell('echo ${secret:KEY}', {
          capability_token_id: await tenant.token(
            { secrets: ['KEY'] },
            { parent_id: await tenant.token({ secrets: [] }) },
          ),
        }),
      ),
    ).toBe('token.scope');
    expect(await codeOf(shell('echo ${secret:key}'))).toBe('args.invalid');
    expect(await codeOf(shell('cat', { args: { command: 'cat', stdin: '${secret:KEY}' } }))).toBe('args.invalid');
    expect(await codeOf(shell('echo $${secret:NOTHING}'))).toBe('admitted');
  });

  it('is refused after its secret was removed, though one like it was admitted a moment ago', async () => {
    for (let n = 0; n < 3; n++) expect(await codeOf(shell('echo ${secret:KEY}'))).toBe('admitted');
    await remove('KEY');
    expect(await codeOf(shell('echo ${secret:KEY}'))).toBe('secret.unknown');
  });

  it('names none in a tool that writes files: there it is text', async () => {
    expect(await codeOf(tenant.writeCall(token, { args: { path: 'a.txt', content: '${secret:NOTHING}' } }))).toBe(
      'admitted',
    );
  });
});

describe('a redemption', () => {
  it('brings the named secrets alone, sealed to the executor that asks, for this call', async () => {
    await put('OTHER', 'other');
    const call = shell('echo "${secret:KEY}"');
    const redemption = await redeem(call, await ours());
    expect(redemption.secrets).toEqual({});
    expect(JSON.stringify(redemption)).not.toContain(MARKER);
    expect(await opened(call, redemption.sealed)).toEqual({ KEY: MARKER });
    await expect(opened(shell('x'), redemption.sealed)).rejects.toThrow();
  });

  it('to an executor that names no key brings no secret', async () => {
    const redemption = await redeem(shell('echo "${secret:KEY}"'), undefined);
    expect([redemption.secrets, redemption.sealed]).toEqual([{}, undefined]);
  });

  it('finds the secrets of arguments that are long, too', async () => {
    const args = { command: 'cat > /dev/null; echo "${secret:KEY}"', stdin: 'x'.repeat(100_000) };
    const { sha256, size } = await kernel.blobs.put(tenant.tenantId, Buffer.from(JSON.stringify(args)));
    const call = shell('', { args: null, args_ref: { sha256, size } });
    expect(await opened(call, (await redeem(call, await ours())).sealed)).toEqual({ KEY: MARKER });
  });

  it('of a call whose secret has gone since ends the call', async () => {
    const call = shell('echo "${secret:KEY}"');
    const permit = await permitOf(call);
    await remove('KEY');
    await expect(
      run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: newNonce(), public_key: await ours() }),
    ).rejects.toMatchObject({ code: 'secret.unknown' });
    expect(await tenant.row(call.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'secret.unknown' });
  });

  it("brings a value of the session before the tenant's, and no preview any", async () => {
    const call = shell('echo "${secret:KEY}"', { session_id: 'ses-1' });
    const ask = {
      tenant_id: tenant.tenantId,
      agent_id: tenant.agentId,
      session_id: 'ses-1',
      capability_token_id: token,
      name: 'KEY',
      secret: true,
    };
    const session = await kernel.kept.values.seal(ask, newId('operation'), {
      approval_id: newId('approval'),
      scope: 'session',
      value: Buffer.from('of the session'),
      expires_at: Date.now() + 60_000,
    });
    await tenant.query('SELECT kernel.put_value($1, $2)', [tenant.tenantId, JSON.stringify({ session })]);
    expect(await opened(call, (await redeem(call, await ours())).sealed)).toEqual({ KEY: 'of the session' });
    expect(
      await kernel.kept.values.forCall(
        await tenant.row(call.operation_id),
        SHELL_RUN,
        { command: 'echo "${secret:KEY}"' },
        'preview',
      ),
    ).toEqual({});
  });
});
