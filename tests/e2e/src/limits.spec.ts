// SPDX-License-Identifier: Apache-2.0
// Limits that the platform sets for one tenant, through two doors and two kernels, without executors: what is admitted waits.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import type { TenantLimits } from '@writ/contract';
import { Api, eventually, makeWorld, startStack, type Stack, type World } from '@writ/stack';
import { freePort, repositoryRoot } from '@writ/testing';

jest.setTimeout(120_000);

let stack: Stack;
let ours: World;
let theirs: World;
let otherDoor: string;

beforeAll(async () => {
  stack = await startStack({ without: ['executor'] });
  const port = String(await freePort());
  await stack.another('kernel');
  await stack.another('orchestrator', { WRIT_HTTP_PORT: port });
  otherDoor = `http://127.0.0.1:${port}`;
  ours = await makeWorld(stack.url, stack.keys.platformKey);
  theirs = await makeWorld(stack.url, stack.keys.platformKey);
});
afterAll(async () => { await stack?.stop(); });

/** `writ tenant limits` with the platform key. */
async function limits(...args: string[]): Promise<TenantLimits> {
  const program = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');
  const env = { PATH: process.env['PATH'], WRIT_URL: stack.url, WRIT_API_KEY: stack.keys.platformKey };
  return JSON.parse((await promisify(execFile)(process.execPath, [program, 'tenant', 'limits', ours.tenantId, ...args, '--json'], { env })).stdout) as TenantLimits;
}
const call = (world: World) => world.call('fs.read', { path: 'a.txt' }, {}, 0);
const burst = async (api: Api): Promise<number[]> => await Promise.all(Array.from({ length: 6 }, async () => (await api.get('/v1/tools')).status));

it('a tenant whose calls wait as they may has no further one admitted, on any replica, until its limit is raised', async () => {
  expect(await limits('--waiting-max', '3')).toMatchObject({ tenant_id: ours.tenantId, waiting_max: 3 });
  for (let i = 0; i < 3; i++) expect(await call(ours)).toMatchObject({ status: 202, body: { state: 'admitted' } });
  // Several times, so that both kernels are asked.
  for (let i = 0; i < 6; i++) {
    const answer = await call(ours);
    expect(answer).toMatchObject({ status: 429, body: { code: 'queue.full', retry: 'later' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  expect(await call(theirs)).toMatchObject({ status: 202 });
  await limits('--waiting-max', '4');
  expect(await eventually('room', async () => { const answer = await call(ours); return answer.status === 429 ? null : answer; }, 1_000)).toMatchObject({ status: 202 });
});

it('a rate counts at every door within a second, and is the door\'s own again when it is taken back', async () => {
  const doors = [ours.agent, new Api(otherDoor, ours.agent.key)];
  for (const door of doors) expect(await burst(door)).toEqual(Array(6).fill(200));
  await limits('--requests-per-second', '1', '--request-burst', '1');
  await Promise.all(doors.map((door) => eventually('the rate counts', async () => (await burst(door)).includes(429), 1_500)));
  for (const url of [stack.url, otherDoor]) expect(await burst(new Api(url, theirs.agent.key))).toEqual(Array(6).fill(200));
  expect(await limits('--requests-per-second', 'default', '--request-burst', 'default')).toMatchObject({ requests_per_second: null, request_burst: null });
  await Promise.all(doors.map((door) => eventually('the door\'s own rate', async () => !(await burst(door)).includes(429), 5_000)));
});
