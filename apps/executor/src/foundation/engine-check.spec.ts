// SPDX-License-Identifier: Apache-2.0
import { NotReady } from '@writ/nest-kit';
import { EngineNotReady, type EngineProblem } from '@writ/sandbox-host';
import { EngineCheck } from './engine-check.ts';

let now: number;
let asked: number;
let answer: () => Promise<void>;
let logged: string[];
const engine = {
  verifyReady: () => {
    asked += 1;
    return answer();
  },
};
const logger = {
  info: (line: string) => void logged.push(line),
  warn: (_: object, line: string) => void logged.push(line),
};
const checkOf = (driver: 'docker' | 'kubernetes') => new EngineCheck(engine, driver, logger as never, () => now);
const said = (check: EngineCheck) =>
  check.run().then(
    () => 'ok',
    (error: unknown) => (error instanceof NotReady ? error.message : 'another error'),
  );
const failing = (problem: EngineProblem) => () =>
  Promise.reject(new EngineNotReady(problem, 'connect EACCES /run/secret-place.sock'));

beforeEach(() => {
  [now, asked, logged, answer] = [1_000, 0, [], () => Promise.resolve()];
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
  'of the driver %s, an engine that is %s is told with what to look at, and without its own words',
  async (driver, problem, what) => {
    answer = failing(problem);
    const words = await said(checkOf(driver));
    expect(words).toContain(what);
    expect(words).not.toContain('secret-place');
  },
);

it('an engine that fails in another way than engines do is told as failed', async () => {
  answer = () => Promise.reject(new TypeError('toString'));
  expect(await said(checkOf('docker'))).toContain('answers a ping with an error');
});

it('asks once in two seconds, however many look, and sees an engine that is back', async () => {
  const check = checkOf('docker');
  answer = failing('denied');
  const [first, second] = await Promise.all([said(check), said(check)]);
  expect([first, asked]).toEqual([second, 1]);
  answer = () => Promise.resolve();
  now += 1_999;
  expect([await said(check), asked]).toEqual([first, 1]);
  now += 1;
  expect([await said(check), asked]).toEqual(['ok', 2]);
  answer = failing('silent');
  now += 1_999;
  expect([await said(check), asked]).toEqual(['ok', 2]);
  now += 1;
  expect(await said(check)).toContain('does not answer');
});

it('logs each change once, with the cause', async () => {
  const check = checkOf('docker');
  for (const [problem, looks] of [
    [null, 2],
    ['denied', 3],
    ['silent', 2],
    [null, 2],
  ] as const) {
    answer = problem === null ? () => Promise.resolve() : failing(problem);
    for (let look = 0; look < looks; look += 1, now += 2_000) await said(check);
  }
  expect(logged).toEqual([
    expect.stringContaining('refuses this process'),
    expect.stringContaining('does not answer'),
    'the engine of sandboxes answers again',
  ]);
});
