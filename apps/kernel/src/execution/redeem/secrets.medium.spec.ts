// SPDX-License-Identifier: Apache-2.0
//
// Secrets that a call names: who may use them, and how the executor that runs the call gets them.
import { SHELL_RUN, type ProposedCall } from '@writ/contract';
import { redeemedContext, HpkeBox } from '@writ/sealing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { newNonce, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import { putResource } from '../../specs/test-resources.ts';
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
  kernel.policy.answer = () => AUTOPILOT;
  await put('KEY');
});

const put = (name: string, value = MARKER) =>
  kernel.valueParts.store.put(tenant.tenantId, { name, value: Buffer.from(value), note: null, created_by: 'key_x' });
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
  it("is refused where it doesn't exist, and where a token of the chain doesn't grant it", async () => {
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

  it('is refused after its secret was removed, though a similar call was admitted a moment ago', async () => {
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
  it('returns the named secrets alone, sealed to the executor that redeems, for this call', async () => {
    await put('OTHER', 'other');
    const call = shell('echo "${secret:KEY}"');
    const redemption = await redeem(call, await ours());
    expect(redemption.secrets).toEqual({});
    expect(JSON.stringify(redemption)).not.toContain(MARKER);
    expect(await opened(call, redemption.sealed)).toEqual({ KEY: MARKER });
    await expect(opened(shell('x'), redemption.sealed)).rejects.toThrow();
  });

  it('returns no secret to an executor that names no key', async () => {
    const redemption = await redeem(shell('echo "${secret:KEY}"'), undefined);
    expect([redemption.secrets, redemption.sealed]).toEqual([{}, undefined]);
  });

  it('finds the secrets in long arguments, too', async () => {
    const args = { command: 'cat > /dev/null; echo "${secret:KEY}"', stdin: 'x'.repeat(100_000) };
    const { sha256, size } = await kernel.blobs.put(tenant.tenantId, Buffer.from(JSON.stringify(args)));
    const call = shell('', { args: null, args_ref: { sha256, size } });
    expect(await opened(call, (await redeem(call, await ours())).sealed)).toEqual({ KEY: MARKER });
  });

  it('of a call whose secret is gone since ends the call', async () => {
    const call = shell('echo "${secret:KEY}"');
    const permit = await permitOf(call);
    await remove('KEY');
    await expect(
      run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: newNonce(), public_key: await ours() }),
    ).rejects.toMatchObject({ code: 'secret.unknown' });
    expect(await tenant.row(call.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'secret.unknown' });
  });

  it("prefers a value of the session to the tenant's, and a preview gets none", async () => {
    const call = shell('echo "${secret:KEY}"', { session_id: 'ses-1' });
    const ask = {
      tenant_id: tenant.tenantId,
      agent_id: tenant.agentId,
      session_id: 'ses-1',
      capability_token_id: token,
      name: 'KEY',
      secret: true,
    };
    const session = await kernel.valueParts.values.seal(ask, newId('operation'), {
      approval_id: newId('approval'),
      scope: 'session',
      value: Buffer.from('of the session'),
      expires_at: Date.now() + 60_000,
    });
    await tenant.query('SELECT kernel.put_value($1, $2)', [tenant.tenantId, JSON.stringify({ session })]);
    expect(await opened(call, (await redeem(call, await ours())).sealed)).toEqual({ KEY: 'of the session' });
    expect(
      await kernel.valueParts.values.forCall(
        await tenant.row(call.operation_id),
        SHELL_RUN,
        { command: 'echo "${secret:KEY}"' },
        { mode: 'preview', grants: () => true },
      ),
    ).toEqual({});
  });
});

describe('a resource whose settings name a secret', () => {
  const search = (): ProposedCall =>
    tenant.call(token, { tool_id: 'web.search', args: { query: 'x' }, idempotency_key: null });
  const permitOfSearch = async (call: ProposedCall) => {
    expect(await codeOf(call)).toBe('admitted');
    run.speak(100);
    run.dispatcher.wake('broker');
    return await run.permitOf(call.operation_id, 'broker');
  };
  const redeemSearch = async (call: ProposedCall) =>
    await run.redeem.run({
      v: 1,
      permit: await permitOfSearch(call),
      executor_id: newId('executor'),
      nonce: newNonce(),
      public_key: await ours(),
    });
  const sessionValue = (name: string, session_id: string) =>
    kernel.valueParts.values.seal(
      {
        tenant_id: tenant.tenantId,
        agent_id: tenant.agentId,
        session_id,
        capability_token_id: token,
        name,
        secret: true,
      },
      newId('operation'),
      { approval_id: newId('approval'), scope: 'session', value: Buffer.from('x'), expires_at: Date.now() + 60_000 },
    );
  beforeEach(async () => {
    token = await tenant.token({ secrets: [], net: [{ domain: 'searx.example.org', methods: ['GET'] }] });
    const settings = { kind: 'searxng', url: 'https://searx.example.org', proxy: { secret: 'MAIL' } };
    await putResource(tenant, { kind: 'search_engine', name: 'default', settings });
  });

  it('gives it to calls of agents that are granted the resource, whatever their token grants', async () => {
    await put('MAIL');
    const call = search();
    const redemption = await redeemSearch(call);
    expect(JSON.stringify(redemption)).not.toContain(MARKER);
    expect(await opened(call, redemption.sealed)).toEqual({ 'resource:MAIL': MARKER });
  });

  it("refuses calls while the tenant doesn't have it, without its name", async () => {
    const { result } = await kernel.admit.run(search(), null);
    expect(result?.error).toMatchObject({ code: 'secret.unknown' });
    expect(JSON.stringify(result)).not.toContain('MAIL');
    await put('MAIL');
    expect(await codeOf(search())).toBe('admitted');
    await remove('MAIL');
    expect(await codeOf(search())).toBe('secret.unknown');
  });

  it('never takes what a person gave to a session for it', async () => {
    const session = await sessionValue('MAIL', 'ses-2');
    await tenant.query('SELECT kernel.put_value($1, $2)', [tenant.tenantId, JSON.stringify({ session })]);
    const call = { ...search(), session_id: 'ses-2' };
    expect(await codeOf(call)).toBe('secret.unknown');
  });

  it('ends a call whose secret is gone since it was decided', async () => {
    await put('MAIL');
    const call = search();
    const permit = await permitOfSearch(call);
    await remove('MAIL');
    await expect(
      run.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: newNonce(), public_key: await ours() }),
    ).rejects.toMatchObject({ code: 'secret.unknown' });
    expect(await tenant.row(call.operation_id)).toMatchObject({ fault_code: 'secret.unknown' });
  });
});
