// SPDX-License-Identifier: Apache-2.0
import { Repeated } from './repeated.ts';

test('runs again and again, never twice at once, whatever the task throws, until it is stopped', async () => {
  let running = 0;
  let runs = 0;
  const reported: unknown[] = [];
  await new Promise<void>((enough) => {
    const repeated = new Repeated(async () => {
      expect(++running).toBe(1);
      await new Promise((resolve) => { setImmediate(resolve); });
      running--;
      if (++runs === 3) void repeated.stop().then(enough);
      throw new Error(`run ${String(runs)}`);
    }, 1, (error) => reported.push(error));
    repeated.start();
  });
  expect(runs).toBe(3);
  expect(reported).toHaveLength(3);
});

test('stopped before its first run it never runs', async () => {
  const repeated = new Repeated(() => { throw new Error('ran'); }, 1, (error) => { throw error; });
  repeated.start();
  await repeated.stop();
  await new Promise((resolve) => { setTimeout(resolve, 10); });
});
