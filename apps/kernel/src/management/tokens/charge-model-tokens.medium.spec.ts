// SPDX-License-Identifier: Apache-2.0
//
// Charges of runs to the `llm_tokens` of chains of tokens: random sequences against a model, and 64 concurrent ones
// with concurrent calls.
import { Fault, type Caller } from '@writ/contract';
import { UNBALANCED_BUDGETS } from '@writ/testing';
import fc from 'fast-check';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { openTestKernel, type TestKernel } from '../../specs/test-kernel.ts';
import { requestBy, callerOf, refusalOf, type TestManagement } from '../../specs/test-management.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';
import { newId } from '@writ/nest-kit';

let kernel: TestKernel;
let manage: TestManagement;
let tenant: TestTenant;
let admin: Caller;
openKernelSpec(
  async (on) => {
    ({ kernel, manage } = on);
    tenant = await kernel.newTenant();
    await tenant.write({ 'a.txt': 'before' });
    admin = callerOf(tenant.tenantId);
  },
  () => openTestKernel(32),
);

interface ChargeRequest {
  readonly used_total: number;
  readonly reserve: number;
  readonly fence?: number;
  readonly place?: number;
}

const charge = (
  capability_token_id: string,
  run_id: string,
  { used_total, reserve, fence = 1, place = 1 }: ChargeRequest,
  caller = admin,
) =>
  manage.drawTokens.run({
    ...requestBy(caller),
    capability_token_id,
    run_id: run_id as ReturnType<typeof newId<'run'>>,
    fence,
    place,
    used_total,
    reserve,
  });
const bounded = (bound: number | null, parent_id: string | null = null): Promise<string> =>
  tenant.token({ budgets: bound === null ? { calls: 1_000 } : { llm_tokens: bound, calls: 1_000 } }, { parent_id });
const held = async (token: string) => {
  const { reserved, used } = (await tenant.budgetOf(token))['llm_tokens'] ?? {};
  return [used, reserved];
};
const unbalanced = async () => (await kernel.admin.query<Record<string, unknown>>(UNBALANCED_BUDGETS)).rows;
const rowsOf = async (run: string) =>
  (await kernel.admin.query('SELECT settled::int8, reserved::int8 FROM kernel.run_draw WHERE run_id = $1', [run])).rows;

describe('a charge', () => {
  it('settles what was used and reserves what comes next in every token above that bounds it', async () => {
    const root = await bounded(1_000);
    const leaf = await bounded(500, await bounded(null, root));
    const run = newId('run');
    expect(await charge(leaf, run, { used_total: 0, reserve: 100 })).toEqual({ bounded: true });
    await charge(leaf, run, { used_total: 60, reserve: 200, place: 2 });
    expect([await held(leaf), await held(root)]).toEqual([
      [60, 200],
      [60, 200],
    ]);
    await charge(leaf, run, { used_total: 90, reserve: 0, place: 3 });
    expect([await held(leaf), await held(root), await rowsOf(run)]).toEqual([
      [90, 0],
      [90, 0],
      [{ settled: 90, reserved: 0 }],
    ]);
    expect(await unbalanced()).toEqual([]);
  });

  it('that is repeated changes nothing, also by another process of the run', async () => {
    const token = await bounded(1_000);
    const run = newId('run');
    for (let time = 0; time < 3; time++) await charge(token, run, { used_total: 50, reserve: 100 });
    await charge(token, run, { used_total: 50, reserve: 100, fence: 2 });
    expect(await held(token)).toEqual([50, 100]);
  });

  it('is refused where a token has too little left: it names that token and settles the usage', async () => {
    const root = await bounded(300);
    const leaf = await bounded(900, root);
    const [run, other] = [newId('run'), newId('run')];
    await charge(leaf, other, { used_total: 0, reserve: 100 });
    await charge(leaf, run, { used_total: 0, reserve: 150 });
    const { code, detail } = await refusalOf(charge(leaf, run, { used_total: 120, reserve: 81, place: 2 }));
    expect([code, detail]).toEqual([
      'budget.exhausted',
      `the capability token \`${root}\` has 80 \`llm_tokens\` left, and the next reply may take 81`,
    ]);
    expect([await held(leaf), await held(root)]).toEqual([
      [120, 100],
      [120, 100],
    ]);
    await charge(leaf, run, { used_total: 120, reserve: 80, place: 3 });
    expect(await held(root)).toEqual([120, 180]);
  });

  it('of more than the reservation is settled, and then nothing is left and nothing can be reserved', async () => {
    const root = await bounded(100);
    const leaf = await bounded(80, root);
    const run = newId('run');
    await charge(leaf, run, { used_total: 0, reserve: 80 });
    expect((await refusalOf(charge(leaf, run, { used_total: 130, reserve: 1, place: 2 }))).code).toBe(
      'budget.exhausted',
    );
    expect([await held(leaf), await held(root)]).toEqual([
      [130, 0],
      [130, 0],
    ]);
    expect((await refusalOf(charge(root, newId('run'), { used_total: 0, reserve: 1 }))).code).toBe('budget.exhausted');
    expect(await manage.tokens.read({ ...requestBy(admin), capability_token_id: leaf })).toMatchObject({
      used: { llm_tokens: 130 },
      reserved: { llm_tokens: 0 },
      left: { llm_tokens: 0 },
    });
    expect(await unbalanced()).toEqual([]);
  });

  it('of a smaller total than the settled one returns nothing', async () => {
    const token = await bounded(100);
    const run = newId('run');
    await charge(token, run, { used_total: 70, reserve: 0 });
    await charge(token, run, { used_total: 10, reserve: 30, fence: 2 });
    expect(await held(token)).toEqual([70, 30]);
  });

  it('that is older than the last one, or names another token, is a conflict and changes nothing', async () => {
    const [token, other] = [await bounded(100), await bounded(100)];
    const run = newId('run');
    await charge(token, run, { used_total: 10, reserve: 0, fence: 2, place: 4 });
    for (const late of [
      { fence: 2, place: 3 },
      { fence: 1, place: 9 },
    ])
      expect((await refusalOf(charge(token, run, { used_total: 20, reserve: 50, ...late }))).code).toBe('conflict');
    expect((await refusalOf(charge(other, run, { used_total: 20, reserve: 50, fence: 3 }))).code).toBe('conflict');
    expect([await held(token), await held(other)]).toEqual([
      [10, 0],
      [0, 0],
    ]);
  });

  it('without a bounded token in the chain writes no row', async () => {
    const run = newId('run');
    expect(await charge(await bounded(null, await bounded(null)), run, { used_total: 50, reserve: 100 })).toEqual({
      bounded: false,
    });
    expect(await rowsOf(run)).toEqual([]);
  });

  it.each([
    [
      'token.revoked',
      'was revoked',
      (root: string) => tenant.query('UPDATE kernel.token SET revoked_at = 1 WHERE capability_token_id = $1', [root]),
    ],
    [
      'token.expired',
      'has expired',
      (root: string) =>
        tenant.query(
          `UPDATE kernel.token SET grant_json = jsonb_set(grant_json, '{expires_at}', '1') WHERE capability_token_id = $1`,
          [root],
        ),
    ],
    [
      'token.not_yet_valid',
      'is not valid yet',
      (root: string) =>
        tenant.query(
          `UPDATE kernel.token SET grant_json = jsonb_set(grant_json, '{not_before}', '9999999999999') WHERE capability_token_id = $1`,
          [root],
        ),
    ],
  ])('is refused as %s under a token that %s, and settles the usage', async (code, _what, end) => {
    const root = await bounded(100);
    const leaf = await bounded(null, root);
    const run = newId('run');
    await charge(leaf, run, { used_total: 0, reserve: 50 });
    await end(root);
    expect((await refusalOf(charge(leaf, run, { used_total: 20, reserve: 10, place: 2 }))).code).toBe(code);
    expect(await held(root)).toEqual([20, 0]);
    await charge(leaf, run, { used_total: 30, reserve: 0, place: 3 });
    expect(await held(root)).toEqual([30, 0]);
  });

  it('is allowed only to callers of the token, in its tenant', async () => {
    const token = await bounded(100);
    const asked = { used_total: 1, reserve: 1 };
    const other = await kernel.newTenant();
    for (const [caller, code] of [
      [callerOf(tenant.tenantId, 'operator'), 'auth.role'],
      [callerOf(tenant.tenantId, 'auditor'), 'auth.role'],
      [callerOf(tenant.tenantId, 'agent', newId('agent')), 'not_found'],
      [callerOf(other.tenantId), 'not_found'],
    ] as const)
      expect((await refusalOf(charge(token, newId('run'), asked, caller))).code).toBe(code);
    await charge(token, newId('run'), asked, callerOf(tenant.tenantId, 'agent', tenant.agentId));
    expect(await held(token)).toEqual([1, 1]);
  });
});

describe('any number of charges', () => {
  it('in sequence, late and repeated, have the result of a model', async () => {
    const step = fc.record({
      token: fc.nat(3),
      run: fc.nat(2),
      fence: fc.integer({ min: 1, max: 3 }),
      place: fc.integer({ min: 1, max: 6 }),
      more: fc.integer({ min: -20, max: 60 }),
      reserve: fc.oneof(fc.constant(0), fc.nat(120)),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.array(fc.option(fc.integer({ min: 50, max: 300 })), { minLength: 4, maxLength: 4 }),
        async (steps, bounds) => {
          // 0 — 1 — 2, and 3 beside 2.
          const above = [null, 0, 1, 1];
          const tokens: string[] = [];
          for (const [n, bound] of bounds.entries()) tokens.push(await bounded(bound, tokens[above[n] ?? -1] ?? null));
          const chainOf = (n: number): number[] => [n, ...(above[n] === null ? [] : chainOf(above[n] as number))];
          const accounts = bounds.map((bound) => ({ bound, used: 0, reserved: 0 }));
          const ids = [newId('run'), newId('run'), newId('run')];
          const runs = new Map<number, { token: number; settled: number; reserved: number; at: number; saw: number }>();
          for (const { token, run, fence, place, more, reserve } of steps) {
            const links = chainOf(token)
              .map((n) => accounts[n]!)
              .filter(({ bound }) => bound !== null);
            const before = runs.get(run) ?? { token, settled: 0, reserved: 0, at: 0, saw: 0 };
            const used_total = Math.max(0, before.saw + more);
            const at = fence * 100 + place;
            const said = await charge(tokens[token]!, ids[run]!, { used_total, reserve, fence, place }).then(
              ({ bounded: is }) => (is ? 'ok' : 'unbounded'),
              (error: unknown) => (error as Fault).code,
            );
            if (links.length === 0) expect(said).toBe('unbounded');
            else if (before.token !== token || at < before.at) expect(said).toBe('conflict');
            else {
              const settled = Math.max(before.settled, used_total);
              for (const link of links)
                [link.used, link.reserved] = [link.used + settled - before.settled, link.reserved - before.reserved];
              const isAgain = at === before.at && settled === before.settled && reserve === before.reserved;
              const hasRoom =
                isAgain ||
                reserve === 0 ||
                links.every(({ bound, used, reserved }) => used + reserved + reserve <= bound!);
              expect(said).toBe(hasRoom ? 'ok' : 'budget.exhausted');
              for (const link of links) link.reserved += hasRoom ? reserve : 0;
              runs.set(run, { token, settled, reserved: hasRoom ? reserve : 0, at, saw: used_total });
            }
          }
          for (const [n, { bound, used, reserved }] of accounts.entries())
            if (bound !== null) expect(await held(tokens[n]!)).toEqual([used, reserved]);
          expect(await unbalanced()).toEqual([]);
        },
      ),
      { numRuns: 15 },
    );
  }, 120_000);

  it('64 concurrent ones beside calls under the same tokens never exceed a bound, and never deadlock', async () => {
    const BOUND = 4_000;
    const root = await tenant.token({ budgets: { llm_tokens: BOUND, calls: 1_000, wall_ms: 10 ** 9 } });
    const middles = await Promise.all(
      [2_500, 2_500].map((llm_tokens) =>
        tenant.token({ budgets: { llm_tokens, wall_ms: 10 ** 9 } }, { parent_id: root }),
      ),
    );
    const leaves: string[] = [];
    for (const middle of middles)
      for (const llm_tokens of [1_500, 1_500])
        leaves.push(await tenant.token({ budgets: { llm_tokens, calls: 500 } }, { parent_id: middle }));
    const spent = new Map<string, number>();
    let refused = 0;
    const oneRun = async (n: number): Promise<void> => {
      const [run, token] = [newId('run'), leaves[n % leaves.length]!];
      let used = 0;
      for (let place = 1; place <= 6; place++) {
        const reserve = 20 + ((n * 7 + place * 13) % 60);
        const asked = () => charge(token, run, { used_total: used, reserve, place });
        const isIn = await Promise.all([asked(), asked()]).then(
          () => true,
          (error: unknown) => {
            if (error instanceof Fault && error.code === 'budget.exhausted') return false;
            throw error;
          },
        );
        if (!isIn) refused += 1;
        else used += Math.min(reserve, 10 + (n % 30));
      }
      await charge(token, run, { used_total: used, reserve: 0, place: 7 });
      spent.set(token, (spent.get(token) ?? 0) + used);
    };
    let isOver = false;
    const looking = (async () => {
      let looks = 0;
      for (; !isOver; looks++) {
        expect(await unbalanced()).toEqual([]);
        const { rows } = await kernel.admin.query(
          `SELECT * FROM kernel.budget WHERE dimension = 'llm_tokens' AND capability_token_id = ANY ($1) AND used + reserved > bound`,
          [[root, ...middles, ...leaves]],
        );
        expect(rows).toEqual([]);
      }
      return looks;
    })();
    const calls = Array.from({ length: 32 }, async (_, n) => {
      for (let time = 0; time < 3; time++) await kernel.admit.run(tenant.writeCall(leaves[n % leaves.length]!), null);
    });
    await Promise.all([...Array.from({ length: 64 }, (_, n) => oneRun(n)), ...calls]).finally(() => {
      isOver = true;
    });
    expect(await looking).toBeGreaterThan(2);
    expect(refused).toBeGreaterThan(0);
    const total = [...spent.values()].reduce((sum, used) => sum + used, 0);
    expect(await held(root)).toEqual([total, 0]);
    for (const leaf of leaves) expect(await held(leaf)).toEqual([spent.get(leaf), 0]);
    expect(await unbalanced()).toEqual([]);
    expect(
      (await kernel.admin.query('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')).rows,
    ).toEqual([{ deadlocks: 0 }]);
  }, 120_000);
});
