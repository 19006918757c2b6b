// SPDX-License-Identifier: Apache-2.0
// The tenant's secrets through the public API: a real command receives them, and nothing that is stored or sent
// contains one in clear.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { eventually, makeWorld, Observer, startStack, type JsonValue, type Stack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const SECRET = 'marker-8d21 $(touch pwned) "of\' a tenant';
const SHAPES = [
  SECRET,
  'marker-8d21',
  Buffer.from(SECRET).toString('base64').slice(0, -4),
  Buffer.from(SECRET).toString('hex'),
];
const BUS = ['orchestrator', 'kernel', 'executor'] as const;

let stack: Stack;
let world: World;
let observer: Observer;
let token: string;
const tapped: Buffer[] = [];

beforeAll(async () => {
  stack = await startStack({ env: { kernel: { WRIT_SWEEP_MS: '200' } }, busProxies: [...BUS] });
  for (const name of BUS) stack.busProxy(name).tap((bytes) => tapped.push(Buffer.from(bytes)));
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n', 'src/b.txt': 'two\n' } });
  observer = new Observer(stack);
  token = await tokenWith(['KEY']);
  expect(
    (await world.admin.request('PUT', '/v1/secrets', { name: 'KEY', value: SECRET, note: 'of a test' })).status,
  ).toBe(200);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
});

const tokenWith = async (secrets: readonly string[], more: JsonValue = {}): Promise<string> =>
  (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['fs.*', 'shell.run', 'shell.session'],
        fs: [{ path: '', read: true, write: true }],
        net: [],
        secrets,
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + 3_600_000,
        ...more,
      },
    })
  ).capability_token_id as string;
const run = async (command: string, over: JsonValue = {}) =>
  (await world.call('shell.run', { command }, { capability_token_id: token, ...over })).body;
const outputOf = (body: JsonValue): string => (body.result as JsonValue).output as string;

it('a command gets the exact value, runs nothing in it, and its output is redacted', async () => {
  const length = Buffer.byteLength(SECRET);
  const reported = await run(
    'printf %s "${secret:KEY}" | wc -c; printf \'%s\\n\' ${secret:KEY}; printf %s \'${secret:KEY}\' | base64; ls; echo "$${secret:KEY}"',
  );
  expect(reported).toMatchObject({ tx_outcome: 'no_op', error: null });
  expect(outputOf(reported)).toContain(`${String(length)}\n***KEY***\n`);
  expect(outputOf(reported)).toMatch(/\na\.txt\nsrc\n\$\{secret:KEY\}\n$/);
});

it('a program gets it as a variable where it is declared so, and never in arguments or process lists', async () => {
  expect(outputOf(await run('GIVEN=${secret:KEY} bash -c \'printf %s "$GIVEN" | wc -c\''))).toBe(
    `${String(Buffer.byteLength(SECRET))}\n`,
  );
  expect(await run('bash -c "echo ${secret:KEY}"')).toMatchObject({
    error: { code: 'args.invalid', message: expect.stringContaining('`bash`') as string },
  });
});

it("a session's shell gets it for one command, and later output is redacted too", async () => {
  const session_id = 'keeps';
  const ask = async (args: JsonValue): Promise<JsonValue> =>
    (await world.call('shell.session', args, { capability_token_id: token, session_id })).body;
  expect(
    outputOf(
      await ask({
        command: 'KEPT=${secret:KEY}; printf %s "$KEPT" | wc -c; printf "%s\\n" ${secret:KEY}; echo "$${secret:KEY}"',
      }),
    ),
  ).toBe(`${String(Buffer.byteLength(SECRET))}\n***KEY***\n\${secret:KEY}\n`);
  expect(
    outputOf(
      await ask({
        command:
          'echo "${WRIT_SECRET_KEY-none}"; export -p | grep -c marker; printf %s "$KEPT" | base64 -w0; echo; printf %s "${KEPT:0:9}"',
      }),
    ),
  ).toMatch(/^none\n0\n\*\*\*KEY\*\*\*A==\n$/);
  expect(outputOf(await ask({ command: 'printf "%s\\n" "${KEPT:9}"', ansi: true }))).toBe('***KEY***\r\n');
  expect(await ask({ command: 'read -r x; printf "%s\\n" "$KEPT"', yield_ms: 500 })).toMatchObject({
    result: { running: true },
  });
  expect(outputOf(await ask({ input: 'go\n' }))).toBe('go\n***KEY***\n');
  expect(await ask({ command: 'read -r TYPED; printf %s "$TYPED" | wc -c', yield_ms: 500 })).toMatchObject({
    result: { running: true },
  });
  // The terminal's echo of what was typed is redacted too.
  expect(outputOf(await ask({ input: '${secret:KEY}\n' }))).toBe(`***KEY***\n${String(Buffer.byteLength(SECRET))}\n`);
  expect(outputOf(await ask({ command: 'printf "%s\\n" "$TYPED"' }))).toBe('***KEY***\n');
  expect(await ask({ ctrl: '${secret:KEY}' })).toMatchObject({ error: { code: 'args.invalid' } });
  expect(await observer.rows('SELECT label FROM kernel.label WHERE tenant_id = $1', [world.tenantId])).toEqual([]);
  expect(await ask({ command: 'printf %s "$KEPT" > kept.txt' })).toMatchObject({
    tx_outcome: 'rolled_back',
    error: { code: 'secret.in_delta' },
  });
  expect(await ask({ command: 'echo "${KEPT-none}"; ls' })).toMatchObject({
    result: { shell: 'started', output: 'none\na.txt  src\n' },
  });
});

it('files that a command writes to the workspace contain no secret', async () => {
  for (const command of [
    'printf %s "${secret:KEY}" > k.txt',
    'printf %s "${secret:KEY}" | base64 -w0 > k.txt',
    'mkdir -p d && printf %s "x${secret:KEY}" | xxd -p > d/k.txt || printf %s "${secret:KEY}" | od -An -tx1 > d/k.txt',
  ]) {
    expect({ command, ...(await run(command)) }).toMatchObject({
      command,
      tx_outcome: 'rolled_back',
      error: { code: 'secret.in_delta' },
    });
  }
  expect(await world.file('k.txt')).toBeNull();
});

it("a command under a token that doesn't grant the secret never runs", async () => {
  expect(await run('touch ran; echo "${secret:KEY}"', { capability_token_id: await tokenWith([]) })).toMatchObject({
    error: { code: 'token.scope' },
  });
  expect(
    await run('touch ran; echo "${secret:OTHER}"', { capability_token_id: await tokenWith(['OTHER']) }),
  ).toMatchObject({ error: { code: 'secret.unknown' } });
  expect(await world.file('ran')).toBeNull();
});

it('a preview runs without secrets, and the approval is of the action', async () => {
  const held = await run('rm -rf src; printf %s "${secret:KEY}" | wc -c > n.txt', { capability_token_id: token });
  expect(held.state).toBe('held');
  const approval = await eventually('a preview that has ended', async () => {
    const { body } = await world.operator.get(`/v1/approvals/${held.approval_id as string}`);
    return ['waiting', 'running'].includes((body.preview as JsonValue).state as string) ? null : body;
  });
  expect(approval).toMatchObject({ of: 'action', preview: { would_ask_for: [{ kind: 'secret', what: 'KEY' }] } });
});

it('afterwards no route, table, log, bus message or stream contains a secret', async () => {
  for (const [by, path] of [
    [world.admin, '/v1/secrets'],
    [world.auditor, '/v1/secrets'],
    [world.admin, '/v1/operations'],
    [world.operator, '/v1/approvals'],
  ] as const) {
    const { status, text } = await by.get(path);
    expect([path, status, SHAPES.filter((shape) => text.includes(shape))]).toEqual([path, 200, []]);
  }
  await observer.untilLogged();
  const found = (text: string): string[] => SHAPES.filter((shape) => text.includes(shape));
  const tables = await observer.rows<{ name: string }>(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  );
  for (const { name } of tables)
    for (const { row } of await observer.rows<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t`))
      expect([name, found(row)]).toEqual([name, []]);
  // The files of NATS too, and the cache of the executor.
  const files = readdirSync(stack.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.some((file) => file.endsWith('executor.log'))).toBe(true);
  for (const file of files) expect([file, found(readFileSync(file, 'latin1'))]).toEqual([file, []]);
  const bus = Buffer.concat(tapped).toString('latin1');
  expect(bus).toContain('kernel.secret.set');
  expect(found(bus)).toEqual([]);
});

it("a removed secret is used by no later call, and each change is in the tenant's log", async () => {
  expect((await world.admin.request('DELETE', '/v1/secrets/KEY')).status).toBe(200);
  expect(await run('echo "${secret:KEY}"')).toMatchObject({ error: { code: 'secret.unknown' } });
  expect(await observer.rows('SELECT 1 FROM kernel.secret WHERE tenant_id = $1', [world.tenantId])).toEqual([]);
});
