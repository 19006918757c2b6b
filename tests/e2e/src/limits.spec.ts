// SPDX-License-Identifier: Apache-2.0
// Limits that the platform sets for one tenant, through two orchestrators and two kernels, without executors: admitted
// calls wait.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import type { TenantLimitsView, WorkspaceLimits } from '@writ/contract';
import { Api, eventually, makeWorld, startStack, type Stack, type World } from '@writ/stack';
import { freePort, repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: Stack;
let ours: World;
let theirs: World;
let otherApi: string;

beforeAll(async () => {
  stack = await startStack({ without: ['executor'] });
  const port = String(await freePort());
  await stack.another('kernel');
  await stack.another('orchestrator', { WRIT_HTTP_PORT: port });
  otherApi = `http://127.0.0.1:${port}`;
  ours = await makeWorld(stack.url, stack.keys.platformKey);
  theirs = await makeWorld(stack.url, stack.keys.platformKey);
});
afterAll(async () => {
  await stack?.stop();
});

/** `writ tenant limits` with the platform key. */
const limits = async (...args: string[]): Promise<TenantLimitsView> =>
  await writ<TenantLimitsView>(stack.keys.platformKey, 'tenant', 'limits', ours.tenantId, ...args);
/** The JSON output of the command. */
async function writ<T>(key: string | undefined, ...args: string[]): Promise<T> {
  const program = join(repositoryRoot(), 'apps', 'cli', 'dist', 'main.js');
  const env = { PATH: process.env['PATH'], WRIT_URL: stack.url, WRIT_API_KEY: key };
  return JSON.parse((await promisify(execFile)(process.execPath, [program, ...args, '--json'], { env })).stdout) as T;
}
const call = (world: World) => world.call('fs.read', { path: 'a.txt' }, {}, 0);
const burst = async (api: Api): Promise<number[]> =>
  await Promise.all(Array.from({ length: 6 }, async () => (await api.get('/v1/tools')).status));

it('a tenant at its limit of waiting calls gets no further one admitted, on any replica', async () => {
  expect(await limits('--waiting-max', '3')).toMatchObject({ tenant_id: ours.tenantId, waiting_max: 3 });
  for (let i = 0; i < 3; i++) expect(await call(ours)).toMatchObject({ status: 202, body: { state: 'admitted' } });
  // Several times, so that both kernels are used.
  for (let i = 0; i < 6; i++) {
    const answer = await call(ours);
    expect(answer).toMatchObject({ status: 429, body: { code: 'queue.full', retry: 'later' } });
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  expect(await call(theirs)).toMatchObject({ status: 202 });
  await limits('--waiting-max', '4');
  expect(
    await eventually(
      'room',
      async () => {
        const answer = await call(ours);
        return answer.status === 429 ? null : answer;
      },
      1_000,
    ),
  ).toMatchObject({ status: 202 });
});

it("a tenant's rate takes effect at every API within a second, and its removal too", async () => {
  const apis = [ours.agent, new Api(otherApi, ours.agent.key)];
  for (const target of apis) expect(await burst(target)).toEqual(Array(6).fill(200));
  await limits('--requests-per-second', '1', '--request-burst', '1');
  await Promise.all(
    apis.map((target) => eventually('the rate counts', async () => (await burst(target)).includes(429), 1_500)),
  );
  for (const url of [stack.url, otherApi])
    expect(await burst(new Api(url, theirs.agent.key))).toEqual(Array(6).fill(200));
  expect(await limits('--requests-per-second', 'default', '--request-burst', 'default')).toMatchObject({
    requests_per_second: null,
    request_burst: null,
  });
  await Promise.all(
    apis.map((target) => eventually("the API's own rate", async () => !(await burst(target)).includes(429), 5_000)),
  );
});

it('quotas of workspaces and tenants hold on every replica, and are shown with their use', async () => {
  const bound = async (...args: string[]): Promise<WorkspaceLimits> =>
    await writ<WorkspaceLimits>(theirs.admin.key, 'workspace', 'limits', '--workspace', theirs.workspaceId, ...args);
  const put = async (count: number, content: string) =>
    await theirs.admin.post(`/v1/workspaces/${theirs.workspaceId}/files`, {
      files: Array.from({ length: count }, (_, index) => ({ path: `n${String(index)}.txt`, content })),
    });
  expect(await put(2, 'x')).toMatchObject({ status: 200 });
  expect(await bound('--files-max', '3')).toEqual({
    workspace_id: theirs.workspaceId,
    files_max: 3,
    bytes_max: null,
    files: 2,
    bytes: 2,
  });
  // Several times, so that both kernels are used.
  for (let i = 0; i < 4; i++) {
    const { status, body } = await put(5, 'y');
    expect({ status, body }).toMatchObject({
      status: 422,
      body: {
        code: 'workspace.quota',
        detail: expect.stringContaining('would hold 5 files, more than its `files_max` of 3'),
      },
    });
  }
  expect(await put(3, 'x')).toMatchObject({ status: 200 });
  expect(await bound('--files-max', 'none')).toMatchObject({ files_max: null, files: 3, bytes: 3 });
  const tenant = {
    path: `/v1/tenants/${theirs.tenantId}/limits`,
    platform: new Api(stack.url, stack.keys.platformKey),
  };
  expect(await tenant.platform.request('PATCH', tenant.path, { bytes_max: 4 })).toMatchObject({
    status: 200,
    body: { bytes_max: 4, files: 3, bytes: 3 },
  });
  expect(await put(3, 'yy')).toMatchObject({ status: 422, body: { code: 'workspace.quota' } });
  expect(await put(1, 'yy')).toMatchObject({ status: 200 });
});
