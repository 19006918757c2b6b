// SPDX-License-Identifier: Apache-2.0
//
// A cancellation and a deadline, in every state of a call: how the call ends, what its records contain, what it costs.
import type { AuditRecord, State } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import {
  deltaFor,
  reportOf,
  credentialsOf,
  textsAt,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { requires, AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ budgets: { calls: 5, cpu_ms: 1_000_000 } });
  kernel.policy.answer = () => AUTOPILOT;
});

/** A call that got as far as its state. */
interface PlacedCall {
  readonly operation_id: string;
  readonly approval_id: string | null;
  readonly attempt: Attempt | null;
}

const admitted = async (): Promise<PlacedCall> => {
  const { operation_id, approval_id } = await kernel.admit.run(
    tenant.writeCall(token, { deadline: Date.now() + 3_600_000 }),
    null,
  );
  return { operation_id, approval_id, attempt: null };
};
const held = async (): Promise<PlacedCall> => {
  kernel.policy.answer = requires('soft_gate');
  const placed = await admitted();
  kernel.policy.answer = () => AUTOPILOT;
  return placed;
};
const dispatched = async (): Promise<PlacedCall> => {
  const placed = await admitted();
  run.speak(100);
  run.dispatcher.wake('inline');
  await run.permitOf(placed.operation_id);
  return placed;
};
const performing = async (): Promise<PlacedCall> => {
  const { attempt } = await run.perform(tenant, tenant.writeCall(token, { deadline: Date.now() + 3_600_000 }));
  return { operation_id: attempt.operation_id, approval_id: null, attempt };
};
const withEffect = async (): Promise<PlacedCall> => {
  const placed = await performing();
  await run.renew.effectStarted(credentialsOf(placed.attempt as Attempt));
  return placed;
};
/** Back in the queue after its executor was lost. */
const waitingAgain = async (): Promise<PlacedCall> => {
  const placed = await performing();
  await loseLease(placed);
  await run.sweeper.sweep();
  return { ...placed, attempt: null };
};

const report = async ({ attempt }: PlacedCall) =>
  run.commit.run(reportOf(attempt as Attempt, await deltaFor(kernel, attempt as Attempt, { 'a.txt': 'written' })));
const loseLease = ({ operation_id }: PlacedCall) =>
  tenant.query('UPDATE kernel.operation SET lease_until = 1 WHERE operation_id = $1', [operation_id]);
const cancel = ({ operation_id }: Pick<PlacedCall, 'operation_id'>) =>
  kernel.cancel.run({
    v: 1,
    caller: { tenant_id: tenant.tenantId, api_key_id: tenant.keyId, role: 'operator', agent_id: null },
    operation_id,
  });
/** As if the deadline had passed. */
const passDeadline = async ({ operation_id }: PlacedCall): Promise<void> => {
  await tenant.query('UPDATE kernel.operation SET deadline = kernel.now_ms() - 1 WHERE operation_id = $1', [
    operation_id,
  ]);
  await tenant.query('UPDATE kernel.approval SET expires_at = kernel.now_ms() - 1 WHERE operation_id = $1', [
    operation_id,
  ]);
};
const approve = ({ approval_id }: PlacedCall) =>
  kernel.decide.run({
    v: 1,
    caller: { tenant_id: tenant.tenantId, api_key_id: 'key_other', role: 'admin', agent_id: null },
    approval_id: approval_id ?? '',
    decision: 'approve',
    comment: null,
  });
const sweep = async (): Promise<void> => {
  await run.sweeper.sweep();
  await kernel.expire.run();
};
const permitRuns = async ({ operation_id }: PlacedCall): Promise<void> => {
  await tenant.query('UPDATE kernel.operation SET permit_until = 1 WHERE operation_id = $1', [operation_id]);
};

/** Fault, final state and outcome; `used` and `reserved` are the calls in the budget after it. */
interface End {
  readonly state: State;
  readonly code: string | null;
  readonly outcome: string;
  readonly used: number;
  readonly reserved: number;
}
const refused = (code: string): End => ({ state: 'refused', code, outcome: 'rolled_back', used: 0, reserved: 0 });
const rolledBack = (code: string, used: 0 | 1): End => ({
  state: 'rolled_back',
  code,
  outcome: 'rolled_back',
  used,
  reserved: 0,
});
const AMBIGUOUS: End = { state: 'ambiguous', code: 'effect.ambiguous', outcome: 'ambiguous', used: 0, reserved: 1 };
const COMMITTED: End = { state: 'committed', code: null, outcome: 'committed', used: 1, reserved: 0 };

type Row = readonly [
  what: string,
  place: () => Promise<PlacedCall>,
  stop: (placed: PlacedCall) => Promise<unknown>,
  end: End,
];

const CANCELLED: readonly Row[] = [
  ['held: refused, and its approval with it', held, cancel, refused('cancelled')],
  ['admitted: refused, since no executor had it', admitted, cancel, refused('cancelled')],
  [
    'admitted again after an executor was lost: rolled back at the cost of what that one may have used',
    waitingAgain,
    cancel,
    rolledBack('cancelled', 1),
  ],
  ['dispatched: rolled back, for nothing', dispatched, cancel, rolledBack('cancelled', 0)],
  [
    'performing, then reported: rolled back at the cost of what it used',
    performing,
    async (placed) => {
      await cancel(placed);
      await report(placed);
    },
    rolledBack('cancelled', 1),
  ],
  [
    'performing, then silent: rolled back once its lease is over',
    performing,
    async (placed) => {
      await cancel(placed);
      await loseLease(placed);
      await sweep();
    },
    rolledBack('cancelled', 1),
  ],
  [
    'performing with an effect outside, then reported: ambiguous, since something may have happened',
    withEffect,
    async (placed) => {
      await cancel(placed);
      await report(placed);
    },
    AMBIGUOUS,
  ],
  [
    'performing with an effect outside, then silent',
    withEffect,
    async (placed) => {
      await cancel(placed);
      await loseLease(placed);
      await sweep();
    },
    AMBIGUOUS,
  ],
];

const OVERDUE: readonly Row[] = [
  [
    'held, and not decided: refused',
    held,
    async (placed) => {
      await passDeadline(placed);
      await sweep();
    },
    refused('approval.expired'),
  ],
  [
    'held, and approved too late: refused',
    held,
    async (placed) => {
      await passDeadline(placed);
      await approve(placed).catch(() => undefined);
      await sweep();
    },
    { ...refused('approval.expired'), code: 'any' },
  ],
  [
    'admitted: refused, since no executor had it',
    admitted,
    async (placed) => {
      await passDeadline(placed);
      await sweep();
    },
    refused('deadline'),
  ],
  [
    'admitted again after an executor was lost',
    waitingAgain,
    async (placed) => {
      await passDeadline(placed);
      await sweep();
    },
    rolledBack('deadline', 1),
  ],
  [
    'dispatched, and never redeemed: refused',
    dispatched,
    async (placed) => {
      await passDeadline(placed);
      await permitRuns(placed);
      await sweep();
    },
    refused('deadline'),
  ],
  [
    'dispatched, and redeemed too late',
    dispatched,
    async (placed) => {
      await passDeadline(placed);
      const asked = run.redeem.run({
        v: 1,
        permit: await run.permitOf(placed.operation_id),
        executor_id: 'exe_late',
        nonce: '0'.repeat(32),
      });
      await expect(asked).rejects.toMatchObject({ code: 'deadline' });
    },
    rolledBack('deadline', 0),
  ],
  [
    'performing, then reported: too late to commit',
    performing,
    async (placed) => {
      await passDeadline(placed);
      await report(placed);
    },
    rolledBack('deadline', 1),
  ],
  [
    'performing, and requested to stop: it may start no effect outside any more',
    performing,
    async (placed) => {
      await passDeadline(placed);
      expect(await run.renew.run(credentialsOf(placed.attempt as Attempt))).toMatchObject({ stop: true });
      expect(await run.renew.effectStarted(credentialsOf(placed.attempt as Attempt))).toMatchObject({ stop: true });
      await loseLease(placed);
      await sweep();
    },
    rolledBack('deadline', 1),
  ],
  [
    'performing with an effect outside, then reported: coming late is better than leaving it in doubt',
    withEffect,
    async (placed) => {
      await passDeadline(placed);
      expect(await run.renew.run(credentialsOf(placed.attempt as Attempt))).toMatchObject({ stop: false });
      await report(placed);
    },
    COMMITTED,
  ],
  [
    'performing with an effect outside, then silent',
    withEffect,
    async (placed) => {
      await passDeadline(placed);
      await loseLease(placed);
      await sweep();
    },
    AMBIGUOUS,
  ],
];

const outcomesOf = async (operationId: string): Promise<AuditRecord[]> =>
  (await tenant.records()).filter((record) => record.operation_id === operationId && record.phase === 'outcome');

async function expectEnd({ operation_id, approval_id }: PlacedCall, end: End): Promise<void> {
  const row = await tenant.row(operation_id);
  const code = end.code === 'any' ? row.fault_code : end.code;
  expect({ state: row.state, code: row.fault_code, outcome: row.tx_outcome }).toEqual({
    state: end.state,
    code,
    outcome: end.outcome,
  });
  if (end.code === 'any') expect(['deadline', 'approval.expired']).toContain(row.fault_code);
  expect(await outcomesOf(operation_id)).toMatchObject([
    {
      record_id: row.outcome_record_id,
      fault_code: code,
      tx_outcome: end.outcome,
      decision_record_id: row.decision_record_id,
      verdict: end.state === 'refused' ? 'refused' : null,
    },
  ]);
  expect((await tenant.budgetOf(token))['calls']).toMatchObject({ used: end.used, reserved: end.reserved });
  expect(await textsAt(kernel, tenant, ['a.txt'])).toEqual({
    'a.txt': end.state === 'committed' ? 'written' : 'hello',
  });
  const { rows } = await kernel.admin.query<{ state: string }>(
    'SELECT state FROM kernel.approval WHERE approval_id = $1',
    [approval_id],
  );
  expect(rows.map(({ state }) => state)).not.toContain('pending');
  // The end is final: a second stop is a conflict, and nothing more is recorded.
  await expect(cancel({ operation_id })).rejects.toMatchObject({ code: 'conflict' });
  await sweep();
  expect(await outcomesOf(operation_id)).toHaveLength(1);
  expect(await tenant.countOf('idempotency')).toBe(1);
}

describe('a call that is cancelled', () => {
  it.each(CANCELLED)('%s', async (_what, place, stop, end) => {
    const placed = await place();
    await stop(placed);
    await expectEnd(placed, end);
  });

  it('while it is being decided is not found; once it is, the cancellation ends it', async () => {
    const call = tenant.writeCall(token);
    await kernel.admin.query('BEGIN; LOCK TABLE kernel.idempotency');
    const deciding = kernel.admit.run(call, null);
    await kernel.untilBlocked();
    await expect(cancel(call)).rejects.toMatchObject({ code: 'not_found' });
    await kernel.admin.query('COMMIT');
    await deciding;
    await cancel(call);
    await expectEnd({ operation_id: call.operation_id, approval_id: null, attempt: null }, refused('cancelled'));
  });

  it('while it commits is too late', async () => {
    const placed = await performing();
    await kernel.admin.query('BEGIN');
    await kernel.admin.query('SELECT 1 FROM kernel.workspace WHERE workspace_id = $1 FOR UPDATE', [tenant.workspaceId]);
    // The commit holds the operation's row, and is performed, by now; the cancellation waits for it.
    const committing = report(placed);
    await kernel.untilBlocked();
    const cancelling = cancel(placed);
    cancelling.catch(() => undefined);
    await kernel.admin.query('COMMIT');
    await committing;
    await expect(cancelling).rejects.toMatchObject({ code: 'conflict' });
    await expectEnd(placed, COMMITTED);
  });
});

describe('a call whose deadline passes', () => {
  it.each(OVERDUE)('%s', async (_what, place, stop, end) => {
    const placed = await place();
    await stop(placed);
    await expectEnd(placed, end);
  });

  it('before it is decided is refused and claims nothing', async () => {
    const view = await kernel.admit.run(tenant.writeCall(token, { deadline: 1 }), null);
    expect(view).toMatchObject({
      state: 'refused',
      result: { error: { code: 'deadline' }, tx_outcome: 'rolled_back' },
    });
    expect(await tenant.countOf('idempotency')).toBe(0);
  });

  it('while its effect is being checked does not commit', async () => {
    const placed = await performing();
    const memory = run.newMemory();
    memory.remember(await run.factsOf(placed.attempt as Attempt));
    await passDeadline(placed);
    // Decided on facts from before the deadline passed; the transaction that ends the call refuses.
    await run
      .newCommit(memory)
      .run(
        reportOf(placed.attempt as Attempt, await deltaFor(kernel, placed.attempt as Attempt, { 'a.txt': 'written' })),
      );
    await expectEnd(placed, rolledBack('deadline', 1));
  });
});
