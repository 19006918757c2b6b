// SPDX-License-Identifier: Apache-2.0
import { memoryBus, type Bus } from '@writ/bus';
import { Fault, formatId, subjectsOf, type AnnouncedRequests } from '@writ/contract';
import { KernelClient } from './kernel-client.ts';

const subjects = subjectsOf('test');
const speaker = {
  tenant_id: formatId('tenant', new Uint8Array(16).fill(1)), operation_id: formatId('operation', new Uint8Array(16).fill(4)), attempt: 1, mode: 'run',
  executor_id: formatId('executor', new Uint8Array(16).fill(2)), nonce: '0'.repeat(32),
} as const;
const announced: AnnouncedRequests = { seq: 0, from: 0, items: [] };
const granted = { v: 1, lease_until: 0, stop: false };

let bus: Bus;
let asked: unknown[];
let refused: Fault;
beforeEach(async () => {
  [bus, asked] = [memoryBus({ now: () => 0 }), []];
  await bus.serve(subjects.request('kernel.effect_started'), { queue: 'kernel', concurrencyMax: 1, handler: ({ payload }) => {
    asked.push(payload);
    return typeof payload === 'object' && payload !== null && 'announced' in payload ? Promise.reject(refused) : Promise.resolve(granted);
  } });
});
afterEach(() => bus.close());

const announce = () => new KernelClient(bus, subjects, () => 0).effectStarted(speaker, 10_000, announced);

it('asks a kernel of the version before as that one knows it', async () => {
  refused = new Fault('request.malformed', '`/announced` is not known here', { pointer: '/announced' });
  expect(await announce()).toEqual(granted);
  expect(asked).toEqual([{ v: 1, ...speaker, announced }, { v: 1, ...speaker }]);
});

it.each([
  new Fault('request.malformed', 'is too long', { pointer: '/announced/items/0/target' }), new Fault('attempt.fenced'), new Fault('internal', '', { pointer: '/announced' }),
])('takes no for an answer: %s', async (fault) => {
  refused = fault;
  await expect(announce()).rejects.toMatchObject({ code: fault.code });
  expect(asked).toHaveLength(1);
});
