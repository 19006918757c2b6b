// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { BeyondEffort, Effort } from './effort.ts';

let now = 0;
const newEffort = (bytesMax = 10, wallMs = 1_000): Effort => new Effort({ bytesMax, wallMs }, () => now);
const failing = async (): Promise<never> => await Promise.reject(new Fault('limit.exceeded'));
beforeEach(() => {
  now = 5_000;
});

it('an effort ends at its bytes, and reports how many they were', () => {
  const effort = newEffort();
  effort.countRead(10);
  expect(() => {
    effort.countRead(1);
  }).toThrow(BeyondEffort);
  expect(effort.bytes).toBe(11);
});

it('an effort ends at its time, of which each part gets at most what is left', () => {
  const effort = newEffort();
  expect([effort.atMost(400), effort.atMost(4_000)]).toEqual([400, 1_000]);
  now += 900;
  expect(effort.atMost(400)).toBe(100);
  effort.verify();
  now += 101;
  expect(() => {
    effort.verify();
  }).toThrow(BeyondEffort);
  expect(effort.atMost(400)).toBe(1);
});

it('an effort ends in time even if the work that it waits for never ends', async () => {
  await expect(newEffort(10, 5).within(new Promise(() => undefined))).rejects.toThrow(BeyondEffort);
  expect(await newEffort(10, 5).within(Promise.resolve('done'))).toBe('done');
});

it('a work that the effort ended is distinguished from one that failed by itself', async () => {
  const effort = newEffort();
  await expect(effort.ended(failing())).rejects.toMatchObject({ code: 'limit.exceeded' });
  now += 2_000;
  await expect(effort.ended(failing())).rejects.toThrow(BeyondEffort);
});

it('an effect that is about to commit is examined without such bounds', () => {
  const effort = Effort.unbounded();
  effort.countRead(Number.MAX_SAFE_INTEGER);
  expect(effort.atMost(20_000)).toBe(20_000);
});
