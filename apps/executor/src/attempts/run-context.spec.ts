// SPDX-License-Identifier: Apache-2.0
import { memoryBus } from '@writ/bus';
import { formatId, subjectsOf } from '@writ/contract';
import { InlineTaskRunner } from '@writ/worker-pool';
import { executorTasks } from '../calls/worker-tasks.ts';
import { KernelClient } from '../foundation/kernel-client.ts';
import { Lease } from './lease.ts';
import { runContextOf } from './run-context.ts';

const credentials = {
  tenant_id: formatId('tenant', new Uint8Array(16).fill(1)),
  operation_id: formatId('operation', new Uint8Array(16).fill(4)),
  attempt: 1,
  mode: 'run',
  executor_id: formatId('executor', new Uint8Array(16).fill(2)),
  nonce: '0'.repeat(32),
} as const;

it('an announcement whose answer is lost ends after two seconds, so that the gate can repeat it', async () => {
  const [bus, subjects] = [memoryBus({ now: Date.now }), subjectsOf('test')];
  let requests = 0;
  const lost = Promise.withResolvers<never>();
  await bus.serve(subjects.request('kernel.effect_started'), {
    queue: 'kernel',
    concurrencyMax: 2,
    handler: () => (++requests === 1 ? lost.promise : Promise.resolve({ v: 1, lease_until: 0, stop: false })),
  });
  const monotonic = (): number => performance.now();
  const { announceEffectStarted } = runContextOf(
    { kernel: new KernelClient(bus, subjects, Date.now), work: new InlineTaskRunner(executorTasks), monotonic },
    credentials,
    new Lease(monotonic, monotonic(), 15_000),
    [],
  );
  const beganAt = monotonic();
  await expect(announceEffectStarted(null)).rejects.toMatchObject({ code: 'deadline' });
  expect(monotonic() - beganAt).toBeLessThan(4_000);
  await announceEffectStarted(null);
  expect(requests).toBe(2);
  lost.reject(new Error('the test is over'));
  await bus.close();
});
