// SPDX-License-Identifier: Apache-2.0
// The administration of a tenant in a browser: what is confirmed there holds for the API at once.
import { vi } from 'vitest';
import { ConsoleStack, NARROW, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

/** Markup, a right-to-left override and a blank of no width, as somebody could type or send them. */
const HOSTILE = '<img src=x onerror="window.ran=1">\u202Egnp.exe\u200B';
const HOSTILE_SHOWN = '<img src=x onerror="window.ran=1">U+202Egnp.exeU+200B';

let stack: ConsoleStack;
beforeAll(async () => {
  stack = await ConsoleStack.open({ files: { 'a.txt': 'one\n' } });
});
afterAll(async () => {
  await stack?.close();
});

/** What a call gets: the code of its refusal; null where it has none. */
const refusalOf = async (): Promise<unknown> => {
  const { body } = await stack.world.call('fs.read', { path: 'a.txt' });
  const answer = body as { code?: string; error?: { code: string } | null };
  return answer.error?.code ?? answer.code ?? null;
};
const dialogOf = ({ page }: Person) => page.getByRole('dialog');
const rowOf = ({ page }: Person, text: string) => page.locator('main li a').filter({ hasText: text });

it('stops every call by two clicks and a reason, shows the reason as it is, and lifts the stop', async () => {
  const ann = await stack.person('ann', 'admin');
  const ben = await stack.person('ben', 'operator', '/administration/freezes');
  await ann.page.getByRole('button', { name: 'Emergency stop' }).click();
  await ann.page.getByLabel('Reason').fill(HOSTILE);
  await ann.page.getByRole('button', { name: 'Stop all calls' }).click();
  await ann.page.getByText('Every call of this tenant is stopped.').waitFor();
  expect(await refusalOf()).toBe('frozen');
  await ben.page.reload();
  await rowOf(ben, 'All calls of the tenant').click();
  const reason = ben.page.getByRole('complementary').locator('dd').filter({ hasText: 'onerror' });
  await expect.poll(() => reason.innerText()).toBe(HOSTILE_SHOWN);
  expect(await ben.page.getByRole('button', { name: 'Lift it' }).isDisabled()).toBe(true);
  await ben.page.getByText('It takes an administrator. You are signed in as operator.').waitFor();
  await ann.page.getByRole('link', { name: 'Open the stop' }).click();
  await ann.page.getByRole('button', { name: 'Lift it' }).click();
  await dialogOf(ann).getByRole('button', { name: 'Lift it' }).click();
  await ann.page.getByText('Nothing is stopped').waitFor();
  expect(await refusalOf()).toBeNull();
  expect(await ben.page.evaluate('window.ran')).toBeUndefined();
  expect([...ann.troubles, ...ben.troubles]).toEqual([]);
});

it('shows a new API key once, which is good until it is revoked', async () => {
  const ann = await stack.person('ann', 'admin', '/administration/keys');
  await ann.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await ann.page.getByRole('button', { name: 'New key' }).click();
  await ann.page.getByLabel('Name', { exact: true }).fill('nightly builds');
  await ann.page.getByLabel('Role').selectOption('auditor');
  await dialogOf(ann).getByRole('button', { name: 'New key' }).click();
  await ann.page.getByRole('button', { name: 'Copy' }).click();
  const key = await ann.page.getByLabel('Shown once').inputValue();
  await expect.poll(() => ann.page.evaluate('navigator.clipboard.readText()')).toBe(key);
  await ann.page.getByRole('button', { name: 'I have stored it' }).click();
  expect(await ann.page.content()).not.toContain(key);
  const api = stack.world.admin.as(key);
  expect((await api.get('/v1/operations')).status).toBe(200);
  await rowOf(ann, 'nightly builds').click();
  await ann.page.getByRole('button', { name: 'Revoke' }).click();
  await dialogOf(ann).getByRole('button', { name: 'Revoke' }).click();
  await rowOf(ann, 'nightly builds').getByText('Revoked').waitFor();
  await expect.poll(async () => (await api.get('/v1/operations')).status).toBe(401);
  expect(ann.troubles).toEqual([]);
});

it('suspends and activates a member, whose session is refused meanwhile', async () => {
  const cleo = await stack.person('cleo', 'operator');
  const ann = await stack.person('ann', 'admin', '/administration/members');
  const statusOfCleo = () => cleo.page.evaluate(async () => (await fetch('/v1/operations')).status);
  expect(await statusOfCleo()).toBe(200);
  await rowOf(ann, 'cleo').click();
  await ann.page.getByRole('button', { name: 'Suspend' }).click();
  await dialogOf(ann).getByRole('button', { name: 'Suspend' }).click();
  await rowOf(ann, 'cleo').getByText('Suspended').waitFor();
  await expect.poll(statusOfCleo).toBeGreaterThanOrEqual(401);
  await ann.page.getByRole('button', { name: 'Activate' }).click();
  await dialogOf(ann).getByRole('button', { name: 'Activate' }).click();
  await rowOf(ann, 'cleo').getByText('Active').waitFor();
  await expect.poll(statusOfCleo).toBe(200);
  expect(ann.troubles).toEqual([]);
});

it('works by keys alone on a narrow page, and keeps what was typed when the server refuses it', async () => {
  const ann = await stack.person('ann', 'admin', '/administration/agents', NARROW);
  await ann.page.getByRole('button', { name: 'New agent' }).focus();
  await ann.page.keyboard.press('Enter');
  await ann.page.keyboard.type('no/such?name');
  await ann.page.keyboard.press('Enter');
  await dialogOf(ann).getByRole('alert').waitFor();
  expect(await ann.page.getByLabel('Name', { exact: true }).inputValue()).toBe('no/such?name');
  await ann.page.keyboard.press('Control+a');
  await ann.page.keyboard.type('a good name');
  await ann.page.keyboard.press('Enter');
  await dialogOf(ann).waitFor({ state: 'hidden' });
  await rowOf(ann, 'a good name').waitFor();
  await ann.page.keyboard.press('j');
  await ann.page.getByRole('complementary').waitFor();
  await expect.poll(() => ann.page.url()).toContain('chosen=agt_');
  const width = await ann.page.evaluate('document.documentElement.scrollWidth');
  expect(width).toBeLessThanOrEqual(NARROW.width);
  // The browser itself reports the refusal in its console.
  expect(ann.troubles.filter((trouble) => !trouble.includes('status of 400'))).toEqual([]);
});

it('sets a secret that no page and no answer shows, with a note that is shown as it is', async () => {
  const ann = await stack.person('ann', 'admin', '/administration/secrets');
  const answers: Promise<string>[] = [];
  ann.page.on('response', (response) => {
    // The stream of events has no end.
    const { pathname } = new URL(response.url());
    if (pathname.startsWith('/v1/') && pathname !== '/v1/events') answers.push(response.text().catch(() => ''));
  });
  await ann.page.getByRole('button', { name: 'New secret' }).click();
  await ann.page.getByLabel('Name', { exact: true }).fill('NPM_TOKEN');
  await ann.page.getByLabel('Value').fill('hunter2-of-a-test');
  await ann.page.getByLabel('Note').fill(HOSTILE);
  await dialogOf(ann).getByRole('button', { name: 'New secret' }).click();
  await dialogOf(ann).waitFor({ state: 'hidden' });
  await rowOf(ann, 'NPM_TOKEN').click();
  const note = ann.page.getByRole('complementary').locator('dd').filter({ hasText: 'onerror' });
  await expect.poll(() => note.innerText()).toBe(HOSTILE_SHOWN);
  expect(await ann.page.content()).not.toContain('hunter2');
  expect((await Promise.all(answers)).join('\n')).not.toContain('hunter2');
  expect(await ann.page.evaluate('window.ran')).toBeUndefined();
  expect(ann.troubles).toEqual([]);
});

it('erases a call for ever, and only after it has shown what goes', async () => {
  const { body } = await stack.world.call('fs.read', { path: 'a.txt' });
  const ann = await stack.person('ann', 'admin', '/administration/erasures');
  await ann.page.getByRole('button', { name: 'Erase' }).click();
  await ann.page.getByLabel('Id of the call').fill(body['operation_id'] as string);
  await ann.page.getByLabel('Reason, as a code').fill('gdpr-art-17');
  const erase = ann.page.getByRole('button', { name: 'Erase for ever' });
  expect(await erase.isDisabled()).toBe(true);
  await ann.page.getByRole('button', { name: 'Look at what goes' }).click();
  await ann.page.getByText('1 call and 0 sessions would be erased for ever.').waitFor();
  await erase.click();
  await dialogOf(ann).waitFor({ state: 'hidden' });
  await rowOf(ann, 'One call').getByText('Done').waitFor();
  await rowOf(ann, 'One call').click();
  await ann.page.getByRole('complementary').getByText('gdpr-art-17').waitFor();
  expect(ann.troubles).toEqual([]);
});

it('opens the platform view by its key alone, which is gone when the page is left', async () => {
  const ann = await stack.person('ann', 'admin', '/platform');
  const key = ann.page.getByLabel('Platform key');
  await key.fill(stack.stack.keys.platformKey);
  await ann.page.getByRole('button', { name: 'Open', exact: true }).click();
  await ann.page.getByText('Records that wait for the ledger').waitFor();
  await ann.page.getByRole('link', { name: 'Tenants' }).click();
  await rowOf(ann, stack.world.tenantId).getByText('Open').waitFor();
  await ann.page.getByRole('link', { name: 'Freezes' }).click();
  await ann.page.getByRole('button', { name: 'Stop everything' }).waitFor();
  await ann.page.reload();
  await key.waitFor();
  expect(await key.inputValue()).toBe('');
  expect(ann.troubles).toEqual([]);
});
