// SPDX-License-Identifier: Apache-2.0
import { PodMeter } from './pod-meter.ts';

const SIZE = { memoryBytes: 1_000, cpus: 2, pids: 1, tmpfsBytes: 1 };
const told = (cpuMs: number, memoryPeakBytes = 1, outOfMemory: boolean | null = null) =>
  ({ type: 'usage', cpuMs, memoryPeakBytes, outOfMemory }) as const;

let now: number;
let meter: PodMeter;
beforeEach(async () => {
  now = 5_000;
  meter = new PodMeter(SIZE, () => now);
  await meter.begin();
  now += 1_000;
});

test("the meter uses the agent's report", async () => {
  meter.report(told(300, 400, true));
  expect(await meter.cpuMs()).toBe(300);
  expect(await meter.read()).toEqual({ cpuMs: 300, memoryPeakBytes: 400, outOfMemory: true, countedBy: 'agent' });
});

test('the meter caps a report at what the limits permit', async () => {
  meter.report(told(9_999, 9_999));
  expect(await meter.cpuMs()).toBe(2_000);
  expect(await meter.read()).toMatchObject({ cpuMs: 2_000, memoryPeakBytes: 1_000 });
});

test('a report counts only for a moment once its agent is silent', async () => {
  meter.report(told(1));
  now += 1_999;
  expect(await meter.cpuMs()).toBe(1);
  now += 2;
  expect(await meter.cpuMs()).toBeNull();
});

test('without a report the meter charges the maximum, and says that nobody counted it', async () => {
  expect(await meter.cpuMs()).toBeNull();
  expect(await meter.read()).toEqual({
    cpuMs: 2_000,
    memoryPeakBytes: 0,
    outOfMemory: null,
    countedBy: 'agent',
    isAssumed: true,
  });
});
