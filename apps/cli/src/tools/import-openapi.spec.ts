// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

let folder: string;
let api: FakeApi;
let answer: unknown;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-openapi-'));
  writeFileSync(join(folder, 'shop.yaml'), 'openapi: 3.1.0\n');
  api = await fakeApi(() => ({ body: answer }));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api.close();
});
const run = async (...more: string[]) =>
  await writ(['tools', 'import', 'openapi', '-f', 'shop.yaml', '--name', 'shop', ...more], {
    env: api.env,
    cwd: folder,
  });
const imported = (applied: unknown) => ({
  title: 'Shop',
  server: 'https://shop.example',
  operations: [
    { method: 'GET', path: '/a', operation: 'a', pointer: '/paths/~1a/get', tool_id: 'api.shop.a', outcome: 'tool' },
    { method: 'POST', path: '/b', operation: 'b', pointer: '/paths/~1b/post', tool_id: null, outcome: 'unusable' },
  ],
  problems: [{ pointer: '/paths/~1b/post', of: 'document', message: 'has no name', help: 'give it one' }],
  notes: [],
  applied,
});

test('an import sends the document and its options, and shows what becomes of each operation', async () => {
  const tool = { tool_id: 'api.shop.a', version: 1, definition_digest: '0'.repeat(64), change: 'created' };
  answer = imported({ valid: true, problems: [], tools: [tool] });
  const { exit, out } = await run(
    ...['--server', 'https://shop.example', '--secret', 'key=SHOP_KEY', '--category', 'a=admin'],
    ...['--include', 'a*', '--include', 'b', '--dry-run'],
  );
  expect(exit).toBe(0);
  expect(out).toMatch(/a +GET \/a +api\.shop\.a +created, version 1/);
  expect(out).toMatch(/b +POST \/b +- +left out: see problems/);
  expect(out).toContain('/paths/~1b/post: has no name: give it one');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toMatchObject({
    document: 'openapi: 3.1.0\n',
    dry_run: true,
    strict: false,
    options: {
      name: 'shop',
      server: 'https://shop.example',
      secrets: { key: 'SHOP_KEY' },
      categories: { a: 'admin' },
      include: ['a*', 'b'],
    },
  });
});

test('an import of which nothing was registered fails', async () => {
  answer = imported(null);
  const { exit, err } = await run();
  expect(exit).not.toBe(0);
  expect(err).toContain('nothing was registered');
});

test('the time of each call is a whole number of milliseconds', async () => {
  answer = imported({ valid: true, problems: [], tools: [] });
  await run('--timeout', '5000');
  expect(JSON.parse(api.requests[0]?.body ?? '')).toMatchObject({ options: { timeout_ms: 5000 } });
  const { exit, err } = await run('--timeout', '5s');
  expect(exit).toBe(2);
  expect(err).toContain('`5s` is no whole number');
  expect(api.requests).toHaveLength(1);
});

test('an option that is no pair is refused before anything is sent', async () => {
  const { exit, err } = await run('--secret', 'SHOP_KEY');
  expect(exit).not.toBe(0);
  expect(err).toContain('--secret takes `NAME=VALUE`');
  expect(api.requests).toEqual([]);
});
