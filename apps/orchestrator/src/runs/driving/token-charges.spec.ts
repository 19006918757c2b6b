// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { LeaseLost, type RunClaim } from '../../store/session-rows/sessions.ts';
import { TokenCharges, type TokenCharge } from './token-charges.ts';

const claim: RunClaim = { tenant_id: newId('tenant') as RunClaim['tenant_id'], run_id: newId('run'), fence: 3 };

/** The test decides when replies arrive. */
function drawing(
  settled: number | null,
  answer: (draw: TokenCharge) => Promise<{ bounded: boolean }> = async () => ({ bounded: true }),
) {
  const told: TokenCharge[] = [];
  return {
    told,
    draws: new TokenCharges(claim, settled, (draw) => {
      told.push(draw);
      return answer(draw);
    }),
  };
}

test('draws are sent one after another, each with its number under the claim', async () => {
  const { promise, resolve } = Promise.withResolvers<{ bounded: boolean }>();
  const { told, draws } = drawing(null, () => promise);
  const all = [draws.reserve(10, 50), draws.settle(30), draws.settle(30)];
  await new Promise(setImmediate);
  expect(told.length).toBe(1);
  resolve({ bounded: true });
  await Promise.all(all);
  expect(told).toEqual([
    { run_id: claim.run_id, fence: 3, place: 1, used_total: 10, reserve: 50 },
    { run_id: claim.run_id, fence: 3, place: 2, used_total: 30, reserve: 0 },
  ]);
});

test('a settled total is not sent again', async () => {
  const { told, draws } = drawing(20);
  await draws.settle(20);
  await draws.settle(25);
  await draws.settle(25);
  expect(told.map(({ used_total }) => used_total)).toEqual([25]);
});

test('after a failed draw, which may have taken effect, the release is sent', async () => {
  let isDown = true;
  const { told, draws } = drawing(0, () =>
    isDown ? Promise.reject(new Fault('bus.unreachable')) : Promise.resolve({ bounded: true }),
  );
  await expect(draws.reserve(0, 50)).rejects.toMatchObject({ code: 'bus.unreachable' });
  isDown = false;
  await draws.settle(0);
  expect(told.map(({ reserve }) => reserve)).toEqual([50, 0]);
});

test('one draw is sent if it is unknown whether the token is limited, and none if it is not', async () => {
  const unknown = drawing(null, async () => ({ bounded: false }));
  await unknown.draws.settle(5);
  await unknown.draws.settle(9);
  const known = drawing(null);
  known.draws.setBounded(false);
  await known.draws.settle(5);
  expect([unknown.told.length, unknown.draws.isBounded, known.told.length]).toEqual([1, false, 0]);
});

test('a draw that another replica has overtaken means a lost lease; other faults are passed on', async () => {
  await expect(drawing(null, () => Promise.reject(new Fault('conflict'))).draws.reserve(0, 1)).rejects.toBeInstanceOf(
    LeaseLost,
  );
  await expect(
    drawing(null, () => Promise.reject(new Fault('budget.exhausted'))).draws.reserve(0, 1),
  ).rejects.toMatchObject({ code: 'budget.exhausted' });
});
