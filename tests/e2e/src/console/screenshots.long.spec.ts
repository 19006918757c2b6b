// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/how-to/console.md. With WRIT_SCREENSHOTS they are written there; without, they are only taken.
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { ConsoleStack, type Person } from './console-stack.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const IN_DOCS = fileURLToPath(new URL('../../../../docs/how-to/img/', import.meta.url));
const folder = process.env['WRIT_SCREENSHOTS'] === undefined ? mkdtempSync(join(tmpdir(), 'writ-pictures-')) : IN_DOCS;

const PARSE = `export function parse(text) {
  const [head, ...rest] = text.split('\\n');
  return { head, rest };
}
`;
const CHANGED = `export function parse(text) {
  const [head = '', ...rest] = text.trimEnd().split('\\n');
  return { head: head.trim(), rest };
}
`;

let stack: ConsoleStack;
let ann: Person;
let approvalId: string;
let operationId: string;
beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  stack = await ConsoleStack.open({
    files: { 'src/parse.js': PARSE, 'src/changed.js': CHANGED, 'old/notes.md': '# Notes\n' },
    budgets: { calls: 1_000 },
  });
  const { world } = stack;
  const { body: read } = await world.call('fs.read', { path: 'src/parse.js' });
  operationId = read.operation_id as string;
  for (const name of ['drafts', 'reports', 'notes']) {
    await world.call('fs.write', { path: `${name}/out.txt`, content: 'a page\n' });
    await world.call('shell.run', { command: `rm -rf ${name}` });
  }
  const { body: held } = await world.call('shell.run', {
    command: 'cp src/changed.js src/parse.js && rm -rf old src/changed.js',
  });
  approvalId = held.approval_id as string;
  await vi.waitFor(async () => {
    const { body } = await world.admin.get(`/v1/approvals/${approvalId}`);
    expect(body.preview.state).toBe('ready');
  }, 30_000);
  ann = await stack.person('ann', 'operator');
});
afterAll(async () => {
  await stack?.close();
});

const shoot = async (name: string): Promise<void> => {
  const picture = await ann.page.screenshot({ path: join(folder, `console-${name}.png`) });
  expect(picture.length).toBeGreaterThan(10_000);
};

it('the queue', async () => {
  await ann.page.getByText('4 calls wait').waitFor();
  await ann.page.keyboard.press('j');
  await shoot('approvals');
});

it('one held call', async () => {
  await ann.page.goto(`${stack.url}/console/approvals/${approvalId}`);
  await ann.page.getByText('trimEnd').first().waitFor();
  await shoot('call');
});

it('one call in time, and its receipt', async () => {
  await ann.page.goto(`${stack.url}/console/activity/${operationId}`);
  await vi.waitFor(async () => {
    await ann.page.getByRole('button', { name: 'Verify the receipt' }).click();
    await ann.page.getByText('The receipt is genuine').waitFor({ timeout: 5_000 });
  }, 30_000);
  await shoot('operation');
});
