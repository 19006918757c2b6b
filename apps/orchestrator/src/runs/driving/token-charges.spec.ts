// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { LeaseLost, type RunClaim } from '../../store/session-rows/sessions.ts';
import { TokenCharges, type ModelAmount, type TokenCharge } from './token-charges.ts';

const claim: RunClaim = { tenant_id: newId('tenant') as RunClaim['tenant_id'], run_id: newId('run'), fence: 3 };

const tokens = (amount: number): ModelAmount => ({ tokens: amount, cost: null });

/** The test decides when replies arrive. */
function drawing(
  settled: number | null,
  answer: (draw: TokenCharge) => Promise<{ bounded: boolean }> = async () => ({ bounded: true }),
  meter: ConstructorParameters<typeof TokenCharges>[2] = { currency: null, now: () => 0 },
) {
  const told: TokenCharge[] = [];
  return {
    told,
    draws: new TokenCharges(claim, settled, meter, (draw) => {
      told.push(draw);
      return answer(draw);
    }),
  };
}

test('draws are sent one after another, each with its number under the claim', async () => {
  const { promise, resolve } = Promise.withResolvers<{ bounded: boolean }>();
  const { told, draws } = drawing(null, () => promise);
  const all = [draws.reserve(tokens(10), tokens(50)), draws.settle(tokens(30)), draws.settle(tokens(30))];
  await new Promise(setImmediate);
  expect(told.length).toBe(1);
  resolve({ bounded: true });
  await Promise.all(all);
  expect(told).toEqual([
    { run_id: claim.run_id, fence: 3, place: 1, used_total: 10, reserve: 50, cost: null },
    { run_id: claim.run_id, fence: 3, place: 2, used_total: 30, reserve: 0, cost: null },
  ]);
});

test('a settled total is not sent again', async () => {
  const { told, draws } = drawing(20);
  await draws.settle(tokens(20));
  await draws.settle(tokens(25));
  await draws.settle(tokens(25));
  expect(told.map(({ used_total }) => used_total)).toEqual([25]);
});

test('after a failed draw, which may have taken effect, the release is sent', async () => {
  let isDown = true;
  const { told, draws } = drawing(0, () =>
    isDown ? Promise.reject(new Fault('bus.unreachable')) : Promise.resolve({ bounded: true }),
  );
  await expect(draws.reserve(tokens(0), tokens(50))).rejects.toMatchObject({ code: 'bus.unreachable' });
  isDown = false;
  await draws.settle(tokens(0));
  expect(told.map(({ reserve }) => reserve)).toEqual([50, 0]);
});

test('a run that nothing bounds is charged once, and again ten seconds later: a budget may have been set', async () => {
  let now = 0;
  let bounded = false;
  const { told, draws } = drawing(null, async () => ({ bounded }), { currency: null, now: () => now });
  expect(draws.isDue).toBe(true);
  await draws.reserve(tokens(0), tokens(5));
  await draws.settle(tokens(5));
  expect([told.length, draws.isDue]).toEqual([1, false]);
  [now, bounded] = [10_000, true];
  expect(draws.isDue).toBe(true);
  await draws.reserve(tokens(5), tokens(5));
  await draws.settle(tokens(9));
  expect([told.map(({ used_total }) => used_total), draws.isDue]).toEqual([[0, 5, 9], true]);
});

test('costs are charged beside tokens, in the currency of the model, and not without one', async () => {
  const most = { tokens: 5, cost: 700 };
  for (const [currency, expected] of [
    ['EUR', { currency: 'EUR', used_total: 300, reserve: 700 }],
    [null, null],
  ] as const) {
    const { told, draws } = drawing(null, undefined, { currency, now: () => 0 });
    await draws.reserve({ tokens: 1, cost: 300 }, most);
    expect(told).toMatchObject([{ used_total: 1, reserve: 5, cost: expected }]);
  }
});

test('a draw that another replica has overtaken means a lost lease; other faults are passed on', async () => {
  await expect(
    drawing(null, () => Promise.reject(new Fault('conflict'))).draws.reserve(tokens(0), tokens(1)),
  ).rejects.toBeInstanceOf(LeaseLost);
  await expect(
    drawing(null, () => Promise.reject(new Fault('budget.exhausted'))).draws.reserve(tokens(0), tokens(1)),
  ).rejects.toMatchObject({ code: 'budget.exhausted' });
});
