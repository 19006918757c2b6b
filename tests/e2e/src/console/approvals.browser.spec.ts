// SPDX-License-Identifier: Apache-2.0
// Approvals in the console: a real browser, real previews, real commits.
import { randomUUID } from 'node:crypto';
import type { JsonValue } from '@writ/stack';
import type { Locator, Page } from 'playwright-core';
import { vi } from 'vitest';
import { ConsoleStack, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

const OWNERS = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);
@id("docs.owners") @reason("files of the documentation belong to their owners") @would_pass("other files")
@approvers("owners") @quorum("2")
forbid (principal, action in Action::"write", resource is File) when { resource.path like "docs/*" };
`;

let stack: ConsoleStack;
beforeAll(async () => {
  stack = await ConsoleStack.open({ files: { 'docs/a.md': 'one\n', 'a.txt': 'one\n' }, budgets: { calls: 100_000 } });
});
afterAll(async () => {
  await stack?.close();
});

/** A command that is held, with its effect staged. */
async function hold(command: (dir: string) => string): Promise<JsonValue> {
  const dir = `d-${randomUUID().slice(0, 8)}`;
  await stack.world.call('fs.write', { path: `${dir}/a.txt`, content: 'a\n' });
  const { body } = await stack.world.call('shell.run', { command: command(dir) });
  expect(body.state).toBe('held');
  await vi.waitFor(async () => {
    expect((await approvalOf(body)).preview.state).toBe('ready');
  }, 30_000);
  return { ...body, dir };
}
const approvalOf = async (held: JsonValue): Promise<JsonValue> =>
  (await stack.world.admin.get(`/v1/approvals/${held.approval_id as string}`)).body;
/** The state of the call, at the head of its page: past decisions below have theirs. */
const stateOf = (page: Page, state: string): Locator =>
  page.locator('article > header').getByText(state, { exact: true });
const open = async ({ page }: Person, held: JsonValue): Promise<void> => {
  await page.goto(`${stack.url}/console/approvals/${held.approval_id as string}`);
  await page.getByRole('heading', { name: 'Effect' }).waitFor();
};

it('the keyboard alone decides: what was shown is what commits, and the queue is live', async () => {
  const held = await hold((dir) => `echo new > ${dir}/a.txt; rm -rf ${dir}/none; rm -rf ${dir}/*.md ${dir}`);
  const { effect_digest } = (await approvalOf(held)).binding;
  const ann = await stack.person('ann', 'operator');
  const { page } = ann;
  const row = page.locator(`a[href$="${held.approval_id as string}"]`);
  await row.waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Approve', exact: true }).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('a');
  await page.keyboard.type('read and fine');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await stateOf(page, 'Approved').waitFor();
  expect(await approvalOf(held)).toMatchObject({
    state: 'approved',
    comment: 'read and fine',
    binding: { effect_digest },
  });
  await stack.world.until(held.operation_id as string, ['committed']);
  await page.keyboard.press('u');
  await page.getByText('Nothing waits for a decision').waitFor();
  const next = await hold((dir) => `rm -rf ${dir}`);
  await page.locator(`a[href$="${next.approval_id as string}"]`).waitFor();
  await stack.world.operator.must(`/v1/approvals/${next.approval_id as string}/deny`, {});
  await page.getByText('Nothing waits for a decision').waitFor();
  expect(ann.troubles).toEqual([]);
});

it('a denial takes words to the agent', async () => {
  const held = await hold((dir) => `rm -rf ${dir}`);
  const ann = await stack.person('ann', 'operator');
  await open(ann, held);
  await ann.page.keyboard.press('d');
  await ann.page.getByLabel('Words to the agent').fill('keep the folder');
  await ann.page.getByRole('dialog').getByRole('button', { name: 'Deny this call' }).click();
  await stateOf(ann.page, 'Denied').waitFor();
  const { body } = await stack.world.agent.get(`/v1/operations/${held.operation_id as string}`);
  expect([body.state, JSON.stringify(body)]).toEqual(['refused', expect.stringContaining('keep the folder')]);
  expect(ann.troubles).toEqual([]);
});

it('an effect that goes stale while it is looked at is shown again, and is never approved unseen', async () => {
  const held = await hold((dir) => `echo mine >> ${dir}/a.txt; rm -rf ${dir}/none`);
  const ann = await stack.person('ann', 'operator');
  await open(ann, held);
  await ann.page.getByText('mine').first().waitFor();
  await stack.world.call('fs.write', { path: `${held.dir as string}/a.txt`, content: 'theirs\n' });
  await ann.page.keyboard.press('a');
  await ann.page.keyboard.press('Control+Enter');
  const dialog = ann.page.getByRole('dialog');
  await dialog.getByRole('alert').first().waitFor();
  expect(await dialog.getByRole('button', { name: 'Approve this call' }).isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const approve = ann.page.getByRole('button', { name: 'Approve', exact: true });
  expect(await approve.isDisabled()).toBe(true);
  await ann.page.getByText('theirs').first().waitFor();
  await ann.page.getByRole('button', { name: 'I have read the new effect' }).click();
  await approve.click();
  await dialog.getByRole('button', { name: 'Approve this call' }).click();
  await stack.world.until(held.operation_id as string, ['committed']);
  expect(await stack.world.file(`${held.dir as string}/a.txt`)).toBe('theirs\nmine\n');
});

it('without a connection nothing is decided, and what changed meanwhile is shown when it is back', async () => {
  const held = await hold((dir) => `rm -rf ${dir}`);
  const ann = await stack.person('ann', 'operator');
  await open(ann, held);
  await ann.context.setOffline(true);
  await ann.page.getByText('Offline: trying again').waitFor();
  await ann.page.keyboard.press('a');
  expect(await ann.page.getByRole('dialog').getByRole('button', { name: 'Approve this call' }).isDisabled()).toBe(true);
  await ann.page.keyboard.press('Escape');
  await stack.world.operator.must(`/v1/approvals/${held.approval_id as string}/deny`, {});
  await ann.context.setOffline(false);
  await stateOf(ann.page, 'Denied').waitFor();
  await ann.page.getByText('Live', { exact: true }).waitFor();
});

it('what an agent wrote is shown as it is: nothing runs, and no character hides or turns others around', async () => {
  const evil = `<img src=x onerror="document.title='owned'">\u202Egnp.exe\u0007\u200B</script><script>alert(1)</script>`;
  const held = await hold((dir) => `rm -rf ${dir}; : ${JSON.stringify(evil)}`);
  const ann = await stack.person('ann', 'operator');
  let dialogs = 0;
  ann.page.on('dialog', (dialog) => {
    dialogs += 1;
    void dialog.dismiss();
  });
  await open(ann, held);
  const args = await ann.page.getByText('onerror').first().innerText();
  expect(args).toContain('<img src=x onerror=');
  expect(args).toContain('U+202E');
  expect(await ann.page.locator('body').innerText()).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B\u0007]/u);
  expect([dialogs, await ann.page.locator('main img, main script').count()]).toEqual([0, 0]);
  expect(await ann.page.title()).not.toContain('owned');
  expect(ann.troubles).toEqual([]);
});

it('two people vote at once: both votes count, and the call runs once', async () => {
  await stack.world.admin.request('PUT', '/v1/approver-groups', {
    name: 'owners',
    members: ['ann@example.org', 'bob@example.org'],
  });
  const document = { v: 1, name: 'owned', cedar: OWNERS };
  await stack.world.admin.must('/v1/policies', { document });
  await stack.world.admin.must('/v1/policies/activate', { policy: 'owned' });
  const { body: held } = await stack.world.call('fs.write', { path: 'docs/a.md', content: 'two\n' });
  expect(held).toMatchObject({ state: 'held', votes: { needed: 2 } });
  await vi.waitFor(async () => expect((await approvalOf(held)).of).toBe('effect'), 30_000);
  const people = [await stack.person('ann', 'operator'), await stack.person('bob', 'operator')];
  for (const person of people) {
    await open(person, held);
    await person.page.getByRole('button', { name: 'Approve', exact: true }).click();
  }
  await Promise.all(
    people.map(({ page }) => page.getByRole('dialog').getByRole('button', { name: 'Approve this call' }).click()),
  );
  for (const { page } of people) await stateOf(page, 'Approved').waitFor();
  await stack.world.until(held.operation_id as string, ['committed']);
  const { voted } = await approvalOf(held);
  expect((voted as JsonValue[]).map(({ cast_as }) => cast_as as string).toSorted()).toEqual([
    'ann@example.org',
    'bob@example.org',
  ]);
});
