// SPDX-License-Identifier: Apache-2.0
import type { ProposedCall } from '@writ/contract';
import { readFacts } from '../../judging/judgement/index.ts';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { Admit } from './admit.ts';
import { admissionStatements, type AdmissionParameters, type AdmissionStatements } from './admission-statements.ts';
import { Decisions } from './decisions.ts';
import { readProposal } from './proposal.ts';

let kernel: TestKernel;
let statements: AdmissionStatements;
/** Sorted by id, as in a group. */
let tenants: [TestTenant, TestTenant, TestTenant];

openKernelSpec((on) => {
  ({ kernel } = on);
  statements = admissionStatements(kernel.tenants);
});
beforeEach(async () => {
  const made = [await kernel.newTenant(), await kernel.newTenant(), await kernel.newTenant()];
  tenants = made.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1)) as typeof tenants;
});

/** The admission of a call, decided and not written. */
async function admissionOf(call: ProposedCall): Promise<AdmissionParameters> {
  let admission: AdmissionParameters | undefined;
  const keep = (asked: AdmissionParameters): Promise<never> => {
    admission = asked;
    return Promise.reject(new Error('kept'));
  };
  const decisions = new Decisions({ ...statements, admitOne: keep }, kernel.sealer, kernel.vault, kernel.images);
  const proposal = await readProposal(kernel.args, kernel.vault, call, null);
  const facts = await readFacts(kernel.tenants, kernel.policy, call);
  const judgement = await kernel.judge.judge({ call, prior: null, facts, args: proposal.args, approval: null });
  await expect(decisions.write(proposal, judgement, facts)).rejects.toThrow('kept');
  return admission as AdmissionParameters;
}

const callsOf = async (of: readonly TestTenant[], more: Partial<ProposedCall> = {}): Promise<ProposedCall[]> =>
  Promise.all(of.map(async (tenant) => tenant.writeCall(await tenant.token({ budgets: { calls: 3 } }), more)));
const admissionsOf = (calls: readonly ProposedCall[]): Promise<AdmissionParameters[]> =>
  Promise.all(calls.map(admissionOf));

async function expectWritten(tenant: TestTenant, call: ProposedCall): Promise<void> {
  expect(await tenant.row(call.operation_id)).toMatchObject({
    tenant_id: tenant.tenantId,
    state: 'admitted',
    capability_token_id: call.capability_token_id,
  });
  expect((await tenant.records()).map(({ operation_id }) => operation_id)).toEqual([call.operation_id]);
  expect(await tenant.countOf('payload')).toBe(1);
  expect((await tenant.budgetOf(call.capability_token_id))['calls']).toMatchObject({ reserved: 1 });
}

async function expectNothing(tenant: TestTenant, call: ProposedCall): Promise<void> {
  expect(await tenant.row(call.operation_id)).toBeUndefined();
  expect(await tenant.records()).toEqual([]);
  for (const table of ['payload', 'idempotency'] as const)
    expect([table, await tenant.countOf(table)]).toEqual([table, 0]);
  expect((await tenant.budgetOf(call.capability_token_id))['calls']).toMatchObject({ reserved: 0 });
}

describe('admissions of several tenants in one transaction', () => {
  it('are each written as they would be separately', async () => {
    const calls = await callsOf(tenants, { idempotency_key: 'the-same' });
    const rows = await statements.admitGroup(await admissionsOf(calls));
    expect(rows.map((row) => row?.operation_id)).toEqual(calls.map(({ operation_id }) => operation_id));
    for (const [i, call] of calls.entries()) await expectWritten(tenants[i] as TestTenant, call);
    const [tenant] = tenants;
    const alone = tenant.writeCall(await tenant.token({ budgets: { calls: 3 } }));
    const row = await statements.admitOne(await admissionOf(alone));
    const shapeOf = (value: object): unknown => Object.entries(value).map(([name, of]) => [name, typeof of]);
    expect(shapeOf(row)).toEqual(shapeOf(rows[0] ?? {}));
  });

  it('of one token reserve in order, and the one without budget is not written', async () => {
    const [tenant] = tenants;
    const token = await tenant.token({ budgets: { calls: 2 } });
    const rows = await statements.admitGroup(await admissionsOf([1, 2, 3].map(() => tenant.writeCall(token))));
    expect(rows.map((row) => row?.state)).toEqual(['admitted', 'admitted', undefined]);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 2 });
    expect(await tenant.countOf('operation')).toBe(2);
    expect(await tenant.records()).toHaveLength(2);
  });

  it('are written except for the one whose facts changed', async () => {
    const calls = await callsOf(tenants, { idempotency_key: 'k' });
    const admissions = await admissionsOf(calls);
    await tenants[1].query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [
      calls[1]?.capability_token_id,
    ]);
    expect((await statements.admitGroup(admissions)).map((row) => row === null)).toEqual([false, true, false]);
    await expectNothing(tenants[1], calls[1] as ProposedCall);
    await expectWritten(tenants[0], calls[0] as ProposedCall);
    await expectWritten(tenants[2], calls[2] as ProposedCall);
    await expect(statements.admitOne(admissions[1] as AdmissionParameters)).rejects.toMatchObject({ code: 'WR001' });
  });

  it('are written except for one with invalid JSON and one with an operation id of another tenant', async () => {
    const calls = await callsOf(tenants);
    const [first, second, third] = (await admissionsOf(calls)) as [
      AdmissionParameters,
      AdmissionParameters,
      AdmissionParameters,
    ];
    const { operation, ...rest } = JSON.parse(third.change) as { operation: object };
    const taken = {
      ...third,
      change: JSON.stringify({ ...rest, operation: { ...operation, operation_id: calls[0]?.operation_id } }),
    };
    expect(
      (await statements.admitGroup([first, { ...second, change: '{' }, taken])).map((row) => row === null),
    ).toEqual([false, true, true]);
    await expectWritten(tenants[0], calls[0] as ProposedCall);
    await expectNothing(tenants[1], calls[1] as ProposedCall);
    await expectNothing(tenants[2], calls[2] as ProposedCall);
  });

  it('have no access to data of the tenant before them in the group', async () => {
    const calls = await callsOf([tenants[0], tenants[1]]);
    const [first, second] = (await admissionsOf(calls)) as [AdmissionParameters, AdmissionParameters];
    // The change with the token and the budget of the first tenant.
    const change = second.change.replaceAll(second.tokenId, first.tokenId);
    expect(change).not.toBe(second.change);
    expect((await statements.admitGroup([first, { ...second, change }])).map((row) => row === null)).toEqual([
      false,
      true,
    ]);
    await expectWritten(tenants[0], calls[0] as ProposedCall);
    await expectNothing(tenants[1], calls[1] as ProposedCall);
  });

  const LOCKED: readonly (readonly [string, (tenant: TestTenant, call: ProposedCall) => Promise<unknown>])[] = [
    ['whose rules are being changed', (tenant) => tenant.query('SELECT kernel.change_rules($1)', [tenant.tenantId])],
    [
      'whose idempotency key is being claimed',
      (tenant, call) =>
        tenant.query(
          `INSERT INTO kernel.idempotency (tenant_id, agent_id, tool_id, idempotency_key, operation_id, args_fingerprint, capability_token_id) VALUES ($1, $2, $3, $4, 'op_another', '', $5)`,
          [tenant.tenantId, call.agent_id, call.tool_id, call.idempotency_key, call.capability_token_id],
        ),
    ],
    [
      'whose budget is being settled',
      (tenant, call) =>
        tenant.query('UPDATE kernel.budget SET used = used WHERE capability_token_id = $1', [call.capability_token_id]),
    ],
  ];
  it.each(LOCKED)('do not wait for one %s', async (_name, lock) => {
    const calls = await callsOf(tenants, { idempotency_key: 'k' });
    const admissions = await admissionsOf(calls);
    await kernel.admin.query('BEGIN');
    try {
      await lock(tenants[1], calls[1] as ProposedCall);
      // The lock is held until this resolves, so waiting for it would deadlock.
      expect((await statements.admitGroup(admissions)).map((row) => row === null)).toEqual([false, true, false]);
    } finally {
      await kernel.admin.query('ROLLBACK');
    }
    await expectWritten(tenants[0], calls[0] as ProposedCall);
    await expectNothing(tenants[1], calls[1] as ProposedCall);
    await expectWritten(tenants[2], calls[2] as ProposedCall);
    expect((await statements.admitOne(admissions[1] as AdmissionParameters)).state).toBe('admitted');
  });
});

it('64 concurrent calls of three tenants are written in groups, and each caller gets its own answer', async () => {
  const groups: number[] = [];
  const counted: AdmissionStatements = {
    ...statements,
    admitGroup: (admissions) => {
      groups.push(admissions.length);
      return statements.admitGroup(admissions);
    },
  };
  const admit = new Admit(
    kernel.sources,
    kernel.judge,
    new Decisions(counted, kernel.sealer, kernel.vault, kernel.images),
    kernel,
  );
  const tokens = await Promise.all(tenants.map((tenant) => tenant.token({ budgets: { calls: 20 } })));
  const calls = Array.from({ length: 64 }, (_, i) => (tenants[i % 3] as TestTenant).writeCall(tokens[i % 3] as string));
  const views = await Promise.all(calls.map(async (call) => await admit.answer(await admit.decide(call, null, 0))));
  expect(views.map(({ operation_id }) => operation_id)).toEqual(calls.map(({ operation_id }) => operation_id));
  expect(Math.max(...groups)).toBeGreaterThan(1);
  for (const [i, token] of tokens.entries()) {
    const of = views.filter((_, n) => n % 3 === i);
    expect(of.filter(({ state }) => state === 'admitted')).toHaveLength(20);
    expect(of.filter(({ result }) => result?.error?.code === 'budget.exhausted')).toHaveLength(of.length - 20);
    expect((await (tenants[i] as TestTenant).budgetOf(token))['calls']).toMatchObject({ reserved: 20 });
  }
});
