// SPDX-License-Identifier: Apache-2.0
// Policy, capability tokens, tools and MCP servers in a real browser, on a whole Writ.
import { openFakeInternet, type FakeInternet } from '@writ/stack';
import { answerByFetch } from '@writ/testing';
import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { issuesServer } from '../issues-server.ts';
import { ConsoleStack, NARROW, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } });

const MARKUP = '<img src=x onerror="document.title=1">';
const HOSTILE = `${MARKUP} \u202Egnp.exe\u0007`;
const RULES = `@id("no_env") @reason("${HOSTILE.replaceAll('"', '\\"')}") @would_pass("another file")
forbid (principal, action == Action::"fs.read", resource is File)
when { resource.path == ".env" };

@id("all") @reason("everything else is permitted")
permit (principal, action, resource);
`;
const URL_OF_SERVER = 'https://mcp.outside.example/issues';

let stack: ConsoleStack;
let internet: FakeInternet;
let admin: Person;
const issues = issuesServer();

beforeAll(async () => {
  internet = await openFakeInternet((request, response) => {
    const parts: Buffer[] = [];
    request
      .on('data', (part: Buffer) => parts.push(part))
      .on('end', () => {
        const read = { method: request.method, headers: request.headers, body: Buffer.concat(parts).toString() };
        void answerByFetch((asked) => issues.fetch(asked), new URL(URL_OF_SERVER), read, response);
      });
  });
  stack = await ConsoleStack.open({
    files: { 'a.txt': 'one\n', '.env': 'KEY=1\n' },
    budgets: { calls: 50 },
    programs: { executor: [internet.program] },
    executor: internet.env,
  });
  const { world } = stack;
  await world.call('fs.read', { path: '.env' });
  await world.call('fs.read', { path: 'a.txt' });
  const settings = { transport: 'http', url: URL_OF_SERVER };
  await world.admin.must('/v1/resources', { kind: 'mcp_server', name: 'issues', settings });
  admin = await stack.person('ann', 'admin', '/policy');
});
afterAll(async () => {
  await stack?.close();
  internet?.close();
});
/** Refusals are a part of these tests, and the browser reports each. */
const troublesOf = ({ troubles }: Person): readonly string[] =>
  troubles.filter((text) => !/^Failed to load resource: .* status of 4(09|22) /u.test(text));
afterEach(() => {
  expect(troublesOf(admin)).toEqual([]);
});

const open = async (at: string): Promise<Page> => {
  await admin.page.goto(`${stack.url}/console${at}`);
  return admin.page;
};
const dialog = (page: Page) => page.getByRole('dialog');

/** Replaces what the editor has. */
async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Rules, as Cedar' }).click();
  await page.keyboard.press('Control+a');
  // Typed over a selection, as a person does, and no key of the console.
  await page.keyboard.press('/');
  await page.keyboard.press('Backspace');
  await page.keyboard.insertText(text);
}

it('a set is checked as it is typed, stored, backtested, put into force and rolled back', async () => {
  const page = await open('/policy/edit');
  await write(page, `${RULES}\nforbid (principal, action, resource) when { context.nothing };`);
  const problem = page.getByRole('button', { name: /^line 8, column/ }).first();
  await problem.waitFor();
  expect(await page.getByRole('button', { name: 'Store' }).isDisabled()).toBe(true);
  await problem.click();
  // Letters belong to the editor, though its field is in a shadow root: `/` and `j` do nothing else.
  await page.keyboard.type('// j');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await write(page, RULES);
  const settings = { v: 1, name: 'team', description: HOSTILE };
  await page.getByRole('textbox', { name: 'Settings, as JSON' }).fill(JSON.stringify(settings));
  await page.getByText('The set is valid').waitFor();
  // What is not seen is shown by its code in the editor, too.
  expect(await page.locator('.writ-unseen').allInnerTexts()).toEqual(['U+202E', 'U+0007']);
  await page.getByRole('button', { name: 'Store' }).click();
  await dialog(page).getByRole('button', { name: 'Store the set' }).click();

  await page.getByRole('heading', { name: 'team@1' }).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.getByText('U+202E').count()).toBeGreaterThan(0);
  await page.getByText('rules differ').waitFor();
  await page.getByRole('button', { name: 'Run the backtest' }).click();
  await page.getByRole('row', { name: 'fs.read Autopilot Refused stricter 1' }).waitFor();
  await page.getByRole('button', { name: 'Activate' }).click();
  await dialog(page).getByText('1 decision would be different').waitFor();
  await dialog(page).getByRole('textbox').fill('secrets stay unread');
  await dialog(page).getByRole('button', { name: 'Activate this set' }).click();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  expect((await stack.world.call('fs.read', { path: '.env' })).body).toMatchObject({
    error: { code: 'policy.denied' },
  });

  await open('/policy');
  await page.getByText('secrets stay unread').first().waitFor();
  await page.getByRole('button', { name: 'Roll back' }).click();
  await dialog(page).getByRole('button', { name: 'Roll back' }).click();
  await expect.poll(async () => (await stack.world.admin.get('/v1/policies')).body.active.name).toBe('default');
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
});

it('a call is simulated under a set, and nothing is decided', async () => {
  const page = await open('/policy/team');
  await page.getByRole('combobox', { name: 'Agent' }).selectOption({ label: 'fixer' });
  await page.getByRole('combobox', { name: 'Capability token' }).selectOption(stack.world.tokenId);
  await page.getByRole('combobox', { name: 'Tool' }).selectOption('fs.read');
  await page.getByLabel('Arguments, as JSON').fill('{"path": ".env"}');
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText('It would be refused').waitFor();
  await page.getByLabel('Arguments, as JSON').fill('no JSON');
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText('The arguments are not a JSON object.').waitFor();
});

it('an operator reads policy, and sees why they can change nothing', async () => {
  const { page, troubles, context } = await stack.person('olga', 'operator', '/policy/team');
  await page.getByText('Only administrators store and activate policy sets').waitFor();
  expect(await page.getByRole('button', { name: 'Activate' }).isDisabled()).toBe(true);
  await page.goto(`${stack.url}/console/tokens/${stack.world.tokenId}`);
  expect(await page.getByRole('button', { name: 'Narrow' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Revoke' }).isDisabled()).toBe(false);
  expect(troubles).toEqual([]);
  await context.close();
});

it('a token is narrowed, stands below the one that it was made of, and is revoked', async () => {
  const page = await open('/tokens');
  await page.getByRole('img', { name: /^Calls: \d+ of 50 used$/ }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Narrow' }).click();
  const tools = dialog(page).getByRole('textbox', { name: /^Tools/ });
  await tools.fill('mail.*');
  await dialog(page).getByRole('button', { name: 'Make the token' }).click();
  await dialog(page).getByRole('alert').waitFor();
  expect(await tools.inputValue()).toBe('mail.*');
  await tools.fill('fs.read');
  await dialog(page)
    .getByRole('textbox', { name: /^Files/ })
    .fill('r a.txt');
  await dialog(page).getByLabel('Calls').fill('5');
  await dialog(page).getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('Made from').waitFor();
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);

  await page.getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByText('This cannot be undone').waitFor();
  await dialog(page).getByRole('button', { name: 'Revoke the token' }).click();
  await page.getByText('Revoked', { exact: true }).first().waitFor();
  await open('/tokens?ended=true');
  const rows = page.getByRole('region', { name: 'Capability tokens' }).getByRole('listitem');
  await expect.poll(() => rows.count()).toBe(2);
  expect(await rows.nth(1).innerText()).toMatch(/└[\s\S]*fs\.read[\s\S]*Revoked/);
});

it('a definition of an MCP server is reviewed, and its difference is shown when the server changes it', async () => {
  const page = await open('/mcp-servers');
  await page.getByRole('link', { name: /issues/ }).click();
  const tool = page.getByRole('article', { name: 'create_issue' });
  const state = async (expected: string): Promise<void> => {
    await expect.poll(async () => (await tool.count()) > 0 && (await tool.innerText()).includes(expected)).toBe(true);
  };
  await state('New');
  await tool.getByRole('button', { name: 'Accept' }).click();
  await dialog(page).getByRole('button', { name: 'Accept this definition' }).click();
  await state('Accepted');
  issues.describe(`Creates an issue. ${MARKUP}`);
  await page.getByRole('button', { name: 'List its tools again' }).click();
  await state('Changed');
  await tool.getByText('From the accepted definition to the offered one').waitFor();
  expect(await tool.locator('tr').filter({ hasText: 'onerror' }).innerText()).toContain('<img src=x');
  expect(await page.locator('img').count()).toBe(0);
  await tool.getByRole('button', { name: 'Refuse' }).click();
  await dialog(page).getByRole('button', { name: 'Refuse this definition' }).click();
  await state('Refused');
});

it('every page fits 360 pixels, and tools are found by a text', async () => {
  await admin.page.setViewportSize(NARROW);
  for (const at of [
    '/policy',
    '/policy/team',
    '/policy/edit',
    '/tokens',
    '/mcp-servers/issues',
    '/tools?find=fs.read',
  ]) {
    const page = await open(at);
    await page.locator('main h1').waitFor();
    await expect.poll(() => page.locator('main [class*="skeleton"]').count()).toBe(0);
    expect([at, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([at, NARROW.width]);
  }
  await admin.page
    .getByRole('link', { name: /fs\.read/ })
    .first()
    .click();
  await admin.page.getByText('JSON Schema of the arguments').waitFor();
});
