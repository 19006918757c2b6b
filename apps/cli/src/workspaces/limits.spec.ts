// SPDX-License-Identifier: Apache-2.0
import type { WorkspaceLimits } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const LIMITS: WorkspaceLimits = { workspace_id: IDS.workspace, files_max: 10, bytes_max: null, files: 3, bytes: 4_096 };

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(() => ({ body: LIMITS }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

const run = (...args: string[]) =>
  writ(['workspace', 'limits', '--workspace', IDS.workspace, ...args], { env: api.env });

test('`writ workspace limits` without options shows quota and usage, and sets nothing', async () => {
  const { exit, out } = await run();
  expect(exit).toBe(0);
  expect(out).toMatch(/files +3 of 10\n/);
  expect(out).toMatch(/bytes +4096 of any number/);
  expect(api.requests).toMatchObject([{ method: 'GET', url: `/v1/workspaces/${IDS.workspace}/limits` }]);
});

test('options set limits, `none` removes one, and invalid values are refused before anything is sent', async () => {
  await run('--files-max', 'none', '--bytes-max', '0');
  expect(api.requests[0]).toMatchObject({ method: 'PATCH' });
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({ files_max: null, bytes_max: 0 });
  expect((await run('--files-max', '-1')).exit).toBe(2);
  expect(api.requests).toHaveLength(1);
});
