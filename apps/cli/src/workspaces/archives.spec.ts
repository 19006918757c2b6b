// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS, SNAPSHOT, WORKSPACE } from '../specs/samples.ts';

const ARCHIVE = 'as if it were an archive\n'.repeat(10_000);

let api: FakeApi;
let breaking: Server;
let dir: string;
beforeAll(async () => {
  api = await fakeApi(({ method }) => ({ body: method === 'GET' ? ARCHIVE : WORKSPACE }));
  breaking = createServer((_request, response) => {
    response.write(ARCHIVE);
    setImmediate(() => response.destroy());
  });
  breaking.listen(0, '127.0.0.1');
  await once(breaking, 'listening');
});
afterAll(async () => {
  breaking.close();
  await api.close();
});
beforeEach(() => {
  api.requests.length = 0;
  dir = mkdtempSync(join(tmpdir(), 'writ-cli-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const workspace = (...args: string[]) => writ(['workspace', ...args, '--workspace', IDS.workspace], { env: api.env });

test.each([
  ['a.tar', Buffer.from(ARCHIVE)],
  ['a.tar.gz', gzipSync(ARCHIVE)],
  ['a.tgz', gzipSync(ARCHIVE)],
])('%s is sent as its uncompressed archive', async (name, bytes) => {
  writeFileSync(join(dir, name), bytes);
  const { exit, out } = await workspace('import', join(dir, name), '--path', 'into', '--replace');
  expect([exit, out]).toEqual([0, expect.stringContaining(SNAPSHOT)]);
  expect(
    api.requests.map(({ method, url, headers, body }) => [method, url, headers['content-type'], body === ARCHIVE]),
  ).toEqual([['POST', `/v1/workspaces/${IDS.workspace}/import?path=into&replace=true`, 'application/x-tar', true]]);
});

test("a missing file, and a `.gz` file that isn't compressed, are errors", async () => {
  expect((await workspace('import', join(dir, 'none.tar'))).exit).toBe(2);
  expect(api.requests).toEqual([]);
  writeFileSync(join(dir, 'a.tgz'), 'not zipped');
  expect((await workspace('import', join(dir, 'a.tgz'))).exit).toBe(1);
});

test('an export is written unchanged, compressed by its name, and never over a file', async () => {
  expect((await workspace('export', join(dir, 'a.tar'), '--at', SNAPSHOT, '--path', 'src')).exit).toBe(0);
  expect(api.requests[0]!.url).toBe(`/v1/workspaces/${IDS.workspace}/export?at=${SNAPSHOT}&path=src`);
  expect((await workspace('export', join(dir, 'a.tgz'))).exit).toBe(0);
  expect([readFileSync(join(dir, 'a.tar'), 'utf8'), gunzipSync(readFileSync(join(dir, 'a.tgz'))).toString()]).toEqual([
    ARCHIVE,
    ARCHIVE,
  ]);
  expect((await workspace('export', join(dir, 'a.tar'))).exit).toBe(2);
});

test('an archive that breaks off leaves no file', async () => {
  const env = { ...api.env, WRIT_URL: `http://127.0.0.1:${(breaking.address() as AddressInfo).port}` };
  const { exit, err } = await writ(['workspace', 'export', join(dir, 'a.tar'), '--workspace', IDS.workspace], { env });
  expect([exit, err]).toEqual([1, expect.stringContaining('broke off')]);
  expect([readdirSync(dir), existsSync(join(dir, 'a.tar'))]).toEqual([[], false]);
});
