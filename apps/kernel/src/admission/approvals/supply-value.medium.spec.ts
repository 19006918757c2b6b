// SPDX-License-Identifier: Apache-2.0
import { SHELL_RUN, type Caller, type OperationView, type ProposedCall, type ValueScope } from '@writ/contract';
import { givenValueContext, sealTo } from '@writ/sealing';
import { ValueSweeper } from '../../execution/sweep/value-sweeper.ts';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf } from '../../specs/test-management.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

const MARKER = 'marker-7f3a-of-a-value';
let kernel: TestKernel;
let execution: TestExecution;
let sweeper: ValueSweeper;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run: execution } = on);
  sweeper = new ValueSweeper(kernel.workers);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  token = await tenant.token({ tools: ['*'], secrets: ['KEY', 'OTHER'] });
  kernel.policy.answer = () => AUTOPILOT;
});

const get = (args: Record<string, unknown> = {}, more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.call(token, {
    tool_id: 'value.get',
    args: { key: 'KEY', reason: 'to publish', ...args },
    session_id: 'ses-1',
    ...more,
  });
const plain = { secret: false };
const admit = async (call: ProposedCall): Promise<OperationView> => await kernel.admit.run(call, null);
const operator = (): Caller => callerOf(tenant.tenantId, 'operator');
/** Supplies a value with all options, sealed as the API seals it. */
const supply = async (
  held: Pick<OperationView, 'approval_id'>,
  scope: ValueScope = 'once',
  { caller = operator(), value = MARKER, note = null as string | null, sealedFor = held.approval_id ?? '' } = {},
): Promise<OperationView> => {
  const key = Buffer.from((await kernel.supplyValue.publicKey()).public_key, 'base64');
  const sealed = await sealTo(key, Buffer.from(value), givenValueContext(caller.tenant_id, sealedFor));
  return await kernel.supplyValue.run({
    ...requestBy(caller),
    approval_id: held.approval_id ?? '',
    value: sealed.toString('base64'),
    scope,
    note,
    comment: null,
  });
};
const held = async (call = get()): Promise<OperationView> => {
  const view = await admit(call);
  expect(view.state).toBe('held');
  return view;
};
const askFor = (secret: boolean) => ({
  tenant_id: tenant.tenantId,
  agent_id: tenant.agentId,
  session_id: 'ses-1',
  capability_token_id: token,
  name: 'KEY',
  secret,
});
const rowsOf = async (table: 'session_value' | 'secret'): Promise<Record<string, unknown>[]> =>
  (
    await kernel.admin.query<Record<string, unknown>>(`SELECT * FROM kernel.${table} WHERE tenant_id = $1`, [
      tenant.tenantId,
    ])
  ).rows;

describe('a call that asks for a value', () => {
  it("waits for a person, who sees its purpose and can't just approve it", async () => {
    const view = await held();
    const shown = await kernel.approvals.read({ ...requestBy(operator()), approval_id: view.approval_id ?? '' });
    expect(shown).toMatchObject({
      of: 'value',
      autonomy_mode: 'soft_gate',
      args: { key: 'KEY', reason: 'to publish' },
      preview: { state: 'none' },
    });
    expect(shown.reasons[0]).toMatchObject({ code: 'value.wanted' });
    await expect(
      kernel.decide.run({
        ...requestBy(operator()),
        approval_id: view.approval_id ?? '',
        decision: 'approve',
        comment: null,
      }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect((await tenant.row(view.operation_id)).state).toBe('held');
  });

  it('can be denied like other calls', async () => {
    const { approval_id } = await held();
    expect(
      await kernel.decide.run({
        ...requestBy(operator()),
        approval_id: approval_id ?? '',
        decision: 'deny',
        comment: 'no',
      }),
    ).toMatchObject({ state: 'refused', result: { error: { code: 'approval.denied' } } });
  });

  it('is refused where no person can be asked, or it asks nobody', async () => {
    for (const unasked of [get({}, { session_mode: 'scheduled' }), get({ ask: false }), get({ ask: false, ...plain })])
      expect(await admit(unasked)).toMatchObject({ state: 'refused', result: { error: { code: 'value.missing' } } });
    kernel.policy.answer = requires('no_go');
    expect(await admit(get())).toMatchObject({ state: 'refused', result: { error: { code: 'policy.denied' } } });
  });

  it('needs as many persons as the policy asks for, and the last one supplies the value', async () => {
    kernel.policy.answer = () => ({ ...requires('soft_gate')(), approvers: { count: 2, role: 'operator' } }) as never;
    const view = await held();
    await expect(supply(view)).rejects.toMatchObject({ code: 'conflict' });
    const approve = () =>
      kernel.decide.run({
        ...requestBy(operator()),
        approval_id: view.approval_id ?? '',
        decision: 'approve',
        comment: null,
      });
    expect((await approve()).state).toBe('held');
    await expect(approve()).rejects.toMatchObject({ code: 'conflict' });
    expect((await supply(view)).state).toBe('admitted');
  });

  it('needs an administrator where the policy does', async () => {
    kernel.policy.answer = requires('escalated');
    const view = await held();
    await expect(supply(view)).rejects.toMatchObject({ code: 'auth.role' });
    expect((await supply(view, 'once', { caller: callerOf(tenant.tenantId) })).state).toBe('admitted');
  });
});

describe('a secret that the token does not grant', () => {
  const ungranted = (more: Partial<ProposedCall> = {}) => get({ key: 'UNGRANTED' }, more);
  const use = (more: Partial<ProposedCall> = {}): ProposedCall =>
    tenant.call(token, {
      tool_id: 'shell.run',
      args: { command: 'printenv X "${secret:UNGRANTED}"' },
      session_id: 'ses-1',
      idempotency_key: newId('operation'),
      ...more,
    });
  const codeOf = async (call: ProposedCall) => (await admit(call)).result?.error?.code;
  const store = async (): Promise<void> => {
    await kernel.valueParts.store.put(tenant.tenantId, {
      name: 'UNGRANTED',
      value: Buffer.from('of the tenant'),
      note: null,
      created_by: 'key_x',
    });
  };
  const secretsOf = async (call: ProposedCall): Promise<unknown> => {
    const values = kernel.valueParts.values;
    const row = await tenant.row(call.operation_id);
    return await values.forCall(row as never, SHELL_RUN, call.args ?? {}, { mode: 'run', grants: () => false });
  };

  it('is asked of a person, who is told that the answer is a grant', async () => {
    const view = await held(ungranted());
    expect(view.reasons[0]).toMatchObject({
      code: 'value.wanted',
      message: expect.stringContaining('which its token does not grant: giving it lets this session use it') as unknown,
    });
  });

  it('given for the session is granted to it, to that agent, and in no other session', async () => {
    expect(await codeOf(use())).toBe('token.scope');
    await supply(await held(ungranted()), 'session');
    const call = use();
    expect((await admit(call)).state).toBe('admitted');
    expect(await secretsOf(call)).toEqual({ UNGRANTED: MARKER });
    expect((await admit(ungranted())).state).toBe('admitted');
    expect(await codeOf(use({ session_id: 'ses-2' }))).toBe('token.scope');
    expect(await codeOf(use({ session_id: null }))).toBe('token.scope');
    expect(await codeOf(use({ args: { command: 'echo "${secret:OTHER_UNGRANTED}"' } }))).toBe('token.scope');
    const approvals = (await tenant.records()).filter(({ kind }) => kind === 'approval');
    expect(approvals.map(({ change }) => change?.verb)).toEqual(['give_session']);
  });

  it('given once is granted to the first call that uses it', async () => {
    await supply(await held(ungranted()), 'once');
    const [first, second] = [use(), use()];
    expect([(await admit(first)).state, (await admit(second)).state]).toEqual(['admitted', 'admitted']);
    expect(await secretsOf(first)).toEqual({ UNGRANTED: MARKER });
    await expect(secretsOf(second)).rejects.toMatchObject({ code: 'secret.unknown' });
    expect(await codeOf(use())).toBe('token.scope');
  });

  it("never is the tenant's secret of that name, before, beside and after what was given", async () => {
    await store();
    expect(await codeOf(use())).toBe('token.scope');
    await supply(await held(ungranted()), 'session');
    const call = use();
    expect((await admit(call)).state).toBe('admitted');
    expect(await secretsOf(call)).toEqual({ UNGRANTED: MARKER });
    await tenant.query('UPDATE kernel.session_value SET expires_at = 1 WHERE tenant_id = $1', [tenant.tenantId]);
    await expect(secretsOf(call)).rejects.toMatchObject({ code: 'secret.unknown' });
    expect(await codeOf(use())).toBe('token.scope');
    expect((await admit(ungranted())).state).toBe('held');
    expect(await sweeper.sweep()).toBe(1);
  });

  it('is not stored for everybody', async () => {
    const view = await held(ungranted());
    await expect(supply(view, 'stored')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('supply it once or for the session') as unknown,
    });
    expect(await rowsOf('secret')).toEqual([]);
    expect((await supply(view, 'session')).state).toBe('admitted');
  });

  it('is refused where no person can be asked', async () => {
    for (const session_mode of ['scheduled', 'gateway'] as const)
      expect(await admit(ungranted({ session_mode }))).toMatchObject({
        state: 'refused',
        result: {
          error: {
            code: 'token.scope',
            message: expect.stringContaining(`a ${session_mode} session has nobody to ask`) as unknown,
          },
        },
      });
  });
});

describe('a value that is not a secret', () => {
  it('given once belongs to the call alone, and is deleted when it ends', async () => {
    const call = get(plain);
    expect((await supply(await held(call))).state).toBe('admitted');
    expect(await kernel.valueParts.values.consume(askFor(false), newId('operation'))).toBeNull();
    expect((await admit(get(plain))).state).toBe('held');
    expect(await sweeper.sweep()).toBe(0);
    await tenant.query(`UPDATE kernel.operation SET state = 'dispatched' WHERE operation_id = $1`, [call.operation_id]);
    expect(await kernel.valueParts.values.consume(askFor(false), call.operation_id)).toBe(MARKER);
    await tenant.query(`UPDATE kernel.operation SET state = 'rolled_back' WHERE operation_id = $1`, [
      call.operation_id,
    ]);
    expect(await sweeper.sweep()).toBe(1);
    expect(await rowsOf('session_value')).toEqual([]);
  });

  it('given for the session answers the next call at once, only in that session and for that agent', async () => {
    await supply(await held(get(plain)), 'session');
    const { attempt, redemption } = await execution.perform(tenant, get(plain));
    expect(redemption.secrets).toEqual({ KEY: MARKER });
    await execution.commit.run(reportOf(attempt, null, { result: { key: 'KEY', value: MARKER, reference: null } }));
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ state: 'no_op' });
    expect((await admit(get(plain, { session_id: 'ses-2' }))).state).toBe('held');
    expect((await admit(get(plain, { session_id: null }))).state).toBe('held');
    expect((await admit(get())).state).toBe('held');
    const agent_id = newId('agent');
    await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
      agent_id,
      tenant.tenantId,
      'other',
    ]);
    expect(
      (await admit(get(plain, { agent_id, capability_token_id: await tenant.token({}, { agent_id }) }))).state,
    ).toBe('held');
  });

  it('does not answer a call for another name', async () => {
    await supply(await held(get(plain)), 'session');
    for (let times = 0; times < 3; times++) expect((await admit(get(plain))).state).toBe('admitted');
    expect((await admit(get({ key: 'OTHER', ...plain }))).state).toBe('held');
  });

  it('expires: it is asked for again, and a call that was admitted before ends', async () => {
    await supply(await held(get(plain)), 'session');
    const late = get(plain);
    expect((await admit(late)).state).toBe('admitted');
    await tenant.query('UPDATE kernel.session_value SET expires_at = 1 WHERE tenant_id = $1', [tenant.tenantId]);
    expect((await admit(get(plain))).state).toBe('held');
    execution.speak(100);
    execution.dispatcher.wake('inline');
    const permit = await execution.permitOf(late.operation_id);
    await expect(
      execution.redeem.run({ v: 1, permit, executor_id: newId('executor'), nonce: 'a'.repeat(32) }),
    ).rejects.toMatchObject({ code: 'value.missing' });
    expect(await tenant.row(late.operation_id)).toMatchObject({ state: 'rolled_back', fault_code: 'value.missing' });
    expect(await sweeper.sweep()).toBe(1);
  });

  it('is not stored among the secrets', async () => {
    await expect(supply(await held(get(plain)), 'stored')).rejects.toMatchObject({ code: 'conflict' });
    expect(await rowsOf('secret')).toEqual([]);
  });
});

describe('a secret', () => {
  it('never reaches the executor of the call that asks for it', async () => {
    await supply(await held(), 'session');
    expect((await execution.perform(tenant, get())).redemption.secrets).toEqual({});
  });

  it('given once is for the first call that uses it, also when that call repeats its request', async () => {
    await supply(await held());
    const [first, second] = [newId('operation'), newId('operation')];
    expect(await kernel.valueParts.values.consume(askFor(true), first)).toBe(MARKER);
    expect(await kernel.valueParts.values.consume(askFor(true), second)).toBeNull();
    expect(await kernel.valueParts.values.consume(askFor(true), first)).toBe(MARKER);
  });

  it('given once goes to one of eight concurrent calls', async () => {
    await supply(await held());
    const had = await Promise.all(
      Array.from({ length: 8 }, () => kernel.valueParts.values.consume(askFor(true), newId('operation'))),
    );
    expect(had.filter((value) => value === MARKER)).toHaveLength(1);
  });

  it("isn't returned to a call that asks for it as a plain value", async () => {
    await supply(await held(), 'session');
    expect((await admit(get(plain))).state).toBe('held');
    expect(await kernel.valueParts.values.consume(askFor(false), newId('operation'))).toBeNull();
  });

  it('that is stored is available to every session, in its newest version and with its note', async () => {
    await supply(await held(), 'stored', { note: 'for the registry', value: 'first' });
    await tenant.query('DELETE FROM kernel.session_value WHERE tenant_id = $1', [tenant.tenantId]);
    expect((await admit(get({}, { session_id: 'ses-9' }))).state).toBe('admitted');
    expect(
      await kernel.valueParts.store.put(tenant.tenantId, {
        name: 'KEY',
        value: Buffer.from('second'),
        note: null,
        created_by: 'key_x',
      }),
    ).toBe(2);
    expect(await kernel.valueParts.values.consume(askFor(true), newId('operation'))).toBe('second');
    expect((await rowsOf('secret')).map(({ name, version, note }) => [name, version, note])).toEqual([
      ['KEY', 2, null],
    ]);
  });

  it('stored by eight callers at once gets distinct version numbers, and the newest is kept', async () => {
    const put = (n: number) =>
      kernel.valueParts.store
        .put(tenant.tenantId, { name: 'KEY', value: Buffer.from(String(n)), note: null, created_by: 'key_x' })
        .catch(() => null);
    const versions = (await Promise.all(Array.from({ length: 8 }, (_, n) => put(n)))).filter(
      (version) => version !== null,
    );
    expect(new Set(versions).size).toBe(versions.length);
    expect((await rowsOf('secret')).map(({ version }) => version)).toEqual([Math.max(...versions)]);
  });

  it('opens under no other name, version or tenant', async () => {
    await kernel.valueParts.store.put(tenant.tenantId, {
      name: 'KEY',
      value: Buffer.from('first'),
      note: null,
      created_by: 'key_x',
    });
    await tenant.query(`UPDATE kernel.secret SET version = 2 WHERE tenant_id = $1`, [tenant.tenantId]);
    await expect(kernel.valueParts.values.consume(askFor(true), newId('operation'))).rejects.toThrow();
    await tenant.query(`UPDATE kernel.secret SET version = 1, name = 'OTHER' WHERE tenant_id = $1`, [tenant.tenantId]);
    await expect(
      kernel.valueParts.values.consume({ ...askFor(true), name: 'OTHER' }, newId('operation')),
    ).rejects.toThrow();
  });
});

describe('the giver of a value', () => {
  it('is not the proposer, an agent, an auditor or a person of another tenant', async () => {
    const view = await held();
    await expect(
      supply(view, 'once', { caller: callerOf(tenant.tenantId, 'agent', tenant.agentId) }),
    ).rejects.toMatchObject({ code: 'auth.role' });
    await expect(
      supply(view, 'once', { caller: { ...callerOf(tenant.tenantId), api_key_id: tenant.keyId } }),
    ).rejects.toMatchObject({ code: 'approval.own_call' });
    await expect(
      supply(view, 'once', { caller: { ...callerOf(tenant.tenantId), agent_id: tenant.agentId } }),
    ).rejects.toMatchObject({ code: 'approval.own_call' });
    await expect(supply(view, 'once', { caller: callerOf(tenant.tenantId, 'auditor') })).rejects.toMatchObject({
      code: 'auth.role',
    });
    await expect(supply(view, 'once', { caller: callerOf((await kernel.newTenant()).tenantId) })).rejects.toMatchObject(
      { code: 'not_found' },
    );
    expect(await rowsOf('session_value')).toEqual([]);
  });

  it('can supply it only to the call for which it is sealed', async () => {
    const [one, other] = [await held(), await held(get({ key: 'OTHER' }))];
    await expect(supply(one, 'once', { sealedFor: other.approval_id ?? '' })).rejects.toMatchObject({
      code: 'request.malformed',
    });
    await expect(supply(one, 'once', { value: 'x'.repeat(8 * 1024 + 1) })).rejects.toMatchObject({
      code: 'request.malformed',
    });
    const action = await admit(tenant.writeCall(token, { max_autonomy: 'soft_gate' }));
    await expect(supply(action)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('supplies it once, however often it is sent; a value of another person is a conflict', async () => {
    const [view, caller] = [await held(), operator()];
    await Promise.all(Array.from({ length: 4 }, () => supply(view, 'session', { caller })));
    expect(await rowsOf('session_value')).toHaveLength(1);
    await expect(supply(view, 'session')).rejects.toMatchObject({ code: 'conflict' });
  });
});

it('no table holds a value in clear, and its records name only its scope', async () => {
  await supply(await held(get(plain)));
  await supply(await held(get({ key: 'OTHER', ...plain })), 'session');
  await supply(await held(), 'stored');
  const { rows: tables } = await kernel.admin.query<{ name: string }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  const shapes = [MARKER, Buffer.from(MARKER).toString('base64').slice(0, -3), Buffer.from(MARKER).toString('hex')];
  for (const { name } of tables) {
    const { rows } = await kernel.admin.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t`);
    for (const { row } of rows) expect(shapes.filter((shape) => row.includes(shape))).toEqual([]);
  }
  const given = (await tenant.records()).filter(({ kind }) => kind === 'approval');
  expect(given.map(({ change }) => change?.verb)).toEqual(['give_once', 'give_session', 'give_stored']);
  expect(JSON.stringify(await tenant.records())).not.toContain(MARKER);
});
