// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

test('`writ tools` prints one row per tool', async () => {
  const api = await fakeApi(() => ({
    body: {
      items: [
        {
          tool_id: 'fs.read',
          version: 1,
          description: 'Reads a text file.',
          category: 'read',
          class: 'inline',
          mutating: false,
        },
      ],
    },
  }));
  expect((await writ(['tools'], { env: api.env })).out).toMatch(/fs\.read +read +inline +Reads a text file\./);
  await api.close();
});

describe('`writ tools show`', () => {
  const shown = async (more: object): Promise<string> => {
    const api = await fakeApi(() => ({
      body: {
        tool_id: 'x.y',
        version: 2,
        description: 'Does something.',
        category: 'write',
        class: 'broker',
        mutating: true,
        parameters: { type: 'object' },
        definition_digest: '0'.repeat(64),
        ...more,
      },
    }));
    const { out } = await writ(['tools', 'show', 'x.y'], { env: api.env });
    await api.close();
    return out;
  };
  const applied = { applied_by: 'key_1', applied_at: 1_767_225_600_000 };

  test('says of an HTTP tool which request a call sends, with which argument where', async () => {
    const http = {
      method: 'POST',
      server: 'https://shop.example/v1/',
      path: '/orders/{id}',
      inputs: [{ argument: 'id', name: 'id', in: 'path', style: 'simple', explode: false }],
      body: { argument: 'order', media: 'application/json' },
      credentials: [{ in: 'header', name: 'authorization', secret: 'SHOP_KEY' }],
      idempotency_header: 'idempotency-key',
      ...applied,
    };
    const out = await shown({ http });
    expect(out).toMatch(/request +POST https:\/\/shop\.example\/v1\/orders\/\{id\}/);
    expect(out).toMatch(/arguments +id: path id\n +order: body, application\/json/);
    expect(out).toMatch(/secrets +SHOP_KEY: header authorization\noperation id +header idempotency-key/);
    expect(out).toMatch(/applied +2026-01-01.* by key_1/);
  });

  test('says of an MCP tool which server it is of, its name and definition there, and its hints, with nothing hidden', async () => {
    const mcp = {
      server: 'github',
      remote_name: 'look\u202e',
      remote_digest: 'a'.repeat(64),
      server_digest: 'b'.repeat(64),
      annotations: { readOnlyHint: true },
      ...applied,
    };
    const out = await shown({ mcp });
    expect(out).toMatch(/server +mcp_server:github\nname there +look[^\u202e\n]+\ndefinition there +a{64}/);
    expect(out).toMatch(/the server's hints +\{"readOnlyHint":true\}/);
  });

  test.each([
    ['pull', true, /runs +a worker of the tenant.*\nif it is lost +it is repeated/],
    ['caller', false, /runs +the caller.*\nif it is lost +it ends as ambiguous/],
  ])('says of a function of the mode %s who runs it', async (mode, idempotent, expected) => {
    expect(await shown({ function: { mode, idempotent, ...applied } })).toMatch(expected);
  });
});

describe('a tools file', () => {
  let folder: string;
  let api: FakeApi;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writ-tools-'));
    api = await fakeApi(({ method }) => ({ body: method === 'PUT' ? answer : { removed: 'look' } }));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await api.close();
  });
  let answer: unknown;
  const apply = async (text: string, ...more: string[]) => {
    writeFileSync(join(folder, 'tools.yaml'), text);
    return await writ(['tools', 'apply', '-f', 'tools.yaml', ...more], { env: api.env, cwd: folder });
  };
  const LOOK =
    'tools:\n  - name: look\n    description: Looks.\n    category: read\n    cmd: ls\n    optional_args:\n      z: [-z]\n      a: [-a]\n    parameters:\n      a: {type: boolean, optional: true}\n      z: {type: boolean, optional: true}\n';

  test('is sent unchanged, and the result has one row per tool', async () => {
    answer = {
      valid: true,
      problems: [],
      tools: [{ tool_id: 'look', version: 3, definition_digest: '0'.repeat(64), change: 'changed' }],
    };
    const { exit, out } = await apply(LOOK, '--dry-run');
    expect([exit, out]).toEqual([0, expect.stringMatching(/look +3 +changed/)]);
    const sent = JSON.parse(api.requests[0]?.body ?? '') as { tools: { optional_args: object }[] };
    expect(sent).toMatchObject({ dry_run: true, tools: [{ name: 'look' }] });
    expect(Object.keys(sent.tools[0]?.optional_args ?? {})).toEqual(['z', 'a']);
  });

  test('with problems is not sent: each is reported with line, column and source line', async () => {
    const { exit, err } = await apply(`${LOOK}      b: {type: text}\n`);
    expect(exit).not.toBe(0);
    expect(err).toMatch(/tools\.yaml:12:17: [^\n]+\n {4} {6}b: \{type: text\}\n {4} {16}\^/);
    expect(api.requests).toEqual([]);
  });

  test.each([
    ['a key twice', 'tools: []\ntools: []\n', 2],
    ['a bracket too few', 'tools:\n  - {name: x\n', 3],
    ['an alias to nothing', 'tools: *x\n', 1],
  ])('that is no YAML is reported with its line: %s', async (_what, text, line) => {
    const { exit, err } = await apply(text);
    expect([exit, err]).toEqual([2, expect.stringMatching(new RegExp(`tools\\.yaml:${String(line)}:\\d+: |alias`))]);
    expect(api.requests).toEqual([]);
  });

  test('whose aliases would expand beyond memory is refused', async () => {
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefgh'.split('').map(
        (name, n) =>
          `${name}: &${name} [${Array(9)
            .fill(`*${'abcdefgh'[n] ?? ''}`)
            .join(', ')}]`,
      ),
    ].join('\n');
    expect((await apply(bomb)).exit).toBe(2);
  });

  test('that the server refuses is reported with positions too', async () => {
    answer = {
      valid: false,
      problems: [{ pointer: '/tools/0/cmd', message: 'it is not for you', help: '' }],
      tools: [],
    };
    expect((await apply(LOOK)).err).toMatch(/tools\.yaml:5:10: it is not for you\n {4} {4}cmd: ls\n/);
  });

  test('a tool is removed by its name', async () => {
    expect((await writ(['tools', 'rm', 'look'], { env: api.env })).out).toBe('removed look\n');
    expect(api.requests).toMatchObject([{ method: 'DELETE', url: '/v1/tools/look' }]);
  });
});
