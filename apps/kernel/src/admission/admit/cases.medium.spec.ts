// SPDX-License-Identifier: Apache-2.0
// Every case of apps/kernel/cases/decisions, through admission and commit on a real database.
import type { Change, Grant, OperationView, ProposedCall } from '@writ/contract';
import { ancestorsOf, deltaOf, parsePath } from '@writ/workspace';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestManagement } from '../../specs/test-management.ts';
import { TestRegistrar } from '../../specs/test-registrar.ts';
import { CASE_GROUPS, type Case } from '../../specs/test-cases.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { openPolicyKernel, setOf, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: PolicyKernel;
let run: TestExecution;
let manage: TestManagement;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
}, openPolicyKernel);

const SHIPPED = ['default', 'strict', 'observe'];
const SESSION = 'the-session';
const COMMAND = { tool_id: 'shell.run', args: { command: 'node make.js' } };

const OUTPUT = { exit_code: 0, signal: null, output: '', truncated_bytes: 0, wall_ms: 5 };
/** Folders that a new file brings with it; `src` is there. */
const foldersOf = (paths: readonly string[]): Change[] =>
  [...new Set(paths.flatMap((path) => ancestorsOf(parsePath(path))))]
    .filter((path) => path !== 'src')
    .map((path) => ({ path, before: null, after: { kind: 'dir', mode: null, sha256: null, size: 0 } }));

/** A case with its tenant, token and agent. */
interface CaseFixture {
  readonly tenant: TestTenant;
  readonly token: string;
  readonly agent: string;
}

async function install(tenant: TestTenant, { policy, observes, history }: Case): Promise<void> {
  if (policy !== undefined && SHIPPED.includes(policy))
    return void (await kernel.activate.run({ ...kernel.asAdmin(tenant), policy, if_active: null, note: null }));
  if (policy !== undefined || history !== undefined)
    await kernel.install(
      tenant,
      setOf('cases', policy ?? '', {
        ...(observes === true ? { enforcement: 'observe' } : {}),
        ...(history === undefined ? {} : { history }),
      }),
    );
}

async function anotherAgent(tenant: TestTenant): Promise<string> {
  const id = newId('agent');
  await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
    id,
    tenant.tenantId,
    'another',
  ]);
  return id;
}

async function tokenOf(
  tenant: TestTenant,
  { token: { revoked, not_before_in_ms, expires_in_ms, of, given, ...less } = {} }: Case,
): Promise<Pick<CaseFixture, 'token' | 'agent'>> {
  const now = Date.now();
  const grant: Partial<Grant> = {
    ...(less as Partial<Grant>),
    ...(not_before_in_ms === undefined ? {} : { not_before: now + not_before_in_ms }),
    ...(expires_in_ms === undefined ? {} : { expires_at: now + expires_in_ms }),
  };
  const agent = given === undefined ? tenant.agentId : await anotherAgent(tenant);
  const more = given === undefined ? {} : { parent_id: await tenant.token(), agent_id: agent };
  const token = await tenant.token(grant, of === undefined ? more : { agent_id: await anotherAgent(tenant) });
  if (revoked === true)
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
  return { token, agent };
}

async function freeze(tenant: TestTenant, scope: 'tenant' | 'agent' | 'tool'): Promise<void> {
  const subject = { tenant: tenant.tenantId, agent: tenant.agentId, tool: 'fs.read' }[scope];
  await tenant.query(
    `INSERT INTO kernel.freeze (freeze_id, tenant_id, scope, subject, reason, placed_by) VALUES ($1, $2, $3, $4, 'stop', 'spec')`,
    [newId('freeze'), tenant.tenantId, scope, subject],
  );
}

async function register(
  tenant: TestTenant,
  { signed, revoked, of, environment = '', ...definition }: NonNullable<Case['sandbox']>,
): Promise<void> {
  const registrar = await TestRegistrar.of(manage, tenant);
  await registrar.register({
    ...definition,
    ...(of === undefined ? {} : { workspace_id: await tenant.secondWorkspace() }),
  });
  if (signed !== false) await registrar.sign(environment);
  if (revoked === true) await registrar.revoke();
}

async function openFixture(one: Case): Promise<CaseFixture> {
  const tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'one', '.env': 'KEY=1', 'src/b.txt': 'two', link: '->.env' });
  if (one.meanwhile !== 'policy') await install(tenant, one);
  const held = await tokenOf(tenant, one);
  const label = (scope: string, id: string, name: string) =>
    tenant.query(
      `INSERT INTO kernel.label (tenant_id, scope, id, label, operation_id) VALUES ($1, $2, $3, $4, 'op_before')`,
      [tenant.tenantId, scope, id, name],
    );
  for (const name of one.labels ?? []) await label('session', SESSION, name);
  for (const name of one.workspace_labels ?? []) await label('workspace', tenant.workspaceId, name);
  if (one.sandbox !== undefined) await register(tenant, one.sandbox);
  for (const call of one.before ?? []) await before({ tenant, ...held }, call);
  if (one.frozen !== undefined) await freeze(tenant, one.frozen);
  return { tenant, ...held };
}

const callOf = ({ tenant, token, agent }: CaseFixture, call: Readonly<Record<string, unknown>>): ProposedCall => {
  const writes = call['tool_id'] === 'fs.write' || call['tool_id'] === 'shell.run' || call['tool_id'] === 'mk8.run';
  return tenant.call(token, {
    session_id: SESSION,
    agent_id: agent,
    ...(writes ? { idempotency_key: newId('request') } : {}),
    ...(call as Partial<ProposedCall>),
  });
};

async function before(fixture: CaseFixture, { end, ...call }: Readonly<Record<string, unknown>>): Promise<void> {
  const proposed = callOf(fixture, call);
  if (end === 'ok') {
    const { attempt } = await run.perform(fixture.tenant, proposed);
    await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'before' })));
    return;
  }
  const { operation_id } = await kernel.admit.run(proposed, null);
  if (end === 'failed')
    await fixture.tenant.query(
      `UPDATE kernel.operation SET state = 'rolled_back', tx_outcome = 'rolled_back', fault_code = 'command.failed' WHERE operation_id = $1`,
      [operation_id],
    );
}

async function applyMeanwhile({ tenant, token }: CaseFixture, one: Case): Promise<void> {
  if (one.meanwhile === 'revoked')
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
  if (one.meanwhile === 'frozen') await freeze(tenant, 'tenant');
  if (one.meanwhile === 'policy') await install(tenant, one);
}

/** Performs the call with its effect, and resolves with its final view. */
async function perform(fixture: CaseFixture, one: Case, effect: NonNullable<Case['effect']>): Promise<OperationView> {
  const given = one.tool === 'fs.write' ? { tool_id: 'fs.write', args: { path: 'a.txt', content: 'x' } } : COMMAND;
  const call = callOf(fixture, { ...given, ...one.call });
  const { attempt } = await run.perform(fixture.tenant, call);
  await applyMeanwhile(fixture, one);
  const { changes } = await deltaFor(kernel, attempt, effect);
  const made = one.tool === 'fs.write' ? {} : { exit_code: 0, result: OUTPUT };
  await run.commit.run(
    reportOf(attempt, deltaOf(attempt.snapshot, [...foldersOf(Object.keys(effect)), ...changes]), made),
  );
  return await kernel.views.of(await fixture.tenant.row(call.operation_id), { replayed: false, waitMs: 0 });
}

describe.each(CASE_GROUPS.map(({ title, cases }) => [title, cases] as const))('%s', (_title, cases) => {
  test.each(cases.map((one) => [one.when, one.then, one] as const))('%s: %s', async (_when, _then, one) => {
    const fixture = await openFixture(one);
    const view =
      one.effect === undefined
        ? await kernel.admit.run(callOf(fixture, one.call ?? {}), null)
        : await perform(fixture, one, one.effect);
    expect([view.state, view.result?.error?.code]).toEqual([one.then, one.code]);
    if (one.mode !== undefined) expect(view.autonomy_mode).toBe(one.mode);
    expect(view.reasons.map(({ code }) => code)).toEqual(expect.arrayContaining(one.reasons ?? []));
    expect(view.risk_basis).toEqual(expect.arrayContaining(one.basis ?? []));
    if (one.hint !== undefined) expect(view.result?.error?.hint).toContain(one.hint);
    const last = (await fixture.tenant.records())
      .filter(({ operation_id, kind }) => operation_id === view.operation_id && kind === 'tool_call')
      .at(-1);
    expect(last).toMatchObject({
      rule_ids: expect.arrayContaining(one.record ?? []) as unknown,
      fault_code: one.code ?? null,
    });
  });
});

test('every fault code that a decision on a call can end in has its case', () => {
  const met = new Set(CASE_GROUPS.flatMap(({ cases }) => cases.map(({ code }) => code)));
  const decided = [
    'tool.unknown',
    'tool.not_available',
    'args.invalid',
    'path.invalid',
    'path.escape',
    'idempotency.missing',
    'idempotency.mismatch',
    'deadline',
    'not_found',
    'workspace.unknown',
    'precondition.failed',
    'token.unknown',
    'token.agent',
    'token.revoked',
    'token.not_yet_valid',
    'token.expired',
    'token.tool',
    'token.scope',
    'budget.exhausted',
    'frozen',
    'policy.denied',
    'policy.error',
    'effect.out_of_scope',
    'sandbox.unknown',
    'sandbox.unverified',
  ];
  expect(decided.filter((code) => !met.has(code))).toEqual([]);
});
