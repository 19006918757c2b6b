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
