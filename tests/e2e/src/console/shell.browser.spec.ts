// SPDX-License-Identifier: Apache-2.0
// What holds for every page of the console: who sees it, how large and how fast it is, and that everybody can use it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { ConsoleStack, NARROW, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Compressed script at the first load, in bytes. */
const SCRIPT_BYTES_MAX = 200_000;
/** From the first request to a page that takes input, in milliseconds. */
const INTERACTIVE_MS_MAX = 1_500;
/** 10 Mbit/s, 40 ms, and a processor a quarter as fast. */
const SLOW = { offline: false, latency: 40, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
const SLOW_PROCESSOR = 4;

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

let stack: ConsoleStack;
let pages: readonly string[];
beforeAll(async () => {
  stack = await ConsoleStack.open({ files: { 'a.txt': 'one\n' }, budgets: { calls: 1_000 } });
  await stack.world.call('fs.write', { path: 'd/a.txt', content: 'a\n' });
  const { body: held } = await stack.world.call('shell.run', { command: 'rm -rf d' });
  const { body: read } = await stack.world.call('fs.read', { path: 'a.txt' });
  pages = [
    '/approvals',
    `/approvals/${held.approval_id as string}`,
    '/activity',
    `/activity/${read.operation_id as string}`,
  ];
});
afterAll(async () => {
  await stack?.close();
});

const goTo = async ({ page }: Person, path: string): Promise<void> => {
  await page.goto(`${stack.url}/console${path}`);
  await page.locator('#page-title').waitFor();
};

/** What axe-core finds that keeps people out. The page's policy allows no script from elsewhere, so it is evaluated. */
async function seriousOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: Violation[] }>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

it('who is not signed in is led to the sign-in, and back to the page', async () => {
  const context = await stack.newContext();
  const page = await context.newPage();
  await page.goto(`${stack.url}/console/activity`);
  const link = page.getByRole('link', { name: 'Sign in' });
  expect(await link.getAttribute('href')).toBe('/sign-in?to=%2Fconsole%2Factivity');
  await link.click();
  await page.waitForURL(`${stack.url}/sign-in**`);
  await context.close();
});

it.each(['light', 'dark'] as const)('axe finds nothing serious on any page in %s colours', async (colorScheme) => {
  const person = await stack.person('ann', 'operator');
  await person.page.emulateMedia({ colorScheme });
  for (const path of pages) {
    await goTo(person, path);
    expect([path, await seriousOf(person.page)]).toEqual([path, []]);
  }
});

it('no page is wider than a small screen', async () => {
  const person = await stack.person('ann', 'operator', '/approvals', NARROW);
  for (const path of pages) {
    await goTo(person, path);
    const [wide, shown] = await person.page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect([path, wide]).toEqual([path, shown]);
  }
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
    await goTo(person, '/approvals');
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

it('the palette leads to a page by its name and to a thing by its id', async () => {
  const { page, troubles } = await stack.person('ann', 'operator');
  await page.locator('#page-title').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('activ');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/console/activity');
  await page.keyboard.press('/');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(pages[3]?.split('/').at(-1) ?? '');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/console${pages[3] ?? ''}`);
  expect(troubles).toEqual([]);
});

it("a call's receipt is verified in the page", async () => {
  const person = await stack.person('ann', 'auditor');
  await goTo(person, pages[3] ?? '');
  await person.page.getByText('Admitted', { exact: true }).waitFor();
  // A receipt is there once the log's next checkpoint has its record.
  await vi.waitFor(async () => {
    await person.page.getByRole('button', { name: 'Verify the receipt' }).click();
    await person.page.getByText('The receipt is genuine').waitFor({ timeout: 5_000 });
  }, 30_000);
  expect(person.troubles.filter((text) => !text.includes('404') && !text.includes('409'))).toEqual([]);
});
