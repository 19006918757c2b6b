// SPDX-License-Identifier: Apache-2.0
import type { Caller, OperationView, ProposedCall, ValueScope } from '@writ/contract';
import { givenValueContext, sealTo } from '@writ/sealing';
import { ValueSweeper } from '../../execution/sweep/value-sweeper.ts';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { askedBy, callerOf } from '../../specs/test-management.ts';
import { asks, AUTOPILOT } from '../../specs/test-ports.ts';
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
  token = await tenant.token({ secrets: ['KEY', 'OTHER'] });
  kernel.policy.says = () => AUTOPILOT;
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
/** Everything that a person may say about the value, sealed as the API seals it. */
const give = async (
  held: Pick<OperationView, 'approval_id'>,
  scope: ValueScope = 'once',
  { caller = operator(), value = MARKER, note = null as string | null, sealedFor = held.approval_id ?? '' } = {},
): Promise<OperationView> => {
  const key = Buffer.from((await kernel.give.key()).public_key, 'base64');
  const sealed = await sealTo(key, Buffer.from(value), givenValueContext(caller.tenant_id, sealedFor));
  return await kernel.give.run({
    ...askedBy(caller),
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
  it('waits for a person, who is shown what for, and is no action to approve', async () => {
    const view = await held();
    const shown = await kernel.approvals.read({ ...askedBy(operator()), approval_id: view.approval_id ?? '' });
    expect(shown).toMatchObject({
      of: 'value',
      autonomy_mode: 'soft_gate',
      args: { key: 'KEY', reason: 'to publish' },
      preview: { state: 'none' },
    });
    expect(shown.reasons[0]).toMatchObject({ code: 'value.wanted' });
    await expect(
      kernel.decide.run({
        ...askedBy(operator()),
        approval_id: view.approval_id ?? '',
        decision: 'approve',
        comment: null,
      }),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect((await tenant.row(view.operation_id)).state).toBe('held');
  });

  it('is denied as any other', async () => {
    const { approval_id } = await held();
    expect(
      await kernel.decide.run({
        ...askedBy(operator()),
        approval_id: approval_id ?? '',
        decision: 'deny',
        comment: 'no',
      }),
    ).toMatchObject({ state: 'refused', result: { error: { code: 'approval.denied' } } });
  });

  it('is refused where nobody can be asked, and where its token may not use the secret', async () => {
    expect(await admit(get({}, { session_mode: 'scheduled' }))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'value.missing' } },
    });
    expect(await admit(get({ key: 'UNGRANTED' }))).toMatchObject({
      state: 'refused',
      result: { error: { code: 'token.scope' } },
    });
    kernel.policy.says = asks('no_go');
    expect(await admit(get())).toMatchObject({ state: 'refused', result: { error: { code: 'policy.denied' } } });
  });

  it('takes as many people as the policy asks for: the last of them gives the value', async () => {
    kernel.policy.says = () => ({ ...asks('soft_gate')(), approvers: { count: 2, role: 'operator' } }) as never;
    const view = await held();
    await expect(give(view)).rejects.toMatchObject({ code: 'conflict' });
    const approve = () =>
      kernel.decide.run({
        ...askedBy(operator()),
        approval_id: view.approval_id ?? '',
        decision: 'approve',
        comment: null,
      });
    expect((await approve()).state).toBe('held');
    await expect(approve()).rejects.toMatchObject({ code: 'conflict' });
    expect((await give(view)).state).toBe('admitted');
  });

  it('takes an administrator where the policy does', async () => {
    kernel.policy.says = asks('escalated');
    const view = await held();
    await expect(give(view)).rejects.toMatchObject({ code: 'auth.role' });
    expect((await give(view, 'once', { caller: callerOf(tenant.tenantId) })).state).toBe('admitted');
  });
});

describe('a value that is no secret', () => {
  it("given once is the call's alone, and gone when it ends", async () => {
    const call = get(plain);
    expect((await give(await held(call))).state).toBe('admitted');
    expect(await kernel.kept.values.take(askFor(false), newId('operation'))).toBeNull();
    expect((await admit(get(plain))).state).toBe('held');
    expect(await sweeper.sweep()).toBe(0);
    await tenant.query(`UPDATE kernel.operation SET state = 'dispatched' WHERE operation_id = $1`, [call.operation_id]);
    expect(await kernel.kept.values.take(askFor(false), call.operation_id)).toBe(MARKER);
    await tenant.query(`UPDATE kernel.operation SET state = 'rolled_back' WHERE operation_id = $1`, [
      call.operation_id,
    ]);
    expect(await sweeper.sweep()).toBe(1);
    expect(await rowsOf('session_value')).toEqual([]);
  });

  it('given for the session answers the next call at once, in that session and for that agent alone', async () => {
    await give(await held(get(plain)), 'session');
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

  it('says nothing of a value of another name, however often it was answered', async () => {
    await give(await held(get(plain)), 'session');
    for (let times = 0; times < 3; times++) expect((await admit(get(plain))).state).toBe('admitted');
    expect((await admit(get({ key: 'OTHER', ...plain }))).state).toBe('held');
  });

  it('is over when its time is: it is asked for anew, and a call that was let run before ends', async () => {
    await give(await held(get(plain)), 'session');
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
    await expect(give(await held(get(plain)), 'stored')).rejects.toMatchObject({ code: 'conflict' });
    expect(await rowsOf('secret')).toEqual([]);
  });
});

describe('a secret', () => {
  it('never reaches the executor of the call that asks for it', async () => {
    await give(await held(), 'session');
    expect((await execution.perform(tenant, get())).redemption.secrets).toEqual({});
  });

  it('given once is for the first call that uses it, which may ask again', async () => {
    await give(await held());
    const [first, second] = [newId('operation'), newId('operation')];
    expect(await kernel.kept.values.take(askFor(true), first)).toBe(MARKER);
    expect(await kernel.kept.values.take(askFor(true), second)).toBeNull();
    expect(await kernel.kept.values.take(askFor(true), first)).toBe(MARKER);
  });

  it('given once is had by one of eight that want it at the same moment', async () => {
    await give(await held());
    const had = await Promise.all(
      Array.from({ length: 8 }, () => kernel.kept.values.take(askFor(true), newId('operation'))),
    );
    expect(had.filter((value) => value === MARKER)).toHaveLength(1);
  });

  it("isn't told to who asks for it as if it were none", async () => {
    await give(await held(), 'session');
    expect((await admit(get(plain))).state).toBe('held');
    expect(await kernel.kept.values.take(askFor(false), newId('operation'))).toBeNull();
  });

  it('that is stored is there for every session, its newest version alone, with its note', async () => {
    await give(await held(), 'stored', { note: 'for the registry', value: 'first' });
    await tenant.query('DELETE FROM kernel.session_value WHERE tenant_id = $1', [tenant.tenantId]);
    expect((await admit(get({}, { session_id: 'ses-9' }))).state).toBe('admitted');
    expect(
      await kernel.kept.store.put(tenant.tenantId, {
        name: 'KEY',
        value: Buffer.from('second'),
        note: null,
        created_by: 'key_x',
      }),
    ).toBe(2);
    expect(await kernel.kept.values.take(askFor(true), newId('operation'))).toBe('second');
    expect((await rowsOf('secret')).map(({ name, version, note }) => [name, version, note])).toEqual([
      ['KEY', 2, null],
    ]);
  });

  it("stored by eight at once is one of theirs, and none took another's number", async () => {
    const put = (n: number) =>
      kernel.kept.store
        .put(tenant.tenantId, { name: 'KEY', value: Buffer.from(String(n)), note: null, created_by: 'key_x' })
        .catch(() => null);
    const versions = (await Promise.all(Array.from({ length: 8 }, (_, n) => put(n)))).filter(
      (version) => version !== null,
    );
    expect(new Set(versions).size).toBe(versions.length);
    expect((await rowsOf('secret')).map(({ version }) => version)).toEqual([Math.max(...versions)]);
  });

  it('opens under no other name, version or tenant', async () => {
    await kernel.kept.store.put(tenant.tenantId, {
      name: 'KEY',
      value: Buffer.from('first'),
      note: null,
      created_by: 'key_x',
    });
    await tenant.query(`UPDATE kernel.secret SET version = 2 WHERE tenant_id = $1`, [tenant.tenantId]);
    await expect(kernel.kept.values.take(askFor(true), newId('operation'))).rejects.toThrow();
    await tenant.query(`UPDATE kernel.secret SET version = 1, name = 'OTHER' WHERE tenant_id = $1`, [tenant.tenantId]);
    await expect(kernel.kept.values.take({ ...askFor(true), name: 'OTHER' }, newId('operation'))).rejects.toThrow();
  });
});

describe('who gives a value', () => {
  it('is nobody who proposed the call, no agent and no auditor, and nobody of another tenant', async () => {
    const view = await held();
    await expect(
      give(view, 'once', { caller: callerOf(tenant.tenantId, 'agent', tenant.agentId) }),
    ).rejects.toMatchObject({ code: 'auth.role' });
    await expect(
      give(view, 'once', { caller: { ...callerOf(tenant.tenantId), api_key_id: tenant.keyId } }),
    ).rejects.toMatchObject({ code: 'approval.own_call' });
    await expect(
      give(view, 'once', { caller: { ...callerOf(tenant.tenantId), agent_id: tenant.agentId } }),
    ).rejects.toMatchObject({ code: 'approval.own_call' });
    await expect(give(view, 'once', { caller: callerOf(tenant.tenantId, 'auditor') })).rejects.toMatchObject({
      code: 'auth.role',
    });
    await expect(give(view, 'once', { caller: callerOf((await kernel.newTenant()).tenantId) })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await rowsOf('session_value')).toEqual([]);
  });

  it('gives it to the call that it is sealed for', async () => {
    const [one, other] = [await held(), await held(get({ key: 'OTHER' }))];
    await expect(give(one, 'once', { sealedFor: other.approval_id ?? '' })).rejects.toMatchObject({
      code: 'request.malformed',
    });
    await expect(give(one, 'once', { value: 'x'.repeat(8 * 1024 + 1) })).rejects.toMatchObject({
      code: 'request.malformed',
    });
    const action = await admit(tenant.writeCall(token, { max_autonomy: 'soft_gate' }));
    await expect(give(action)).rejects.toMatchObject({ code: 'conflict' });
  });

  it("gives it once, however often it is sent; somebody else's is a conflict", async () => {
    const [view, caller] = [await held(), operator()];
    await Promise.all(Array.from({ length: 4 }, () => give(view, 'session', { caller })));
    expect(await rowsOf('session_value')).toHaveLength(1);
    await expect(give(view, 'session')).rejects.toMatchObject({ code: 'conflict' });
  });
});

it('no table holds a value in clear, whatever was given, and its records name how far it reaches and no more', async () => {
  await give(await held(get(plain)));
  await give(await held(get({ key: 'OTHER', ...plain })), 'session');
  await give(await held(), 'stored');
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
