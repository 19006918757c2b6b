// SPDX-License-Identifier: Apache-2.0
import { freePort } from './free-port.ts';

test('no port is given twice, even while nobody listens on it yet', async () => {
  const ports: number[] = [];
  for (let n = 0; n < 500; n += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(500);
});
