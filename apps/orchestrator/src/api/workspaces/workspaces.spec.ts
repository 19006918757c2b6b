// SPDX-License-Identifier: Apache-2.0
import { LIMITS, type Change } from '@writ/contract';
import { sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { emptyTree, encodeNode, snapshotIdOf } from '@writ/workspace';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, problem, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

const at = (rest: string): string => `/v1/workspaces/${has.workspace_id}${rest}`;
const get = (rest: string, headers = {}) => api.ask('GET', at(rest), { key: tenant.auditor, headers });
const put = (rest: string, text: string | Uint8Array, headers = {}) =>
  api.ask('PUT', at(rest), {
    key: tenant.operator,
    text,
    headers: { 'content-type': 'application/octet-stream', ...headers },
  });
const changed = (): Change[] =>
  api.kernel.requests
    .filter(({ verb }) => verb === 'workspace.change')
    .flatMap(({ request }) => request['changes'] as Change[]);
const empty = snapshotIdOf(emptyTree().root);

describe('a tree', () => {
  it('lists what is below a directory, each directory before what it holds', async () => {
    const { json } = await get('/tree');
    expect(json).toEqual({
      workspace_id: has.workspace_id,
      snapshot_id: has.snapshot_id,
      path: '',
      next_cursor: null,
      entries: [
        { path: 'link', state: { kind: 'symlink', mode: null, sha256: sha256Hex(Buffer.from('src/a.txt')), size: 9 } },
        { path: 'src', state: { kind: 'dir', mode: null, sha256: null, size: 0 } },
        { path: 'src/a.txt', state: { kind: 'file', mode: '755', sha256: has.file_sha256, size: 6 } },
      ],
    });
    expect((await get('/tree?path=src&depth=1')).json['entries']).toHaveLength(1);
    expect((await get(`/tree?at=${empty}`)).json['entries']).toEqual([]);
  });

  it('continues from its cursor, in the same snapshot', async () => {
    const first = (await get('/tree?limit=2')).json as { entries: unknown[]; next_cursor: string };
    const rest = (await get(`/tree?limit=2&cursor=${first.next_cursor}`)).json as {
      entries: { path: string }[];
      next_cursor: null;
    };
    expect([first.entries.length, rest.entries.map(({ path }) => path), rest.next_cursor]).toEqual([
      2,
      ['src/a.txt'],
      null,
    ]);
    expect((await get('/tree?cursor=abc')).json).toEqual(problem('query.invalid', 400));
    expect((await get(`/tree?cursor=${first.next_cursor}&at=${empty}`)).json).toEqual(problem('query.invalid', 400));
  });

  it.each([
    ['path=nope', 'file.not_found'],
    ['path=src/a.txt', 'file.kind'],
    ['path=../x', 'path.escape'],
    [`at=snap_${'0'.repeat(64)}`, 'not_found'],
    ['at=x', 'query.invalid'],
  ])('of `%s` answers `%s`', async (query, code) => {
    expect((await get(`/tree?${query}`)).json['code']).toBe(code);
  });
});

describe('a file', () => {
  it('is returned byte for byte as an attachment, with its hash as the ETag', async () => {
    const answer = await get('/files/src/a.txt');
    expect(answer.text).toBe('hello\n');
    expect(
      Object.fromEntries(
        [
          'etag',
          'content-type',
          'content-disposition',
          'content-length',
          'writ-file-mode',
          'x-content-type-options',
        ].map((name) => [name, answer.headers.get(name)]),
      ),
    ).toEqual({
      etag: `"${has.file_sha256}"`,
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-length': '6',
      'writ-file-mode': '755',
      'x-content-type-options': 'nosniff',
    });
  });

  it("isn't sent again if the client has it already", async () => {
    for (const header of [`"${has.file_sha256}"`, `W/"x", "${has.file_sha256}"`, '*']) {
      const answer = await get('/files/src/a.txt', { 'if-none-match': header });
      expect([answer.status, answer.text]).toEqual([304, '']);
    }
    expect((await get('/files/src/a.txt', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('that is a link has its target as content, and its kind in a header', async () => {
    const answer = await get('/files/link');
    expect([answer.text, answer.headers.get('writ-file-kind')]).toEqual(['src/a.txt', 'symlink']);
  });

  it('is stored as it arrives, and then committed by a change', async () => {
    const content = Buffer.alloc(3 * 1024 * 1024, 'content ');
    const answer = await put('/files/docs/a%20b.txt?mode=755', content);
    expect([answer.status, answer.headers.get('etag')]).toEqual([200, `"${sha256Hex(content)}"`]);
    expect(changed()).toEqual([
      {
        path: 'docs/a b.txt',
        before: null,
        after: { kind: 'file', mode: '755', sha256: sha256Hex(content), size: content.length },
      },
    ]);
    expect(content.equals(await api.blobs.get(tenant.tenantId, sha256Hex(content)))).toBe(true);
  });

  it('may be empty', async () => {
    expect((await put('/files/empty', '')).status).toBe(200);
    expect(changed()[0]?.after).toMatchObject({ size: 0, sha256: sha256Hex(new Uint8Array()) });
  });

  it('of more than the limit changes nothing', async () => {
    const answer = await put('/files/big', Buffer.alloc(LIMITS.uploadBytes.max + 1));
    expect(answer.json).toEqual(problem('request.too_large', 413));
    expect(changed()).toEqual([]);
  });

  it("of another tenant's workspace is not even stored", async () => {
    const other = await api.newTenant();
    const theirs = await createFixture(api, other);
    const answer = await api.ask('PUT', `/v1/workspaces/${theirs.workspace_id}/files/a`, {
      key: tenant.admin,
      text: 'mine',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(answer.json).toEqual(problem('not_found', 404));
    expect(await api.blobs.has(tenant.tenantId, [sha256Hex(Buffer.from('mine'))])).toEqual(new Set());
  });

  it.each([
    ['/files/..%2fx', {}, 'path.escape'],
    ['/files/', {}, 'path.invalid'],
    ['/files/a', { 'content-type': 'application/json' }, 'request.unsupported_media_type'],
    ['/files/a?mode=777', {}, 'query.invalid'],
  ])('at %s with %j answers `%s`', async (rest, headers, code) => {
    expect((await put(rest, 'x', headers)).json['code']).toBe(code);
  });

  it('is deleted by a change', async () => {
    expect((await api.ask('DELETE', at('/files/src'), { key: tenant.admin })).status).toBe(200);
    expect(changed()).toEqual([{ path: 'src', before: null, after: null }]);
  });
});

test('a file whose content is lost is an ordinary 5xx problem', async () => {
  const lost = encodeNode([{ kind: 'file', mode: '644', name: 'lost', sha256: '0'.repeat(64), size: 6 }]);
  await api.blobs.put(tenant.tenantId, lost.bytes);
  const workspace_id = newId('workspace');
  api.kernel.keep(tenant.tenantId, workspace_id, 'workspace', {
    workspace_id,
    name: 'w',
    head_snapshot_id: snapshotIdOf(lost.sha256),
    created_at: 1,
    updated_at: 1,
  });
  const answer = await api.ask('GET', `/v1/workspaces/${workspace_id}/files/lost`, { key: tenant.admin });
  expect(answer.json).toEqual(problem('blob.missing', 500));
  expect([answer.headers.get('etag'), answer.headers.get('content-disposition')]).toEqual([null, null]);
});

describe('many files', () => {
  const upload = (files: unknown) => api.ask('POST', at('/files'), { key: tenant.admin, body: { files } });

  it('are one change, each in its encoding', async () => {
    expect(
      (
        await upload([
          { path: '/workspace/a', content: 'ä' },
          { path: 'b', content: 'AP8=', encoding: 'base64', mode: '755' },
        ])
      ).status,
    ).toBe(200);
    expect(changed()).toEqual([
      { path: 'a', before: null, after: { kind: 'file', mode: '644', sha256: sha256Hex(Buffer.from('ä')), size: 2 } },
      {
        path: 'b',
        before: null,
        after: { kind: 'file', mode: '755', sha256: sha256Hex(Uint8Array.of(0, 255)), size: 2 },
      },
    ]);
    expect(api.kernel.requests.filter(({ verb }) => verb === 'workspace.change')).toHaveLength(1);
  });

  it.each([
    [[], '/files'],
    [[{ path: 'a' }], '/files/0'],
    [[{ path: 'a', content: 'x', encoding: 'base64' }], '/files/0/content'],
    [[{ path: 'a', content: 'x', mode: '777' }], '/files/0/mode'],
  ])('%j are refused with the place', async (files, pointer) => {
    expect((await upload(files)).json).toMatchObject({ code: 'request.malformed', pointer });
    expect(changed()).toEqual([]);
  });

  it('that are too many for one change are refused with the advice to split them', async () => {
    const files = Array.from({ length: 5000 }, (_each, n) => ({ path: `${'d'.repeat(200)}/${n}`, content: '' }));
    expect((await upload(files)).json).toMatchObject({
      code: 'request.too_large',
      detail: expect.stringContaining('several requests'),
    });
    expect(changed()).toEqual([]);
  });

  it("may be more than a call's body", async () => {
    expect((await upload([{ path: 'a', content: 'x'.repeat(4 * 1024 * 1024) }])).status).toBe(200);
    expect((await upload([{ path: 'a', content: 'x'.repeat(9 * 1024 * 1024) }])).json).toEqual(
      problem('request.too_large', 413),
    );
  });
});

test('a diff is the delta between two snapshots of the workspace', async () => {
  const there = (await get(`/diff?from=${empty}`)).json as { base: string; changes: Change[] };
  expect([there.base, there.changes.map(({ path }) => path)]).toEqual([empty, ['link', 'src', 'src/a.txt']]);
  expect((await get(`/diff?from=${has.snapshot_id}&to=${has.snapshot_id}`)).json['changes']).toEqual([]);
  expect((await get('/diff')).json).toEqual(problem('query.invalid', 400));
  expect((await get(`/diff?from=snap_${'0'.repeat(64)}`)).json).toEqual(problem('not_found', 404));
});

describe('a text diff', () => {
  it('has each file as a unified diff, only below the requested path', async () => {
    const { json } = await get(`/diff/text?from=${empty}&path=src`);
    expect(json).toMatchObject({
      from: empty,
      to: has.snapshot_id,
      files_total: 2,
      files: [
        { path: 'src', why_no_text: 'not_a_file' },
        { path: 'src/a.txt', change: 'added', added_lines: 1 },
      ],
    });
    expect((json['files'] as { text: string }[])[1]?.text).toContain(
      '--- /dev/null\n+++ b/src/a.txt\n@@ -0,0 +1,1 @@\n+hello\n',
    );
    expect((await get(`/diff?from=${empty}&path=link`)).json['changes']).toHaveLength(1);
  });
});

describe('a state', () => {
  it('can be selected by a time at which it was the head', async () => {
    for (const moment of ['1970-01-01T00:30Z', '1970-01-01T00:00:01.500Z'])
      expect((await get(`/tree?at=${moment}`)).json).toMatchObject({ snapshot_id: empty, entries: [] });
    expect((await get('/files/src/a.txt?at=1970-01-01T00:30:00Z')).json).toEqual(problem('file.not_found', 404));
    expect((await get('/diff?from=1970-01-01T00:30:00Z')).json['changes']).toHaveLength(3);
    expect(api.kernel.requests.at(-2)).toMatchObject({
      verb: 'workspace.snapshot',
      request: { snapshot_id: null, at: 1_800_000 },
    });
  });

  it.each(['2026-13-01T00:00Z', '2026-01-01', 'yesterday', '2026-01-01T00:00:00+01:00'])(
    'is not named by `%s`',
    async (at) => {
      expect((await get(`/tree?at=${encodeURIComponent(at)}`)).json['code']).toBe('query.invalid');
    },
  );
});

describe('a restore', () => {
  const restore = (body: unknown, key = tenant.operator) => api.ask('POST', at('/restore'), { key, body });

  it('is requested from the kernel with the given state and path', async () => {
    expect(
      (await restore({ at: '1970-01-01T00:30:00Z', path: '/workspace/src', if_head: has.snapshot_id })).status,
    ).toBe(200);
    expect(api.kernel.requests.at(-1)).toMatchObject({
      verb: 'workspace.restore',
      request: { snapshot_id: empty, path: '/workspace/src', if_head: has.snapshot_id },
    });
    expect((await restore({ at: has.snapshot_id })).status).toBe(200);
    expect(api.kernel.requests.at(-1)).toMatchObject({
      request: { snapshot_id: has.snapshot_id, path: '', if_head: null },
    });
  });

  it('is refused for auditors, and for states that the workspace never had', async () => {
    expect((await restore({ at: empty }, tenant.auditor)).json).toEqual(problem('auth.role', 403));
    expect((await restore({ at: `snap_${'0'.repeat(64)}` })).json).toEqual(problem('not_found', 404));
    expect(api.kernel.requests.filter(({ verb }) => verb === 'workspace.restore')).toEqual([]);
  });
});

test('a history lists its states', async () => {
  expect((await get('/history')).json).toMatchObject({
    items: [{ seq: 0, kind: 'created', snapshot_id: empty }],
    next_cursor: null,
  });
});
