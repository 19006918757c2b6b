// SPDX-License-Identifier: Apache-2.0
// Changes in two steps: a dry run that stages a change, and the call that applies it.
import { STAGED, type OperationView, type ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { DEFAULT_POLICY } from '@writ/policy';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { deltaFor, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import { openPolicyKernel, type PolicyKernel } from '../../specs/test-policies.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

/** A set under which each change of a file asks for a person. */
const ASKS = { ...DEFAULT_POLICY, name: 'asks', thresholds: { general: { soft_gate: 0 } } };
let kernel: PolicyKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec<PolicyKernel>((on) => {
  ({ kernel, run } = on);
}, openPolicyKernel);
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'before' });
  token = await tenant.token();
  await kernel.install(tenant, ASKS);
});

const refOf = (ref: string, version: string = STAGED.version) => [{ kind: 'staged' as const, ref, version }];
const admit = async (call: ProposedCall): Promise<OperationView> => await kernel.admit.run(call, null);
const write = (more: Partial<ProposedCall> = {}): ProposedCall =>
  tenant.writeCall(token, {
    session_id: 'one',
    session_mode: 'gateway',
    args: { path: 'a.txt', content: 'after' },
    ...more,
  });
const stage = async (more: Partial<ProposedCall> = {}): Promise<OperationView> =>
  await admit(write({ dry_run: true, precondition_refs: refOf(STAGED.ref), ...more }));
const applyOf = (ref: string, more: Partial<ProposedCall> = {}): ProposedCall =>
  write({ idempotency_key: `${STAGED.keyPrefix}${ref}`, precondition_refs: refOf(ref), ...more });
const codeOf = ({ state, result }: OperationView): string => result?.error?.code ?? state;

it('a gateway session refuses a change that asks for a person, and lets one through that was staged', async () => {
  expect(codeOf(await admit(write()))).toBe('policy.denied');
  expect(codeOf(await admit(write({ dry_run: true })))).toBe('policy.denied');
  const staged = await stage();
  expect(codeOf(staged)).toBe('no_op');
  const applied = applyOf(staged.operation_id);
  const { attempt } = await run.perform(tenant, applied);
  await run.commit.run(reportOf(attempt, await deltaFor(kernel, attempt, { 'a.txt': 'after' })));
  expect(await tenant.row(applied.operation_id)).toMatchObject({ state: 'committed', autonomy_mode: 'autopilot' });
  expect(
    (await tenant.records()).find(
      ({ operation_id, phase }) => operation_id === applied.operation_id && phase === 'decision',
    )?.rule_ids,
  ).toContain('session.staged_change');
});

it.each<[string, Partial<ProposedCall>]>([
  ['other contents', { args: { path: 'a.txt', content: 'another' } }],
  ['another path', { args: { path: 'b.txt', content: 'after' } }],
  ['another session', { session_id: 'two' }],
  ['another tool', { tool_id: 'fs.edit', args: { path: 'a.txt', edits: [{ find: 'before', replace: 'after' }] } }],
  ['another idempotency key', { idempotency_key: 'mine' }],
  ['another version', { precondition_refs: [] }],
])('a staged change counts for nothing with %s', async (what, more) => {
  const staged = await stage();
  const call = applyOf(staged.operation_id, more);
  const refs = what === 'another version' ? refOf(staged.operation_id, 'seen') : call.precondition_refs;
  expect(codeOf(await admit({ ...call, precondition_refs: refs }))).toBe('precondition.failed');
});

it('a staged change counts for nothing under another token, or for another tenant', async () => {
  const staged = await stage();
  expect(codeOf(await admit(applyOf(staged.operation_id, { capability_token_id: await tenant.token() })))).toBe(
    'precondition.failed',
  );
  const other = await kernel.newTenant();
  await other.write({ 'a.txt': 'before' });
  const theirs = other.writeCall(await other.token(), {
    session_id: 'one',
    session_mode: 'gateway',
    args: { path: 'a.txt', content: 'after' },
    idempotency_key: `${STAGED.keyPrefix}${staged.operation_id}`,
    precondition_refs: refOf(staged.operation_id),
  });
  expect(codeOf(await admit(theirs))).toBe('precondition.failed');
});

it('only a dry run that says so stages a change, and none that was refused or that ran', async () => {
  const plain = await admit(write({ session_mode: 'interactive', dry_run: true }));
  expect(codeOf(plain)).toBe('no_op');
  const refused = await stage({ args: { path: '../a.txt', content: 'after' } });
  expect(refused.state).toBe('refused');
  for (const ref of [plain.operation_id, refused.operation_id, newId('operation'), STAGED.ref])
    expect(codeOf(await admit(applyOf(ref)))).toBe('precondition.failed');
  const staged = await stage();
  expect(codeOf(await stage({ precondition_refs: refOf(staged.operation_id) }))).toBe('precondition.failed');
  expect(
    codeOf(
      await admit(
        applyOf(staged.operation_id, {
          precondition_refs: [...refOf(staged.operation_id), ...refOf(staged.operation_id)],
        }),
      ),
    ),
  ).toBe('precondition.failed');
});

it('a staged change is applied once', async () => {
  const staged = await stage();
  const first = await admit(applyOf(staged.operation_id));
  expect(first.state).toBe('admitted');
  expect(await admit(applyOf(staged.operation_id))).toMatchObject({ operation_id: first.operation_id, replayed: true });
});

it('in an interactive session a staged change that asks for a person is held, and runs once it was approved', async () => {
  const staged = await stage({ session_mode: 'interactive' });
  const held = await admit(applyOf(staged.operation_id, { session_mode: 'interactive' }));
  expect(held.state).toBe('held');
  // The time of the staged change counts when it is proposed; a person may take longer.
  await tenant.query('UPDATE kernel.operation SET created_at = created_at - 700000 WHERE operation_id = $1', [
    staged.operation_id,
  ]);
  const approved = await kernel.decide.run({
    ...kernel.asAdmin(tenant),
    approval_id: held.approval_id ?? '',
    decision: 'approve',
    comment: null,
  });
  expect(approved.state).toBe('admitted');
});
