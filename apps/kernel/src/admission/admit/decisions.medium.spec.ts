// SPDX-License-Identifier: Apache-2.0
import type { ProposedCall } from '@writ/contract';
import { readFacts } from '../../judging/judgement/index.ts';
import { newId } from '@writ/nest-kit';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { readProposal } from './proposal.ts';

let kernel: TestKernel;
let tenant: TestTenant;
openKernelSpec((on) => {
  ({ kernel } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
});

/** Decides a call, changes something with `move`, and then writes the decision. */
async function writeAfter(call: ProposedCall, move: () => Promise<unknown>) {
  const proposal = await readProposal(kernel.args, kernel.vault, call, null);
  const facts = await readFacts(kernel.tenants, kernel.policy, call);
  const judgement = await kernel.judge.judge({ call, prior: null, facts, args: proposal.args, approval: null });
  expect(judgement.verdict).toBe('admitted');
  await move();
  return await kernel.decisions.write(proposal, judgement, facts);
}

async function expectNothingOf(call: ProposedCall) {
  expect(await tenant.row(call.operation_id)).toBeUndefined();
  expect((await tenant.records()).filter(({ operation_id }) => operation_id === call.operation_id)).toEqual([]);
}

describe('a decision', () => {
  it('is written when nothing changed', async () => {
    const call = tenant.writeCall(await tenant.token());
    expect((await writeAfter(call, () => Promise.resolve()))?.row.state).toBe('admitted');
  });

  it('is not written after a token of the chain was revoked', async () => {
    const root = await tenant.token();
    const call = tenant.writeCall(await tenant.token({}, { parent_id: root }));
    expect(
      await writeAfter(call, () =>
        tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [root]),
      ),
    ).toBeNull();
    await expectNothingOf(call);
    expect(await tenant.countOf('idempotency')).toBe(0);
  });

  it('is not written after the head of a checked precondition changed', async () => {
    const call = tenant.writeCall(await tenant.token(), {
      precondition_refs: [{ kind: 'path', ref: 'a.txt', version: 'absent' }],
    });
    expect(await writeAfter(call, () => tenant.write({ 'a.txt': 'new' }))).toBeNull();
    await expectNothingOf(call);
    expect((await kernel.admit.run(call, null)).result?.error?.code).toBe('precondition.failed');
  });

  it('is written after a head changed that no precondition names', async () => {
    const call = tenant.writeCall(await tenant.token());
    expect((await writeAfter(call, () => tenant.write({ 'a.txt': 'new' })))?.row.state).toBe('admitted');
  });

  it('is not written after the idempotency key was claimed or the budget was used up', async () => {
    const token = await tenant.token({ budgets: { calls: 1 } });
    const call = tenant.writeCall(token, { idempotency_key: 'k' });
    expect(
      await writeAfter(call, () => kernel.admit.run(tenant.writeCall(token, { idempotency_key: 'k' }), null)),
    ).toBeNull();
    await expectNothingOf(call);
    const other = await tenant.token({ budgets: { calls: 1 } });
    const poor = tenant.writeCall(other);
    expect(await writeAfter(poor, () => kernel.admit.run(tenant.writeCall(other), null))).toBeNull();
    await expectNothingOf(poor);
    expect(await tenant.countOf('idempotency')).toBe(2);
  });

  it('waits for a revocation under way, and then is not written', async () => {
    const token = await tenant.token();
    await kernel.admin.query('BEGIN');
    await tenant.query('SELECT kernel.change_rules($1)', [tenant.tenantId]);
    await tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [token]);
    let written: Awaited<ReturnType<typeof writeAfter>> | 'waiting' = 'waiting';
    const call = tenant.writeCall(token, { operation_id: newId('operation') });
    const writing = writeAfter(call, () => Promise.resolve()).then((value) => {
      written = value;
    });
    await kernel.untilBlocked();
    expect(written).toBe('waiting');
    await kernel.admin.query('COMMIT');
    await writing;
    expect(written).toBeNull();
  });
});
