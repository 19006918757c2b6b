// SPDX-License-Identifier: Apache-2.0
import { STATES } from '@writ/contract';
import { TRANSITION_LIST } from '@writ/lifecycle';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let tenant: TestTenant;
openKernelSpec(async (on) => {
  ({ kernel } = on);
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'x' });
});

const pairs = new Set(TRANSITION_LIST.map(({ from, to }) => `${from} ${to}`));

it('the database holds the rows of the lifecycle table and no others', async () => {
  const { rows } = await kernel.admin.query<{ pair: string }>(
    `SELECT from_state || ' ' || to_state AS pair FROM kernel.transition`,
  );
  expect(rows.map(({ pair }) => pair).toSorted()).toEqual([...pairs].toSorted());
});

it('no other change of state passes it, whichever role makes it', async () => {
  const token = await tenant.token();
  const call = tenant.call(token);
  await kernel.admit.run(call, null);
  const set = (state: string) =>
    kernel.admin.query('UPDATE kernel.operation SET state = $2 WHERE operation_id = $1', [call.operation_id, state]);
  for (const from of STATES) {
    // Inserted without the trigger; then each change is made with the trigger in place.
    await kernel.admin.query('ALTER TABLE kernel.operation DISABLE TRIGGER USER');
    await set(from);
    await kernel.admin.query('ALTER TABLE kernel.operation ENABLE TRIGGER USER');
    for (const to of STATES) {
      if (to === from) continue;
      await kernel.admin.query('BEGIN');
      const outcome = await set(to).then(
        () => 'done',
        (error: { constraint?: string }) => error.constraint,
      );
      await kernel.admin.query('ROLLBACK');
      expect(`${from} ${to}: ${String(outcome)}`).toBe(
        `${from} ${to}: ${pairs.has(`${from} ${to}`) ? 'done' : 'operation_lifecycle'}`,
      );
    }
  }
});

it('an operation is inserted in a state that a decision leads to', async () => {
  const {
    rows: [made],
  } = await kernel.admin.query<Record<string, unknown>>('SELECT * FROM kernel.operation LIMIT 1');
  const born = (state: string) =>
    tenant.copyOperations(
      `jsonb_build_object('operation_id', 'op_' || $1, 'state', $1::text)`,
      'kernel.operation o WHERE operation_id = $2',
      [state, made?.['operation_id']],
    );
  for (const state of STATES) {
    const outcome = await born(state).then(
      () => 'done',
      (error: { constraint?: string }) => error.constraint,
    );
    expect(`${state}: ${String(outcome)}`).toBe(
      `${state}: ${pairs.has(`proposed ${state}`) ? 'done' : 'operation_lifecycle'}`,
    );
  }
});
