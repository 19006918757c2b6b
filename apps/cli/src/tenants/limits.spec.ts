// SPDX-License-Identifier: Apache-2.0
import type { TenantLimitsView } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

const LIMITS: TenantLimitsView = {
  tenant_id: IDS.tenant,
  requests_per_second: null,
  request_burst: 50,
  weight: 3,
  running_max: 64,
  waiting_max: 1_000,
  files_max: 10,
  bytes_max: null,
  outputs_bytes_max: 1_000_000,
  files: 3,
  bytes: 4_096,
  outputs_bytes: 70_000,
  changed_at: 1_767_225_600_000,
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(() => ({ body: LIMITS }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

const run = (...args: string[]) => writ(['tenant', 'limits', ...args], { env: api.env });

test('`writ tenant limits` without options shows the limits and sets nothing', async () => {
  const { exit, out } = await run(IDS.tenant);
  expect(exit).toBe(0);
  expect(out).toMatch(/requests\/second +as the orchestrator is configured/);
  expect(out).toMatch(/requests\/second of a person +any number/);
  expect(out).toMatch(/files +3 of 10\n/);
  expect(out).toMatch(/bytes +4096 of any number/);
  expect(out).toMatch(/bytes of outputs +70000 of 1000000/);
  expect(out).toMatch(/set +2026-01-01T00:00:00Z/);
  expect(api.requests).toMatchObject([{ method: 'GET', url: `/v1/tenants/${IDS.tenant}/limits` }]);
});

test('`writ tenant limits` sets only the limits that options name', async () => {
  await run(
    IDS.tenant,
    '--weight',
    '3',
    '--requests-per-second',
    'default',
    '--waiting-max',
    '500',
    '--person-requests-per-second',
    '5',
    '--person-request-burst',
    'none',
    '--files-max',
    'none',
    '--bytes-max',
    '5000000000',
    '--outputs-bytes-max',
    '16777216',
  );
  expect(api.requests[0]).toMatchObject({ method: 'PATCH' });
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
    requests_per_second: null,
    person_requests_per_second: 5,
    person_request_burst: null,
    weight: 3,
    waiting_max: 500,
    files_max: null,
    bytes_max: 5_000_000_000,
    outputs_bytes_max: 16_777_216,
  });
});

test.each([
  [['--weight', '0']],
  [['--running-max', 'default']],
  [['--waiting-max', '1.5']],
  [['--request-burst', '-1']],
  [['--files-max', 'default']],
  [['--bytes-max', '1e9']],
])('%j is refused before anything is sent', async (args) => {
  expect((await run(IDS.tenant, ...args)).exit).toBe(2);
  expect(api.requests).toEqual([]);
});
