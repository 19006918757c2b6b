// SPDX-License-Identifier: Apache-2.0
// The pages of workspaces, on a real stack: files of any state, time travel, differences, restores and archives.
import { readFile } from 'node:fs/promises';
import { vi } from 'vitest';
import { ConsoleStack, NARROW, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const HOSTILE = 'bad\u202Egnp.exe';
const MARKUP = '<img src=x onerror=alert(1)>';
/** The most bytes that the page shows are 2 MiB. */
const LARGE = 'x'.repeat(2 * 1024 * 1024 + 1);

/** What an element of the browser has. */
interface Widths {
  readonly scrollWidth: number;
  readonly clientWidth: number;
}

let stack: ConsoleStack;
let operator: Person;
let home: string;
beforeAll(async () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`many/file-${String(at)}.txt`, 'x']));
  stack = await ConsoleStack.open({ files: { 'src/main.ts': 'const a = 1;\nlog(a);\n', 'large.txt': LARGE, ...many } });
  const { world } = stack;
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: [{ path: 'binary.bin', content: Buffer.from([0, 1, 2]).toString('base64'), encoding: 'base64' }],
  });
  await world.call('fs.write', { path: 'src/main.ts', content: 'const a = 2;\nlog(a);\n' });
  await world.call('fs.write', { path: HOSTILE, content: `${MARKUP}\n\u001B[31mred\u202E\n` });
  operator = await stack.person('ola', 'operator', '/workspaces');
  home = `/workspaces/${world.workspaceId}`;
});
afterAll(async () => {
  await stack?.close();
});

const open = async (search = ''): Promise<Person['page']> => {
  await operator.page.goto(`${stack.url}/console${home}${search}`);
  await operator.page.getByRole('tree').waitFor();
  return operator.page;
};
const ofUrl = (name: string): string | null => new URL(operator.page.url()).searchParams.get(name);
const stateButton = (text: string | RegExp) =>
  operator.page.getByRole('region', { name: 'History' }).getByRole('button', { name: text });

it('the keyboard alone opens directories of a large tree and reads a file', async () => {
  const page = await open();
  await page.getByRole('tree').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  const last = page.getByRole('treeitem', { name: 'file-99.txt' });
  await page.getByRole('treeitem', { name: 'file-0.txt' }).waitFor();
  expect(await page.getByRole('treeitem').count()).toBeLessThan(200);
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await page.keyboard.type('file-99');
  await last.waitFor();
  await page.keyboard.press('Home');
  await page.keyboard.type('src');
  await page.keyboard.press('ArrowRight');
  await page.getByRole('treeitem', { name: 'main.ts' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Content' }).getByText('const a = 2;').waitFor();
  expect(ofUrl('path')).toBe('src/main.ts');
  expect(operator.troubles).toEqual([]);
});

it('hostile names and contents are shown as codes, and files that are no text are said to be so', async () => {
  const page = await open(`?path=${encodeURIComponent(HOSTILE)}`);
  const content = page.getByRole('region', { name: 'Content' });
  expect(await content.innerText()).toContain(`${MARKUP}\nU+001B[31mredU+202E`);
  expect(await page.getByRole('treeitem', { selected: true }).innerText()).toContain('badU+202Egnp.exe');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download', exact: true }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe('bad_gnp.exe');
  await open('?path=binary.bin');
  await page.getByText('This is a binary file').waitFor();
  await open('?path=large.txt');
  await page.getByText('Files of up to 2 MiB are shown').waitFor();
  expect(await page.locator('main img').count()).toBe(0);
  expect(operator.troubles).toEqual([]);
});

it('each state shows its files and what its call changed, and the address names it', async () => {
  const page = await open('?path=src%2Fmain.ts');
  await stateButton('Uploaded').first().click();
  await page.getByRole('region', { name: 'Content' }).getByText('const a = 1;').waitFor();
  expect(ofUrl('at')).toMatch(/^snap_[0-9a-f]{64}$/);
  await page.keyboard.press('k');
  await page.getByRole('region', { name: 'Content' }).getByText('const a = 2;').waitFor();
  await page.getByRole('button', { name: 'Changes' }).click();
  await page.getByText('const a = 1;').waitFor();
  expect(await page.getByRole('heading', { name: 'src/main.ts' }).isVisible()).toBe(true);
  await page.reload();
  await page.getByText('const a = 1;').waitFor();
  await page.getByLabel('Compare with').selectOption({ label: 'State 1 Uploaded' });
  await page.getByRole('heading', { name: 'binary.bin' }).waitFor();
  expect(ofUrl('from')).toMatch(/^snap_/);
  await page.getByRole('link', { name: /^op_/ }).first().click();
  await page.getByRole('heading', { name: 'fs.write' }).waitFor();
  expect(operator.troubles).toEqual([]);
});

it('an archive of a state is saved as a file', async () => {
  const page = await open();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download all (tar)' }).click(),
  ]);
  const archive = await readFile(await saved.path());
  expect(archive.subarray(257, 262).toString()).toBe('ustar');
  expect(archive.includes('src/main.ts')).toBe(true);
  expect(operator.troubles).toEqual([]);
});

it('a restore says what it takes back and what stays, and makes a state with its own record', async () => {
  const page = await open();
  await stateButton('Uploaded').first().click();
  await page.getByRole('button', { name: 'Restore this state' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('1 path gets its earlier content').waitFor();
  await dialog.getByText('1 path that was added is deleted').waitFor();
  await dialog.getByText('Requests that left Writ').waitFor();
  // The head moves while somebody reads: what they read is not what would happen, so it is refused.
  await stack.world.call('fs.write', { path: 'new.txt', content: 'new' });
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await dialog.getByRole('alert').getByText('the head is').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Restore this state' }).click();
  await dialog.getByText('2 paths that were added are deleted').waitFor();
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await stateButton('Restored').waitFor();
  expect(await stack.world.file('src/main.ts')).toBe('const a = 1;\nlog(a);\n');
  expect(await stack.world.file('new.txt')).toBeNull();
  await page.getByRole('link', { name: 'Its record in the log' }).click();
  await page.getByRole('region', { name: 'Records' }).getByRole('link').first().waitFor();
  // The browser itself reports the refusal.
  expect(operator.troubles.filter((trouble) => !trouble.includes('409'))).toEqual([]);
});

it('on a narrow screen nothing is out of reach, and an auditor reads why they can not restore', async () => {
  const { page, troubles } = await stack.person('ada', 'auditor', home, NARROW);
  await page.getByRole('tree').waitFor();
  await page.getByRole('region', { name: 'History' }).getByRole('button', { name: 'Created' }).click();
  await page.getByText('Administrators and operators can restore').waitFor();
  expect(await page.getByRole('button', { name: 'Restore this state' }).isDisabled()).toBe(true);
  const overflow = await page.locator('main').evaluate((main) => {
    const { scrollWidth, clientWidth } = main as unknown as Widths;
    return scrollWidth - clientWidth;
  });
  expect(overflow).toBe(0);
  expect(troubles).toEqual([]);
});
