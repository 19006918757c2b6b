// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS, SNAPSHOT, WORKSPACE } from '../specs/samples.ts';

const FILE = { kind: 'file', mode: '644', sha256: '2'.repeat(64), size: 2 };
const STATE = {
  seq: 3,
  snapshot_id: SNAPSHOT,
  parent_snapshot_id: null,
  delta_id: null,
  kind: 'committed',
  operation_id: IDS.operation,
  tool_id: 'fs.write',
  made_by: IDS.agent,
  created_at: 0,
};
const CHANGED = {
  path: 'a.txt',
  change: 'modified',
  before: FILE,
  after: FILE,
  added_lines: 1,
  removed_lines: 1,
  text: '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-1\n+\u001b[31m2\n',
  why_no_text: null,
};
const LONG = {
  ...CHANGED,
  path: 'long.bin',
  added_lines: null,
  removed_lines: null,
  text: null,
  why_no_text: 'binary',
};

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url }) => {
    if (url.includes('/history'))
      return {
        body: {
          items: [STATE, { ...STATE, seq: 2, kind: 'restored', operation_id: null, tool_id: null, made_by: IDS.key }],
          next_cursor: null,
        },
      };
    if (url.includes('/diff/text'))
      return { body: { from: SNAPSHOT, to: SNAPSHOT, files: [CHANGED, LONG], files_total: 3 } };
    if (url.includes('/files/'))
      return { body: url.includes('bytes') ? Buffer.from([0xff, 0xfe]) : 'line\n\u001b[2Jend\n' };
    if (url.includes('/tree'))
      return { body: { snapshot_id: SNAPSHOT, entries: [{ path: 'a.txt', state: FILE }], next_cursor: null } };
    return { body: WORKSPACE };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
});

const workspace = (...args: string[]) => writ(['workspace', ...args, '--workspace', IDS.workspace], { env: api.env });
const asked = () =>
  api.requests.map(
    ({ method, url }) => `${method} ${decodeURIComponent(url).replace(`/v1/workspaces/${IDS.workspace}`, '')}`,
  );

test('the history of a workspace shows who made each state, and how', async () => {
  const lines = (await workspace('log')).out.split('\n');
  expect(lines[1]).toMatch(new RegExp(`^3 .*${SNAPSHOT} +committed fs\\.write +${IDS.operation}`));
  expect(lines[2]).toMatch(new RegExp(`^2 .*restored +${IDS.key}`));
});

test('`writ workspace ls` lists one level of a directory in the given state', async () => {
  expect((await workspace('ls', 'src', '--at', '2026-01-31T09:30:00Z')).out).toContain('a.txt');
  expect(asked()).toEqual(['GET /tree?path=src&depth=1&at=2026-01-31T09:30:00Z']);
});

test('`writ workspace cat` escapes control characters', async () => {
  expect((await workspace('cat', 'dir/a b.txt', '--at', SNAPSHOT)).out).toBe('line\n\\u{1b}[2Jend\n');
  expect(asked()).toEqual([`GET /files/dir/a b.txt?at=${SNAPSHOT}`]);
  expect(await workspace('cat', 'bytes')).toMatchObject({ exit: 2, out: '' });
});

test('a text diff names files without text, and the number of files left out', async () => {
  const { out } = await workspace('diff', SNAPSHOT, '--text', '--path', 'src');
  expect(out).toContain('-1\n+\\u{1b}[31m2\nM long.bin');
  expect(out).toContain('(no text)\nand 1 more\n');
  expect(asked()).toEqual([`GET /diff/text?from=${SNAPSHOT}&path=src`]);
});

test('a restore sends the state, the path and the expected head', async () => {
  expect((await workspace('restore', SNAPSHOT, 'src', '--if-head', SNAPSHOT)).out).toContain(SNAPSHOT);
  expect(asked()).toEqual(['POST /restore']);
  expect(JSON.parse(api.requests[0]!.body)).toEqual({ at: SNAPSHOT, path: 'src', if_head: SNAPSHOT });
});
