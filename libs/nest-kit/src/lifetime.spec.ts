// SPDX-License-Identifier: Apache-2.0
import { Lifetime, type LifetimePlan, type Worker } from './lifetime.ts';

const worker = (name: string, events: string[]): Worker => ({
  start: () => void events.push(`start ${name}`),
  stop: async () => {
    events.push(`stop ${name}`);
    await Promise.resolve();
    events.push(`stopped ${name}`);
  },
});

/** Returns all events of a process with this plan, from its start to its end. */
async function lived(plan: Omit<LifetimePlan, 'workers'>, events: string[]): Promise<string[]> {
  const { stop } = worker('c', events);
  const lifetime = new Lifetime({ workers: [worker('a', events), worker('b', events), { stop }], ...plan });
  await lifetime.onApplicationBootstrap();
  await lifetime.onModuleDestroy();
  events.push('no API answers');
  await lifetime.onApplicationShutdown();
  return events;
}

const STOP = ['stop a', 'stop b', 'stop c', 'stopped a', 'stopped b', 'stopped c'];

test('workers start in order, stop together before the APIs close, and connections close last', async () => {
  const events: string[] = [];
  expect(await lived({ close: async () => void events.push('close') }, events)).toEqual([
    'start a',
    'start b',
    ...STOP,
    'no API answers',
    'close',
  ]);
});

test('a process that drains decides when its workers stop', async () => {
  const events: string[] = [];
  const drain: LifetimePlan['drain'] = async (stopWorkers) => {
    events.push('release');
    await stopWorkers();
    events.push('give back');
  };
  expect(await lived({ drain }, events)).toEqual([
    'start a',
    'start b',
    'release',
    ...STOP,
    'give back',
    'no API answers',
  ]);
});
