// SPDX-License-Identifier: Apache-2.0
// Sessions, runs and jobs in a real browser, with a model on loopback that speaks a provider's wire format.
import { approveShown } from '@writ/stack';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { RunClient } from '../run-client.ts';
import { ScriptedModel } from '../scripted-model.ts';
import { ConsoleStack, NARROW } from './console-stack.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const HOSTILE = '<img src=x onerror="document.title=1"> \u202Egnp.exe\u0007';

let stack: ConsoleStack;
let model: ScriptedModel;
let runs: RunClient;
beforeAll(async () => {
  model = await ScriptedModel.open();
  stack = await ConsoleStack.open({
    files: { 'a.txt': 'one\n', 'old/b.txt': 'two\n', 'worn/c.txt': 'three\n' },
    orchestrator: { WRIT_MODELS_FILE: model.file },
  });
  runs = new RunClient(stack.world, model);
});
afterAll(async () => {
  await stack?.close();
  await model?.close();
});

const removes = (folder: string) => [
  { text: 'I look first. ', calls: [{ name: 'read_file', args: { path: 'a.txt' } }] },
  { text: 'Now I remove it. ', calls: [{ name: 'bash', args: { command: `rm -rf ${folder}` } }] },
  { text: 'It is all done.' },
];
const message = (page: Page) => page.getByLabel('Message to the agent');

it('a conversation shows its calls in place, and goes on before the eyes of a reader after a decision', async () => {
  const { world } = stack;
  const { session_id } = await runs.session({ name: 'Tidy up' });
  const { run_id } = await runs.start(session_id as string, 'remove the old files', removes('old'));
  const waiting = await runs.until(run_id as string, 'waiting');
  const { page, troubles } = await stack.person('bob', 'operator', '/sessions');
  await page.getByRole('link', { name: 'Tidy up' }).click();
  await page.getByText('remove the old files').waitFor();
  await page.getByText('Waits for a person').waitFor();
  const [operationId] = waiting.waits_for as string[];
  const { approval_id } = (await world.operator.get(`/v1/operations/${operationId!}`)).body;
  const decide = page.getByRole('link', { name: 'Decide about it' });
  expect(await decide.getAttribute('href')).toBe(`/console/approvals/${approval_id as string}`);
  const tool = page.getByRole('link', { name: 'shell.run' });
  expect(await tool.getAttribute('href')).toBe(`/console/activity/${operationId!}`);
  // An operator starts no runs, and reads why.
  expect(await message(page).count()).toBe(0);
  await page.getByText('Runs are started and forked by administrators').first().waitFor();
  expect((await approveShown(world.operator, approval_id)).status).toBe(200);
  await page.getByText('It is all done.').waitFor();
  await page.getByText('Done', { exact: true }).waitFor();
  expect(await decide.count()).toBe(0);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export the transcript' }).click();
  const lines = (await readFile(await (await saved).path(), 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1)!)).toMatchObject({ line: 'end', runs: 1 });
  expect(troubles).toEqual([]);
});

it('what an agent, a tool and a person wrote is shown as it is, and fits a narrow screen', async () => {
  const { session_id } = await runs.session();
  const script = [
    { text: `${HOSTILE} `, calls: [{ name: 'write_file', args: { path: `${HOSTILE}.txt`, content: HOSTILE } }] },
    { text: 'x'.repeat(500), calls: [{ name: HOSTILE, args: {} }] },
    { text: 'end' },
  ];
  const { run_id } = await runs.start(session_id as string, HOSTILE, script);
  await runs.until(run_id as string, 'ended');
  const { page, troubles } = await stack.person('eve', 'auditor', `/sessions/${session_id as string}`, NARROW);
  await page.getByText('Done', { exact: true }).waitFor();
  for (const button of await page.getByRole('button', { name: 'Details' }).all()) await button.click();
  expect(await page.locator('main img').count()).toBe(0);
  expect(await page.title()).toBe('Writ');
  const text = await page.locator('main').innerText();
  expect(text).toContain('U+202E');
  expect(text).not.toMatch(/[\u202E\u0007]/);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(NARROW.width);
  const main = "document.querySelector('main')";
  expect(await page.evaluate<number>(`${main}.scrollWidth - ${main}.clientWidth`)).toBe(0);
  expect(troubles).toEqual([]);
});

it('a job is run, paused and resumed, and its history leads to its runs', async () => {
  const { world } = stack;
  await world.admin.must('/v1/jobs', {
    name: 'nightly',
    cron: '@daily',
    workspace_id: world.workspaceId,
    capability_token_id: world.tokenId,
    model: 'wire',
    input: `look after it ${HOSTILE}`,
  });
  const { page, troubles } = await stack.person('ann', 'admin', '/jobs');
  await page.getByRole('link', { name: 'nightly' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByText('It has not been started within 30 days').waitFor();
  const dialog = page.getByRole('dialog');
  for (const [action, expected] of [
    ['Run now', 'Started'],
    ['Pause', 'Paused'],
    ['Resume', 'Active'],
  ] as const) {
    await page.getByRole('button', { name: action }).click();
    await dialog.getByRole('button', { name: action }).click();
    await page.getByText(expected, { exact: true }).waitFor();
  }
  const at = page.url();
  await page.getByRole('link', { name: 'Open its run' }).click();
  await page.getByText('Done', { exact: true }).waitFor();
  expect(troubles).toEqual([]);
  const bob = await stack.person('bob', 'operator', new URL(at).pathname.replace('/console', ''));
  await bob.page.getByRole('button', { name: 'Pause' }).waitFor();
  await bob.page.getByText('Jobs are resumed and run by administrators.').waitFor();
  expect(await bob.page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
  expect(bob.troubles).toEqual([]);
});
