// SPDX-License-Identifier: Apache-2.0
import { NotReady } from '@writ/nest-kit';
import { EngineNotReady, type EngineProblem } from '@writ/sandbox-host';
import { EngineCheck } from './engine-check.ts';

let now: number;
let queries: number;
let answer: () => Promise<void>;
let logged: string[];
const engine = {
  verifyReady: () => {
    queries += 1;
    return answer();
  },
};
const logger = {
  info: (line: string) => void logged.push(line),
  warn: (_: object, line: string) => void logged.push(line),
};
const checkOf = (driver: 'docker' | 'kubernetes') => new EngineCheck(engine, driver, logger as never, () => now);
const checkResult = (check: EngineCheck) =>
  check.run().then(
    () => 'ok',
    (error: unknown) => (error instanceof NotReady ? error.message : 'another error'),
  );
const failing = (problem: EngineProblem) => () =>
  Promise.reject(new EngineNotReady(problem, 'connect EACCES /run/secret-place.sock'));

beforeEach(() => {
  [now, queries, logged, answer] = [1_000, 0, [], () => Promise.resolve()];
});

it.each([
  ['docker', 'denied', 'DOCKER_HOST'],
  ['docker', 'unreachable', 'set DOCKER_HOST'],
  ['docker', 'silent', 'DOCKER_HOST'],
  ['docker', 'failed', 'DOCKER_HOST'],
  ['kubernetes', 'denied', 'WRIT_SANDBOX_NAMESPACE'],
  ['kubernetes', 'unreachable', 'WRIT_KUBECONFIG_FILE'],
  ['kubernetes', 'silent', 'NetworkPolicies'],
  ['kubernetes', 'failed', 'log'],
  ['kubernetes', 'missing', 'install agent-sandbox'],
  ['kubernetes', 'image', '`sandbox.image`'],
  ['docker', 'image', 'WRIT_SANDBOX_IMAGE_DIGEST'],
] as const)(
  "with the driver %s, an engine that is %s is reported with what to check and without the engine's message",
  async (driver, problem, what) => {
    answer = failing(problem);
    const words = await checkResult(checkOf(driver));
    expect(words).toContain(what);
    expect(words).not.toContain('secret-place');
  },
);

it('an engine that fails with an unknown error is reported as failed', async () => {
  answer = () => Promise.reject(new TypeError('toString'));
  expect(await checkResult(checkOf('docker'))).toContain('answers a ping with an error');
});

it('the engine is queried at most once in two seconds, and a recovered engine is noticed', async () => {
  const check = checkOf('docker');
  answer = failing('denied');
  const [first, second] = await Promise.all([checkResult(check), checkResult(check)]);
  expect([first, queries]).toEqual([second, 1]);
  answer = () => Promise.resolve();
  now += 1_999;
  expect([await checkResult(check), queries]).toEqual([first, 1]);
  now += 1;
  expect([await checkResult(check), queries]).toEqual(['ok', 2]);
  answer = failing('silent');
  now += 1_999;
  expect([await checkResult(check), queries]).toEqual(['ok', 2]);
  now += 1;
  expect(await checkResult(check)).toContain('does not answer');
});

it("each change of the engine's state is logged once, with the cause", async () => {
  const check = checkOf('docker');
  for (const [problem, looks] of [
    [null, 2],
    ['denied', 3],
    ['silent', 2],
    [null, 2],
  ] as const) {
    answer = problem === null ? () => Promise.resolve() : failing(problem);
    for (let look = 0; look < looks; look += 1, now += 2_000) await checkResult(check);
  }
  expect(logged).toEqual([
    expect.stringContaining('refuses this process'),
    expect.stringContaining('does not answer'),
    'the engine of sandboxes answers again',
  ]);
});
