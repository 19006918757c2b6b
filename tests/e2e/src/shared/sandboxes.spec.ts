// SPDX-License-Identifier: Apache-2.0
// Sandboxes of mk8.shell and their management: registered over HTTP and on the command line, signed by a key holder,
// refused after any change.
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { signSandbox } from '@writ/mk8-shell';
import { parseSigner } from '@writ/signing';
import {
  eventually,
  expectCleanLog,
  makeWorld,
  Observer,
  sharedStack,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
let observer: Observer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'writ-sandboxes-'));
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey);
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  rmSync(folder, { recursive: true, force: true });
});

function writ(...args: string[]): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(repositoryRoot(), 'apps', 'cli', 'bin', 'writ.mjs'), 'sandbox', ...args],
    {
      encoding: 'utf8',
      cwd: folder,
      env: { PATH: process.env['PATH'], WRIT_URL: stack.url, WRIT_API_KEY: String(world.admin.key) },
    },
  );
  return { status, out: stdout, err: stderr };
}
function must(...args: string[]): JsonValue {
  const { status, out, err } = writ(...args, '--json');
  expect({ args, status, err }).toEqual({ args, status: 0, err: '' });
  return JSON.parse(out) as JsonValue;
}
const read = async (name: string): Promise<JsonValue> => (await world.auditor.get(`/v1/sandboxes/${name}`)).body;
const changes = (subject: string): Promise<{ verb: string }[]> =>
  observer.rows(
    `SELECT p #>> '{change,verb}' AS verb
    FROM (SELECT leaf_index, convert_from(payload, 'UTF8')::jsonb -> 'predicate' AS p FROM ledger.leaf
      WHERE kind = 'change' AND tenant_id = $2) x
    WHERE p #>> '{change,subject}' = $1 ORDER BY leaf_index`,
    [subject, world.tenantId],
  );

it('a sandbox is signed on the command line, and a signature by an unknown key is refused', async () => {
  writeFileSync(join(folder, 'fragments.json'), JSON.stringify({ greet: [{ verb: 'Echo', args: ['hello $WHO'] }] }));
  writeFileSync(join(folder, 'build.env'), '# who is greeted\nWHO=world\n');
  const { keyid } = must('key', 'new', 'registrar.pem');
  expect(must('register', 'build', '--workspace', world.workspaceId, '--fragments', '@fragments.json')).toMatchObject({
    name: 'build',
    keyid: null,
  });
  expect(writ('sign', 'build', '--env', 'build.env', '--key', 'registrar.pem')).toMatchObject({
    status: 1,
    err: expect.stringContaining('sandbox.unverified'),
  });
  must('key', 'add', 'registrar.pem', '--note', 'of the build');
  expect(must('sign', 'build', '--env', 'build.env', '--key', 'registrar.pem')).toMatchObject({
    keyid,
    environment: { WHO: 'world' },
    problem: null,
  });
  expect(must('list')).toMatchObject({ items: [{ name: 'build', keyid }] });
  expect(await read('build')).toMatchObject({
    problem: null,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    definition: { fragments: { greet: [{ verb: 'Echo' }] } },
  });
  const stranger = parseSigner(
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  );
  const { tenant_id, definition_digest } = await read('build');
  const envelope = signSandbox(
    { v: 1, tenant_id, sandbox: 'build', definition_digest, environment: 'WHO=nobody', signed_at: Date.now() + 1_000 },
    stranger,
  );
  const answer = await world.admin.request('PUT', '/v1/sandboxes/build/signature', { envelope });
  expect([answer.status, answer.body.code]).toEqual([409, 'sandbox.unverified']);
  expect(await read('build')).toMatchObject({ keyid, environment: { WHO: 'world' } });
  const recorded = await eventually('its records', async () => {
    const rows = await changes('build');
    return rows.length >= 2 && rows;
  });
  expect(recorded.map(({ verb }) => verb).sort()).toEqual(['sandbox_registered', 'sandbox_signed']);
});

it('a sandbox that was changed in the database runs nothing until it matches its signature again', async () => {
  const flip = () =>
    observer.rows(
      `UPDATE kernel.sandbox SET definition = set_byte(definition, 20, get_byte(definition, 20) # 1) WHERE tenant_id = $1 AND name = 'build'`,
      [world.tenantId],
    );
  await flip();
  expect(await read('build')).toMatchObject({
    environment: null,
    digest: null,
    problem: expect.stringContaining('are not the ones that were signed'),
  });
  await flip();
  expect(await read('build')).toMatchObject({ problem: null });
});

it('another key takes over without a gap; signatures of a revoked one are invalid', async () => {
  const before = (await read('build')).keyid as string;
  must('key', 'new', 'next.pem');
  const { keyid } = must('key', 'add', 'next.pem');
  expect(must('key', 'retire', before)).toMatchObject({ state: 'retired' });
  expect(await read('build')).toMatchObject({ problem: null, keyid: before });
  expect(must('sign', 'build', '--env', 'build.env', '--key', 'next.pem')).toMatchObject({ keyid, problem: null });
  expect(must('key', 'revoke', keyid as string)).toMatchObject({ state: 'revoked' });
  expect((await read('build')).problem).toContain('was revoked');
  expect(writ('show', 'build').out).toMatch(/scripts run +no: nothing runs in the sandbox `build`/);
});

it('an invalid sandbox gets all errors with their places, and agents see and manage none', async () => {
  writeFileSync(
    join(folder, 'wrong.json'),
    JSON.stringify({ blacklist: [{ id: 'a', kind: 'regex', pattern: '(', scope: 'everywhere', reason: 'x' }] }),
  );
  const { status, err } = writ(
    'register',
    'wrong',
    '--workspace',
    world.workspaceId,
    '--rules',
    '@wrong.json',
    '--templates',
    'no.such',
  );
  expect([status, err]).toEqual([1, expect.stringMatching(/\/rules\/blacklist\/0\/pattern: is no regular expression/)]);
  expect((await world.agent.get('/v1/sandboxes')).status).toBe(403);
  expect(
    (await world.agent.request('PUT', '/v1/sandboxes', { name: 'mine', workspace_id: world.workspaceId })).status,
  ).toBe(403);
  expect((await world.agent.post('/v1/registrar-keys', {})).status).toBe(403);
  expect(must('remove', 'build')).toEqual({ removed: 'build' });
  expect((await world.admin.get('/v1/sandboxes/build')).status).toBe(404);
  expectCleanLog(stack);
});
