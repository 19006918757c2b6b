// SPDX-License-Identifier: Apache-2.0
//
// Budgets of a tree of tokens, while 64 concurrent callers admit, end, lose, requeue and cancel calls below one root.
import { Fault, type Budgets, type OperationView, type ProposedCall } from '@writ/contract';
import { UNBALANCED_BUDGETS } from '@writ/testing';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import {
  deltaFor,
  newNonce,
  payloadOf,
  reportOf,
  type Attempt,
  type TestExecution,
} from '../../specs/test-executor.ts';
import { requestBy, callerOf } from '../../specs/test-management.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

const CALLERS = 64;
const ROUNDS = 8;
/** Repeats a run that failed: WRIT_TEST_SEED=… */
const SEED = Number(process.env['WRIT_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let kernel: TestKernel;
let run: TestExecution;
let tenant: TestTenant;
openKernelSpec(
  async (on) => {
    ({ kernel, run } = on);
    tenant = await kernel.newTenant();
    await tenant.write({ 'a.txt': 'before' });
    await tenant.query('UPDATE kernel.tenant SET cap = 100000 WHERE tenant_id = $1', [tenant.tenantId]);
  },
  () => openTestKernel(32),
);

/** mulberry32: small, seeded, and good enough to choose what happens next. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * One root with children down to the third generation. The bounds are tight enough to be reached, and those of the last
 * generation are reached by every random run.
 */
async function tree(): Promise<string[]> {
  const below = (parent_id: string | null, budgets: Budgets) => tenant.token({ budgets }, { parent_id });
  const root = await below(null, {
    calls: 380,
    wall_ms: 30_000_000,
    cpu_ms: 60_000_000,
    disk_write_bytes: 40 * 2 ** 30,
  });
  const [left, right] = [
    await below(root, { calls: 240, wall_ms: 20_000_000 }),
    await below(root, { calls: 200, cpu_ms: 9_000_000 }),
  ];
  const [under, beside, far] = [
    await below(left, { calls: 120 }),
    await below(left, { calls: 110, disk_write_bytes: 12 * 2 ** 30 }),
    await below(right, { calls: 130, wall_ms: 9_000_000 }),
  ];
  return [
    root,
    left,
    right,
    under,
    beside,
    far,
    await below(under, { calls: 25, cpu_ms: 4_000_000 }),
    await below(far, { calls: 25 }),
  ];
}

interface Scene {
  readonly random: () => number;
  readonly call: ProposedCall;
}

const used = (random: () => number) => ({
  usage: {
    wall_ms: Math.floor(random() * 12_000),
    cpu_ms: Math.floor(random() * 12_000),
    memory_peak_bytes: 0,
    disk_write_bytes: Math.floor(random() * 2 ** 20),
    output_bytes: 0,
  },
});

/** Redeems the permit of an attempt that comes after the ones before. */
async function nextAttempt({ operation_id }: ProposedCall, attempt: number): Promise<Attempt> {
  for (;;) {
    run.dispatch('inline');
    const permit = await run.permitOf(operation_id);
    if (payloadOf(permit).attempt < attempt) {
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      continue;
    }
    const speaker = { executor_id: newId('executor'), nonce: newNonce() };
    const redemption = await run.redeem.run({ v: 1, permit, ...speaker });
    return { tenant, operation_id, attempt: redemption.attempt, snapshot: redemption.state_snapshot_id, ...speaker };
  }
}
const begin = async ({ call }: Scene): Promise<Attempt> => (await run.perform(tenant, call)).attempt;
/** Each writes a file of its own, so that commits don't conflict. */
const good = async (attempt: Attempt, random: () => number) =>
  run.commit.run(
    reportOf(attempt, await deltaFor(kernel, attempt, { [`of-${attempt.operation_id}.txt`]: 'x' }), used(random)),
  );
const bad = (attempt: Attempt, random: () => number) =>
  run.commit.run(
    reportOf(attempt, null, {
      ended: 'failed',
      error: { code: 'file.not_found', message: 'no', hint: null },
      result: null,
      ...used(random),
    }),
  );
const cancel = (call: ProposedCall): Promise<OperationView> =>
  kernel.cancel.run({ ...requestBy(callerOf(tenant.tenantId)), operation_id: call.operation_id });
const loseLease = async ({ operation_id }: Attempt, lostBefore = 0): Promise<void> => {
  await inTurn(() =>
    tenant.query('UPDATE kernel.operation SET lease_until = 0, leases_lost = $2 WHERE operation_id = $1', [
      operation_id,
      lostBefore,
    ]),
  );
  await run.sweeper.sweep();
};

/** The possible courses of a call. Each resolves when the call has ended, or is meant not to end. */
const SCENES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  refused: ({ call }) => kernel.admit.run({ ...call, args: { ...call.args, path: '../out' } }, null),
  waits: ({ call }) => kernel.admit.run(call, null).then(admitted),
  commits: async (scene) => good(await begin(scene), scene.random),
  fails: async (scene) => bad(await begin(scene), scene.random),
  cancelledEarly: async ({ call }) => {
    admitted(await kernel.admit.run(call, null));
    await cancel(call);
  },
  cancelledLate: async (scene) => {
    const attempt = await begin(scene);
    await cancel(scene.call);
    await good(attempt, scene.random);
  },
  requeued: async (scene) => {
    await loseLease(await begin(scene));
    await good(await nextAttempt(scene.call, 2), scene.random);
  },
  lost: async (scene) => loseLease(await begin(scene), 2),
  ambiguous: async (scene) => {
    const attempt = await begin(scene);
    const { operation_id, executor_id, nonce } = attempt;
    await run.renew.effectStarted({
      v: 1,
      tenant_id: tenant.tenantId,
      operation_id,
      attempt: attempt.attempt,
      executor_id,
      nonce,
    });
    await bad(attempt, scene.random);
  },
};

class Exhausted extends Error {}

function admitted(view: OperationView): void {
  if (view.state === 'admitted') return;
  throw new Exhausted(view.result?.error?.code);
}

/** An exhausted budget is expected. Every other error is not. */
function isExhausted(error: unknown): boolean {
  if (error instanceof Exhausted) return error.message === 'budget.exhausted';
  return (
    error instanceof Error &&
    !(error instanceof Fault) &&
    /^the call was refused:.*budget\.exhausted/.test(error.message)
  );
}

let turn: Promise<unknown> = Promise.resolve();
/** The administrator has one connection, and a connection runs one statement at a time. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = turn.then(work);
  turn = mine.catch(() => undefined);
  return await mine;
}
/**
 * Deletes the records, as a ledger would. Otherwise the kernel stops admitting when the oldest has waited for ten
 * seconds.
 */
const log = () => inTurn(() => tenant.query('DELETE FROM kernel.outbox WHERE tenant_id = $1', [tenant.tenantId]));
const unbalanced = () =>
  inTurn(async () => (await kernel.admin.query<Record<string, unknown>>(UNBALANCED_BUDGETS)).rows);

it(`budgets match the operations of ${CALLERS} concurrent callers, without deadlock (seed ${SEED})`, async () => {
  const random = chance(SEED);
  const tokens = await tree();
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const seen = new Map<string, number>();
  const count = (what: string): void => {
    seen.set(what, (seen.get(what) ?? 0) + 1);
  };
  const caller = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = pick(Object.keys(SCENES));
      const outcome = await (SCENES[name] as (scene: Scene) => Promise<unknown>)({
        random,
        call: tenant.writeCall(pick(tokens)),
      }).then(
        () => name,
        (error: unknown) => {
          if (isExhausted(error)) return 'exhausted';
          throw error;
        },
      );
      count(outcome);
    }
  };
  let isOver = false;
  const looking = (async () => {
    let looks = 0;
    for (; !isOver; looks += 1) {
      expect({ seed: SEED, unbalanced: await unbalanced() }).toEqual({ seed: SEED, unbalanced: [] });
      await log();
    }
    return looks;
  })();
  await Promise.all(Array.from({ length: CALLERS }, caller)).finally(() => {
    isOver = true;
  });
  expect(await looking).toBeGreaterThan(10);
  await log();
  expect(await unbalanced()).toEqual([]);
  expect([...seen.keys()].sort()).toEqual([...Object.keys(SCENES), 'exhausted'].sort());
  const {
    rows: [deadlocks],
  } = await kernel.admin.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()');
  expect(deadlocks).toEqual({ deadlocks: 0 });
  expect(run.faults).toEqual([]);
}, 120_000);

it('budgets have no reservation once the last of their calls has ended', async () => {
  const { rows: open } = await kernel.admin.query<{ operation_id: string }>(
    `SELECT operation_id FROM kernel.operation WHERE state IN ('admitted', 'dispatched')`,
  );
  expect(open.length).toBeGreaterThan(0);
  await Promise.all(open.map(({ operation_id }) => cancel({ operation_id } as ProposedCall)));
  const { rows } = await kernel.admin.query(`
    SELECT b.dimension, sum(b.reserved)::int8 AS reserved FROM kernel.budget b JOIN kernel.token t USING (capability_token_id)
    WHERE t.parent_id IS NULL AND b.dimension = 'calls' GROUP BY b.dimension`);
  const {
    rows: [kept],
  } = await kernel.admin.query<{ n: number }>(
    `SELECT count(*)::int8 AS n FROM kernel.operation WHERE state = 'ambiguous'`,
  );
  // The outcome of an ambiguous call is unknown, so it keeps its reservation.
  expect(rows).toEqual([{ dimension: 'calls', reserved: kept?.n }]);
  expect(await unbalanced()).toEqual([]);
});

it("budgets are never spent twice by callers of siblings that share their parent's remainder", async () => {
  const root = await tenant.token({ budgets: { calls: 5 } });
  const siblings: string[] = [];
  for (let at = 0; at < 8; at += 1) siblings.push(await tenant.token({ budgets: { calls: 5 } }, { parent_id: root }));
  const views = await Promise.all(
    Array.from({ length: CALLERS }, (_, at) => kernel.admit.run(tenant.writeCall(siblings[at % 8] as string), null)),
  );
  expect(views.filter(({ state }) => state === 'admitted')).toHaveLength(5);
  expect((await tenant.budgetOf(root))['calls']).toMatchObject({ reserved: 5, used: 0 });
  expect(await unbalanced()).toEqual([]);
});
