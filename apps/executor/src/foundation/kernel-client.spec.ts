// SPDX-License-Identifier: Apache-2.0
import { memoryBus, type Bus } from '@writ/bus';
import { Fault, formatId, REDEMPTION_MEMBERS, subjectsOf, type AnnouncedRequests } from '@writ/contract';
import { KernelClient, type Report } from './kernel-client.ts';

const subjects = subjectsOf('test');
const credentials = {
  tenant_id: formatId('tenant', new Uint8Array(16).fill(1)),
  operation_id: formatId('operation', new Uint8Array(16).fill(4)),
  attempt: 1,
  mode: 'run',
  executor_id: formatId('executor', new Uint8Array(16).fill(2)),
  nonce: '0'.repeat(32),
} as const;
const announced: AnnouncedRequests = { seq: 0, from: 0, items: [] };
const granted = { v: 1, lease_until: 0, stop: false };
const settled = { v: 1, state: 'committed', tx_outcome: 'committed' };
const uncounted = { wall_ms: 1, cpu_ms: 1, memory_peak_bytes: 1, disk_write_bytes: 1, output_bytes: 1 };
const report: Report = {
  ended: 'exited',
  exit_code: 0,
  error: null,
  delta: null,
  delta_ref: null,
  contents: [],
  result: null,
  result_ref: null,
  result_hash: '0'.repeat(64),
  requests: [],
  usage: { ...uncounted, counted_by: 'agent' },
};

let bus: Bus;
let requests: unknown[];
let refused: Fault;
beforeEach(async () => {
  [bus, requests] = [memoryBus({ now: () => 0 }), []];
  await bus.serve(subjects.request('kernel.effect_started'), {
    queue: 'kernel',
    concurrencyMax: 1,
    handler: ({ payload }) => {
      requests.push(payload);
      return typeof payload === 'object' && payload !== null && 'announced' in payload
        ? Promise.reject(refused)
        : Promise.resolve(granted);
    },
  });
  await bus.serve(subjects.request('kernel.report'), {
    queue: 'kernel',
    concurrencyMax: 1,
    handler: ({ payload }) => {
      requests.push(payload);
      return 'counted_by' in (payload as { usage: object }).usage ? Promise.reject(refused) : Promise.resolve(settled);
    },
  });
});
afterEach(() => bus.close());

const announce = () => new KernelClient(bus, subjects, () => 0).effectStarted(credentials, 10_000, announced);

it("an announcement that a kernel of the previous version rejects is repeated in that version's form", async () => {
  refused = new Fault('request.malformed', '`/announced` is not known here', { pointer: '/announced' });
  expect(await announce()).toEqual(granted);
  expect(requests).toEqual([
    { v: 1, ...credentials, announced },
    { v: 1, ...credentials },
  ]);
});

it.each([
  new Fault('request.malformed', 'is too long', { pointer: '/announced/items/0/target' }),
  new Fault('attempt.fenced'),
  new Fault('internal', '', { pointer: '/announced' }),
])('an announcement is not repeated for another refusal: %s', async (fault) => {
  refused = fault;
  await expect(announce()).rejects.toMatchObject({ code: fault.code });
  expect(requests).toHaveLength(1);
});

describe('a redemption', () => {
  const redeem = async (knows: boolean) => {
    await bus.serve(subjects.request('kernel.redeem'), {
      queue: 'kernel',
      concurrencyMax: 1,
      handler: ({ payload }) => {
        requests.push(payload);
        const isRefused = !knows && 'knows' in (payload as object);
        return Promise.reject(
          isRefused ? new Fault('request.malformed', 'unknown', { pointer: '/knows' }) : new Fault('permit.spent'),
        );
      },
    });
    const client = new KernelClient(bus, subjects, () => 0);
    const permit = { payload: '' } as never;
    await expect(client.redeem(permit, credentials.executor_id, credentials.nonce, 10_000)).rejects.toMatchObject({
      code: 'permit.spent',
    });
    return requests.map((request) => (request as { knows?: unknown }).knows);
  };

  it('is asked for with the members that this executor knows', async () => {
    expect(await redeem(true)).toEqual([[...REDEMPTION_MEMBERS]]);
  });

  it('is asked of a kernel of the previous version as before', async () => {
    expect(await redeem(false)).toEqual([[...REDEMPTION_MEMBERS], undefined]);
  });
});

describe('a report with `counted_by`', () => {
  const send = () => new KernelClient(bus, subjects, () => 0).report(credentials, report, 10_000);

  it('is repeated without the member for a kernel of the previous version', async () => {
    refused = new Fault('request.malformed', '`/usage/counted_by` is not known here', { pointer: '/usage/counted_by' });
    expect(await send()).toEqual(settled);
    expect(requests).toEqual([
      { v: 1, ...credentials, ...report },
      { v: 1, ...credentials, ...report, usage: uncounted },
    ]);
  });

  it.each([
    new Fault('request.malformed', '', { pointer: '/usage/cpu_ms' }),
    new Fault('attempt.fenced'),
    new Fault('internal', '', { pointer: '/usage/counted_by' }),
  ])('is not repeated for another refusal: %s', async (fault) => {
    refused = fault;
    await expect(send()).rejects.toMatchObject({ code: fault.code });
    expect(requests).toHaveLength(1);
  });
});
