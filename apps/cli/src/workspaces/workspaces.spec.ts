// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LIMITS, type TreeEntry } from '@writ/contract';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS, SNAPSHOT, WORKSPACE } from '../specs/samples.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const file = (path: string, content: string, mode: '644' | '755' = '644'): TreeEntry => ({
  path,
  state: { kind: 'file', mode, sha256: sha256(content), size: content.length },
});
const FILES: Readonly<Record<string, string>> = { 'bin/run': '#!/bin/sh\n', 'src/ä b.js': 'x\n' };

let api: FakeApi;
let entries: TreeEntry[];
let dir: string;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    const path = decodeURIComponent(url.split('?')[0]!);
    if (path.endsWith('/tree'))
      return url.includes('cursor=')
        ? { body: { snapshot_id: SNAPSHOT, entries: entries.slice(2), next_cursor: null } }
        : { body: { snapshot_id: SNAPSHOT, entries: entries.slice(0, 2), next_cursor: 'c' } };
    if (path.endsWith('/diff'))
      return {
        body: {
          v: 1,
          base: SNAPSHOT,
          changes: [
            { path: 'a', before: null, after: entries[1]!.state },
            { path: 'b', before: entries[1]!.state, after: null },
          ],
        },
      };
    if (method === 'GET' && path.includes('/files/')) return { body: FILES[path.split('/files/')[1]!] ?? 'other' };
    return {
      body: path === '/v1/workspaces' && method === 'GET' ? { items: [WORKSPACE], next_cursor: null } : WORKSPACE,
    };
  });
});
afterAll(() => api.close());
beforeEach(() => {
  api.requests.length = 0;
  dir = mkdtempSync(join(tmpdir(), 'writ-cli-'));
  entries = [
    { path: 'bin', state: { kind: 'dir', mode: null, sha256: null, size: 0 } },
    file('bin/run', FILES['bin/run']!, '755'),
    file('src/ä b.js', 'x\n'),
  ];
});
afterEach(() => rmSync(dir, { recursive: true }));

const workspace = (...args: string[]) => writ(['workspace', ...args, '--workspace', IDS.workspace], { env: api.env });

test('a tree is read completely, with later pages from the same snapshot', async () => {
  const { out } = await workspace('tree');
  expect(out).toContain('bin/run*');
  expect(out).toContain('src/ä b.js');
  expect(api.requests[1]!.url).toBe(`/v1/workspaces/${IDS.workspace}/tree?at=${SNAPSHOT}&cursor=c`);
});

test('a diff lists added and removed paths', async () => {
  const { out } = await workspace('diff', SNAPSHOT);
  expect(out).toMatch(/^A a .*\nD b /);
});

test('files are uploaded with their modes; history, packages and links are not', async () => {
  for (const name of ['src', '.git', 'node_modules']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'run'), 'x', { mode: 0o755 });
  for (const name of ['src/a.js', '.git/HEAD', 'node_modules/p.js']) writeFileSync(join(dir, name), 'y');
  symlinkSync('/etc/passwd', join(dir, 'link'));
  const { exit, err } = await workspace('upload', dir);
  expect(exit).toBe(0);
  expect(err).toBe('left out: link is neither a file nor a directory\n');
  expect(JSON.parse(api.requests[0]!.body)).toEqual({
    files: [
      { path: 'run', content: 'eA==', encoding: 'base64', mode: '755' },
      { path: 'src/a.js', content: 'eQ==', encoding: 'base64', mode: '644' },
    ],
  });
});

test('large files are sent one by one as bytes, and small ones in batches', async () => {
  const body = LIMITS.filesBodyBytes.max;
  writeFileSync(join(dir, 'large #1.bin'), Buffer.alloc((body / 16) * 5, 1));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(dir, name), Buffer.alloc((body / 16) * 3, 1));
  expect((await workspace('upload', dir)).exit).toBe(0);
  expect(api.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `POST /v1/workspaces/${IDS.workspace}/files`,
    `POST /v1/workspaces/${IDS.workspace}/files`,
    `PUT /v1/workspaces/${IDS.workspace}/files/large%20%231.bin?mode=644`,
  ]);
});

test('a download has the files and modes of the snapshot', async () => {
  const target = join(dir, 'out');
  expect((await workspace('download', target)).exit).toBe(0);
  expect(readFileSync(join(target, 'src/ä b.js'), 'utf8')).toBe('x\n');
  expect(statSync(join(target, 'bin/run')).mode & 0o111).not.toBe(0);
});

test.each(['../escaped', '/etc/escaped', 'a/../../escaped', 'a//b', './a', 'a\0b'])(
  'a server that names a file %j causes no write outside the directory',
  async (path) => {
    entries = [file(path, 'other')];
    const { exit, err } = await workspace('download', join(dir, 'out'));
    expect(exit).toBe(1);
    expect(err).toMatch(/^error path\.escape: /);
    expect(existsSync(join(dir, 'escaped'))).toBe(false);
  },
);

test("a file whose content doesn't match its hash is not written", async () => {
  entries = [file('a', 'expected')];
  expect((await workspace('download', join(dir, 'out'))).err).toMatch(/^error blob\.corrupt: /);
  expect(existsSync(join(dir, 'out', 'a'))).toBe(false);
});

test('a download refuses a directory that is not empty', async () => {
  writeFileSync(join(dir, 'mine'), '');
  expect((await workspace('download', dir)).exit).toBe(2);
});

test('workspaces are listed and created, and show their history', async () => {
  expect((await writ(['workspace'], { env: api.env })).out).toContain(IDS.workspace);
  expect((await writ(['workspace', 'create', 'w'], { env: api.env })).out).toContain(SNAPSHOT);
});
