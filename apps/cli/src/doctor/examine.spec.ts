// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from '@writ/digest';
import type { Check } from './check.ts';
import { Broken, NotApplicable, NotMade } from './finding.ts';
import { demandRefused, type Answer } from './doctor-api.ts';
import { countsOf, examine, isHealthy, unmade, type CheckResult } from './examine.ts';
import type { World } from './world.ts';

const check = (id: string, run: () => Promise<string>, obligatory = true): Check => ({
  id,
  invariant: `what ${id} promises`,
  obligatory,
  run,
});
const fails = (error: Error) => async (): Promise<string> => await Promise.reject(error);
const ended = async (...checks: Check[]): Promise<CheckResult[]> =>
  await examine(checks, {} as World, AbortSignal.timeout(60_000), () => undefined);

const passes = check('passes', async () => await Promise.resolve('seen'));

it('a check passes only where it ran to its end', async () => {
  const results = await ended(
    passes,
    check('broken', fails(new Broken('it leaked'))),
    check('lost', fails(new TypeError('fetch failed'))),
    check('unmade', fails(new NotMade('no permit came'))),
    check('absent', fails(new NotApplicable('plain http'))),
  );
  expect(results.map(({ id, verdict, made, evidence }) => [id, verdict, made, evidence])).toEqual([
    ['passes', 'pass', true, 'seen'],
    ['broken', 'fail', true, 'it leaked'],
    ['lost', 'fail', false, 'could not be made: fetch failed'],
    ['unmade', 'fail', false, 'could not be made: no permit came'],
    ['absent', 'not_applicable', true, 'plain http'],
  ]);
  expect(countsOf(results)).toEqual({ pass: 1, fail: 3, not_applicable: 1 });
});

it('what is not applicable never counts as a pass: an obligatory check has to be made', async () => {
  const absent = fails(new NotApplicable('plain http'));
  expect(isHealthy(await ended(passes))).toBe(true);
  expect(isHealthy(await ended(passes, check('absent', absent, false)))).toBe(true);
  expect(isHealthy(await ended(passes, check('absent', absent, true)))).toBe(false);
  expect(isHealthy(await ended(passes, check('lost', fails(new Error('x')), false)))).toBe(false);
  expect(isHealthy([])).toBe(false);
  expect(isHealthy(unmade([passes], 'no tenant'))).toBe(false);
});

it('checks without a result when the time is over have failed, and those that ended keep theirs', async () => {
  const over = new AbortController();
  const hangs = check('hangs', async () => await new Promise<string>(() => undefined));
  const ending = examine([passes, hangs, hangs, hangs, hangs, passes], {} as World, over.signal, () => {
    over.abort();
  });
  expect((await ending).map(({ verdict, made }) => [verdict, made])).toEqual([
    ['pass', true],
    ...Array.from({ length: 5 }, () => ['fail', false]),
  ]);
});

it('evidence has a canonical text, whatever a server answered', async () => {
  const results = await ended(check('odd', fails(new Broken(`\ud800\0${'x'.repeat(10_000)}`))));
  expect(() => canonicalBytes(results as unknown as object[])).not.toThrow();
  expect(results[0]?.evidence.length).toBeLessThan(1_000);
});

it('an outage is no refusal, and a result with an error is no success', () => {
  const answer = (status: number, code: string | null): Answer => ({ status, code, headers: new Headers(), text: '' });
  const thrown = (given: Answer): unknown => {
    try {
      demandRefused(given, ['permit.spent'], 'it was redeemed');
      return null;
    } catch (error) {
      return (error as Error).name;
    }
  };
  expect(thrown(answer(409, 'permit.spent'))).toBeNull();
  expect(thrown(answer(200, 'permit.spent'))).toBeNull();
  expect(thrown(answer(200, null))).toBe('Broken');
  for (const other of [answer(503, 'database.unavailable'), answer(502, null), answer(404, 'not_found')])
    expect(thrown(other)).toBe('NotMade');
});
