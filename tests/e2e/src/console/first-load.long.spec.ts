// SPDX-License-Identifier: Apache-2.0
// The first load of the console, on a slow network and processor. It measures times: run it with nothing beside it.
import { vi } from 'vitest';
import { ConsoleStack } from './console-stack.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

/** Compressed script at the first load, in bytes. */
const SCRIPT_BYTES_MAX = 200_000;
/** From the first request to a page that takes input, in milliseconds. */
const INTERACTIVE_MS_MAX = 1_500;
/** 10 Mbit/s, 40 ms, and a processor a quarter as fast. */
const SLOW = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
const SLOW_PROCESSOR = 4;

let stack: ConsoleStack;
beforeAll(async () => {
  stack = await ConsoleStack.open();
  await stack.world.call('fs.write', { path: 'd/a.txt', content: 'a\n' });
  await stack.world.call('shell.run', { command: 'rm -rf d' });
});
afterAll(async () => {
  await stack?.close();
});

it('the first load is small, and takes input soon on a slow network and processor', async () => {
  const person = await stack.person('ann', 'operator');
  const cdp = await person.context.newCDPSession(person.page);
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  await cdp.send('Network.emulateNetworkConditions', SLOW);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOW_PROCESSOR });
  const scripts = new Set<string>();
  let bytes = 0;
  cdp.on('Network.responseReceived', ({ requestId, type }) => void (type === 'Script' && scripts.add(requestId)));
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    bytes = 0;
    const began = performance.now();
    await person.page.goto(`${stack.url}/console/approvals`);
    await person.page.locator('main a[href*="/approvals/apr_"]').first().waitFor();
    times.push(performance.now() - began);
  }
  console.log(
    `first load: ${Math.round(bytes / 1_000)} kB of script; interactive after ${times.map(Math.round).join(', ')} ms`,
  );
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
  expect(times.toSorted((a, b) => a - b)[1]).toBeLessThan(INTERACTIVE_MS_MAX);
});
