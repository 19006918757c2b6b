// SPDX-License-Identifier: Apache-2.0
//
// The six invariants of the tool capability API, for calls under a chain of three tokens of three agents. The caller
// holds the last one.
import type { CapabilityToken, Grant, OperationView, ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, textsAt, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let execution: TestExecution;
let tenant: TestTenant;
let above: readonly [string, string];
openKernelSpec((on) => {
  ({ kernel, run: execution } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'before' });
  above = [newId('agent'), newId('agent')];
  for (const id of above)
    await tenant.query('INSERT INTO kernel.agent (agent_id, tenant_id, name) VALUES ($1, $2, $3)', [
      id,
      tenant.tenantId,
      'above',
    ]);
  kernel.policy.answer = () => AUTOPILOT;
  kernel.policy.judged = [];
});

type Link = Partial<Grant> & { readonly workspace_id?: string };

/** Root, middle and leaf, each as broad as possible except for the given limits. */
async function chainOf(...links: readonly [Link, Link, Link]): Promise<readonly [string, string, string]> {
  const ids: string[] = [];
  for (const [at, { workspace_id, ...grant }] of links.entries()) {
    const more: Partial<CapabilityToken> = {
      parent_id: ids.at(-1) ?? null,
      agent_id: above[at] ?? tenant.agentId,
      ...(workspace_id === undefined ? {} : { workspace_id }),
    };
    ids.push(await tenant.token({ budgets: { calls: 5 }, ...grant }, more));
  }
  return ids as [string, string, string];
}
const admit = (call: ProposedCall): Promise<OperationView> => kernel.admit.run(call, null);
async function callsOf(ids: readonly string[]) {
  const calls = [];
  for (const id of ids) calls.push((await tenant.budgetOf(id))['calls']);
  return calls;
}

/** The flaw of one token, and the fault of a call under it. */
const FLAWS: readonly [string, Link, string][] = [
  ['is expired', { expires_at: 1 }, 'token.expired'],
  ['is not valid yet', { not_before: Date.now() + 600_000 }, 'token.not_yet_valid'],
  ['lacks the tool', { tools: ['fs.read'] }, 'token.tool'],
  ["doesn't reach the path", { fs: [{ path: 'src', read: true, write: true }] }, 'token.scope'],
  ['may only read there', { fs: [{ path: '', read: true, write: false }] }, 'token.scope'],
  ['has no budget', { budgets: { calls: 0 } }, 'budget.exhausted'],
];

describe.each([
  ['root', 0],
  ['middle', 1],
  ['leaf', 2],
] as const)('no bypass: a chain is as good as its %s', (_name, at) => {
  const withFlaw = (flaw: Link) =>
    chainOf(...([0, 1, 2].map((link) => (link === at ? flaw : {})) as [Link, Link, Link]));

  it.each(FLAWS)('which %s', async (_what, flaw, code) => {
    const [, , leaf] = await withFlaw(flaw);
    expect(await admit(tenant.writeCall(leaf))).toMatchObject({ state: 'refused', result: { error: { code } } });
  });

  it('which is for another workspace, or revoked', async () => {
    const [, , elsewhere] = await withFlaw({ workspace_id: await tenant.secondWorkspace() });
    expect((await admit(tenant.writeCall(elsewhere))).result?.error?.code).toBe('token.scope');
    const ids = await withFlaw({});
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [ids[at]]);
    expect((await admit(tenant.writeCall(ids[2]))).result?.error?.code).toBe('token.revoked');
  });

  it('whose write roots bound the effect too', async () => {
    const [, , leaf] = await withFlaw({
      fs: [
        { path: '', read: true, write: false },
        { path: 'a.txt', read: true, write: true },
      ],
    });
    const { attempt } = await execution.perform(tenant, tenant.writeCall(leaf));
    expect(
      await execution.commit.run(
        reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'after', 'b.txt': 'outside' })),
      ),
    ).toMatchObject({ state: 'rolled_back' });
    expect(await tenant.row(attempt.operation_id)).toMatchObject({ fault_code: 'effect.out_of_scope' });
    expect(await textsAt(kernel, tenant, ['a.txt', 'b.txt'])).toEqual({ 'a.txt': 'before', 'b.txt': null });
  });
});

test('auditability: decision and outcome name the calling agent and its own token', async () => {
  const [, , leaf] = await chainOf({}, {}, {});
  const { attempt } = await execution.perform(tenant, tenant.writeCall(leaf));
  await execution.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'after' })));
  const named = {
    kind: 'tool_call',
    operation_id: attempt.operation_id,
    agent_id: tenant.agentId,
    capability_token_id: leaf,
  };
  expect(await tenant.records()).toMatchObject([
    { ...named, phase: 'decision', verdict: 'admitted' },
    { ...named, phase: 'outcome', tx_outcome: 'committed', budget_delta: { calls: 1 } },
  ]);
});

test('policy mediation: no chain bypasses a refusal, and the policy judges the calling agent', async () => {
  const [, , leaf] = await chainOf({}, {}, {});
  kernel.policy.answer = requires('no_go');
  expect((await admit(tenant.writeCall(leaf))).result?.error?.code).toBe('policy.denied');
  expect(kernel.policy.judged).toMatchObject([{ agent_id: tenant.agentId }]);
});

test('delegation mediation: a held call reserves nothing in any token of its chain until its approval', async () => {
  const ids = await chainOf({}, {}, {});
  kernel.policy.answer = requires('soft_gate');
  expect(await admit(tenant.writeCall(ids[2]))).toMatchObject({ state: 'held' });
  expect(await callsOf(ids)).toEqual(Array(3).fill({ reserved: 0, used: 0, bound: 5 }));
});

test('transactional safety: a rollback costs each token of its chain the same, and a refusal costs none', async () => {
  const ids = await chainOf({}, {}, {});
  const { attempt } = await execution.perform(tenant, tenant.writeCall(ids[2]));
  await execution.commit.run(
    reportOf(attempt, null, {
      ended: 'failed',
      error: { code: 'file.not_found', message: 'no', hint: null },
      result: null,
    }),
  );
  expect(await callsOf(ids)).toEqual(Array(3).fill({ reserved: 0, used: 1, bound: 5 }));
  const spent = await chainOf({}, { budgets: { calls: 0 } }, {});
  await admit(tenant.writeCall(spent[2]));
  expect(await callsOf([spent[0], spent[2]])).toEqual(Array(2).fill({ reserved: 0, used: 0, bound: 5 }));
});

test('replay safety: the same key under a child token is another call, and a replay reserves nothing', async () => {
  const ids = await chainOf({}, {}, {});
  const call = tenant.writeCall(ids[2]);
  const first = await admit(call);
  expect(await admit({ ...call, operation_id: newId('operation') })).toMatchObject({
    operation_id: first.operation_id,
    replayed: true,
  });
  const child = await tenant.token({}, { parent_id: ids[2] });
  expect(
    (await admit({ ...call, operation_id: newId('operation'), capability_token_id: child })).result?.error?.code,
  ).toBe('idempotency.mismatch');
  expect(await callsOf(ids)).toEqual(Array(3).fill({ reserved: 1, used: 0, bound: 5 }));
});
