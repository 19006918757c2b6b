// SPDX-License-Identifier: Apache-2.0
// The pages for auditors, on a real stack: search, one record, the log, exports and files that are dropped.
import { readFile } from 'node:fs/promises';
import { vi } from 'vitest';
import { ConsoleStack, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

/** The stack may be busy; the interval is that of a person. */
const WAIT = { timeout: 20_000, interval: 500 };

let stack: ConsoleStack;
let auditor: Person;
beforeAll(async () => {
  stack = await ConsoleStack.open();
  await stack.world.call('fs.write', { path: 'a.txt', content: 'one\n' });
  auditor = await stack.person('ada', 'auditor', '/evidence');
});
afterAll(async () => {
  await stack?.close();
});

/** What the browser has beyond Node.js. */
interface BrowserGlobals {
  readonly DataTransfer: new () => { readonly items: { add(file: File): void } };
}

const open = async (path: string): Promise<Person['page']> => {
  await auditor.page.goto(`${stack.url}/console${path}`);
  return auditor.page;
};
const receiptOf = async (leaf: number): Promise<string> =>
  (await stack.world.auditor.get(`/v1/records/${String(leaf)}/receipt`)).text;
const fileOf = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });

it('an auditor finds a record by filters that the address keeps, and its page verifies its receipt', async () => {
  const page = await open('/evidence?tool=fs.write&outcome=committed');
  const rows = page.getByRole('region', { name: 'Records' }).getByRole('link');
  await rows.first().waitFor();
  expect(await rows.count()).toBe(1);
  await page.getByLabel('Verdict').selectOption('refused');
  await page.getByText('No record matches these filters').waitFor();
  expect(new URL(page.url()).searchParams.get('verdict')).toBe('refused');
  await page.goBack();
  await open('/evidence?tool=fs.write&outcome=committed');
  await rows.first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByText('The receipt is genuine').waitFor();
  await page.getByText('Tool call, outcome').waitFor();
  expect(auditor.troubles).toEqual([]);
});

it('the checkpoint of the log is shown with who signed it, and verified by the newest record', async () => {
  const page = await open('/evidence/log');
  await page.getByText('the log, by a published key').waitFor();
  await page.getByText('No witness cosigned this checkpoint').waitFor();
  // Records of the stack may still come: then the page says so, and the newest checkpoint is read.
  await expect
    .poll(async () => {
      await page.getByRole('button', { name: 'Read the newest' }).click();
      await page.getByRole('button', { name: 'Verify it by the newest record' }).click();
      await page.getByText(/signature of the checkpoint verifies|The log grew/).waitFor();
      return await page.getByText('signature of the checkpoint verifies').isVisible();
    }, WAIT)
    .toBe(true);
  expect(auditor.troubles).toEqual([]);
});

it('an export is saved as a file, and what the server refuses is said in words', async () => {
  const page = await open('/evidence/exports');
  await page.getByLabel('At most').fill('2');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).first().click(),
  ]);
  expect(saved.suggestedFilename()).toBe('records-receipt.ndjson');
  const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\n');
  expect(lines.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([
    expect.arrayContaining(['envelope', 'inclusion']),
    expect.arrayContaining(['envelope', 'inclusion']),
  ]);
  expect(auditor.troubles).toEqual([]);
});

it('dropped receipts are verified with published keys, or with keys that are dropped too', async () => {
  const page = await open('/evidence/verify');
  const genuine = await receiptOf(1);
  const input = page.getByLabel('Choose files');
  await input.setInputFiles([
    fileOf('genuine.json', genuine),
    fileOf('<img src=x onerror=alert(1)>\u202Enosj.json', genuine.replace('"inclusion"', '"inclusions"')),
  ]);
  const result = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  await result('genuine.json').getByText('The receipt is genuine').waitFor();
  await result('img src=x').getByText('The receipt is not verified').waitFor();
  expect(await result('img src=x').getByRole('heading').innerText()).toContain('<img src=x onerror=alert(1)>U+202E');
  const keys = (await stack.world.auditor.get('/.well-known/writ-keys.json')).text;
  const others = JSON.stringify({ ...(JSON.parse(keys) as object), record_keys: [] });
  await input.setInputFiles([fileOf('mine.json', others)]);
  await page.getByText('Verified with your file mine.json').waitFor();
  await result('genuine.json').getByText('The receipt is not verified').waitFor();
  await page.getByRole('button', { name: 'Use the published keys' }).click();
  await result('genuine.json').getByText('The receipt is genuine').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(auditor.troubles).toEqual([]);
});

it('files are taken by drag and drop', async () => {
  const page = await open('/evidence/verify');
  const zone = page.getByRole('heading', { name: 'Drop receipts here' });
  const data = await page.evaluateHandle(
    (text) => {
      const files = new (globalThis as unknown as BrowserGlobals).DataTransfer();
      files.items.add(new File([text], 'dropped.json'));
      return files;
    },
    await receiptOf(1),
  );
  await zone.dispatchEvent('dragover', { dataTransfer: data });
  await zone.dispatchEvent('drop', { dataTransfer: data });
  await page.getByRole('heading', { name: 'dropped.json' }).waitFor();
  await page.getByText('The receipt is genuine').waitFor();
  expect(auditor.troubles).toEqual([]);
});
