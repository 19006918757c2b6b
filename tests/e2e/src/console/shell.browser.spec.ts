// SPDX-License-Identifier: Apache-2.0
// What holds for every page of the console: who sees it, how large and how fast it is, and that everybody can use it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { ConsoleStack, NARROW, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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
