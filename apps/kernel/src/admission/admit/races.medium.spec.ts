// SPDX-License-Identifier: Apache-2.0
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let tenant: TestTenant;
openKernelSpec(
  (on) => {
    ({ kernel } = on);
  },
  () => openTestKernel(32),
);
beforeEach(async () => {
  tenant = await kernel.newTenant();
});

const together = <T>(n: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, index) => run(index)));

describe('concurrent calls', () => {
  it('64 callers on one token never spend more than it has, and never deadlock', async () => {
    const root = await tenant.token({ budgets: { calls: 40, wall_ms: 1_000_000 } });
    const token = await tenant.token({ budgets: { calls: 30 } }, { parent_id: root });
    const views = await together(64, (index) =>
      kernel.admit.run(tenant.writeCall(index % 2 === 0 ? token : root), null),
    );
    const admitted = await Promise.all(
      views.filter(({ state }) => state === 'admitted').map(({ operation_id }) => tenant.row(operation_id)),
    );
    expect(admitted).toHaveLength(40);
    expect(
      views
        .filter(({ state }) => state === 'refused')
        .every(({ result }) => result?.error?.code === 'budget.exhausted'),
    ).toBe(true);
    const wall = admitted.reduce((sum, { reserved }) => sum + (reserved.wall_ms ?? 0), 0);
    expect(await tenant.budgetOf(root)).toMatchObject({
      calls: { reserved: 40, used: 0 },
      wall_ms: { reserved: wall },
    });
    const below = admitted.filter(({ capability_token_id }) => capability_token_id === token).length;
    expect(below).toBeLessThanOrEqual(30);
    expect((await tenant.budgetOf(token))['calls']?.reserved).toBe(below);
  });

  it('share the last units of a budget exactly', async () => {
    const token = await tenant.token({ budgets: { wall_ms: 25_000 } });
    const views = await together(16, () => kernel.admit.run(tenant.writeCall(token), null));
    const rows = await Promise.all(views.map(({ operation_id }) => tenant.row(operation_id)));
    expect(
      rows
        .map(({ reserved }) => reserved.wall_ms ?? 0)
        .sort((a, b) => b - a)
        .slice(0, 4),
    ).toEqual([10_000, 10_000, 5_000, 0]);
    expect((await tenant.budgetOf(token))['wall_ms']).toMatchObject({ reserved: 25_000 });
  });

  it('with one idempotency key from 32 callers make exactly one operation', async () => {
    const token = await tenant.token({ budgets: { calls: 1 } });
    const views = await together(32, () =>
      kernel.admit.run(tenant.writeCall(token, { idempotency_key: 'once' }), null),
    );
    expect(new Set(views.map(({ operation_id }) => operation_id)).size).toBe(1);
    expect(views.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(await tenant.countOf('operation')).toBe(1);
    expect(await tenant.countOf('outbox')).toBe(1);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 1 });
  });

  it('of several tools and persons with one idempotency key make exactly one operation, and the others are refused', async () => {
    const token = await tenant.token({ budgets: { calls: 1 } });
    const edit = { tool_id: 'fs.edit', args: { path: 'a.txt', edits: [{ find: 'x', replace: 'y' }] } };
    const another = { proposed_by: newId('apiKey'), person: newId('person') };
    const kinds = [{}, edit, another, { ...edit, ...another }];
    const views = await together(32, (index) =>
      kernel.admit.run(tenant.writeCall(token, { idempotency_key: 'once', ...kinds[index % 4] }), null),
    );
    const original = views.find(({ state, replayed }) => state === 'admitted' && !replayed)?.operation_id;
    const same = views.filter(({ operation_id }) => operation_id === original);
    expect(same.map(({ replayed }) => replayed).sort()).toEqual([false, ...Array.from({ length: 7 }, () => true)]);
    const others = views.filter(({ operation_id }) => operation_id !== original);
    expect(new Set(others.map(({ result }) => result?.error?.code))).toEqual(new Set(['idempotency.mismatch']));
    expect(await tenant.countOf('idempotency')).toBe(1);
    expect((await tenant.budgetOf(token))['calls']).toMatchObject({ reserved: 1 });
  });

  it('with one operation id sent 16 times are decided once, and none of them is a replay', async () => {
    const token = await tenant.token();
    const rounds = 12;
    for (let round = 0; round < rounds; round++) {
      const call = tenant.writeCall(token);
      const views = await together(16, () => kernel.admit.run(call, null));
      expect(new Set(views.map(({ decision_record_id }) => decision_record_id)).size).toBe(1);
      expect(views.every(({ replayed }) => !replayed)).toBe(true);
    }
    expect(await tenant.countOf('outbox')).toBe(rounds);
  });
});
