// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { LeaseLost, type RunClaim } from '../../store/sessions/sessions.ts';
import { TokenDraws, type TokenDraw } from './token-draws.ts';

const claim: RunClaim = { tenant_id: newId('tenant') as RunClaim['tenant_id'], run_id: newId('run'), fence: 3 };

/** Answers come when a test lets them. */
function drawing(
  settled: number | null,
  answer: (draw: TokenDraw) => Promise<{ bounded: boolean }> = async () => ({ bounded: true }),
) {
  const told: TokenDraw[] = [];
  return {
    told,
    draws: new TokenDraws(claim, settled, (draw) => {
      told.push(draw);
      return answer(draw);
    }),
  };
}

test('draws are told one after another, each with its place under the claim', async () => {
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

test('what is settled is not told again', async () => {
  const { told, draws } = drawing(20);
  await draws.settle(20);
  await draws.settle(25);
  await draws.settle(25);
  expect(told.map(({ used_total }) => used_total)).toEqual([25]);
});

test('a draw that failed may have happened: letting go is told', async () => {
  let isDown = true;
  const { told, draws } = drawing(0, () =>
    isDown ? Promise.reject(new Fault('bus.unreachable')) : Promise.resolve({ bounded: true }),
  );
  await expect(draws.reserve(0, 50)).rejects.toMatchObject({ code: 'bus.unreachable' });
  isDown = false;
  await draws.settle(0);
  expect(told.map(({ reserve }) => reserve)).toEqual([50, 0]);
});

test('the kernel is asked once where nobody has said whether the token is bounded, and not where it is not', async () => {
  const unknown = drawing(null, async () => ({ bounded: false }));
  await unknown.draws.settle(5);
  await unknown.draws.settle(9);
  const known = drawing(null);
  known.draws.know(false);
  await known.draws.settle(5);
  expect([unknown.told.length, unknown.draws.isBounded, known.told.length]).toEqual([1, false, 0]);
});

test('who was overtaken has lost the run; other faults are as they are', async () => {
  await expect(drawing(null, () => Promise.reject(new Fault('conflict'))).draws.reserve(0, 1)).rejects.toBeInstanceOf(
    LeaseLost,
  );
  await expect(
    drawing(null, () => Promise.reject(new Fault('budget.exhausted'))).draws.reserve(0, 1),
  ).rejects.toMatchObject({ code: 'budget.exhausted' });
});
