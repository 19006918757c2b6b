// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problem, writ } from '../specs/run-cli.ts';

const line = (leaf_index: number): string => `${JSON.stringify({ leaf_index, envelope: {} })}\n`;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'writ-cli-export-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** A fake API whose streams a test defines, one connection after the other. */
async function streams(...answers: ((response: ServerResponse) => void)[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    answers[asked.length - 1]?.(response);
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    env: { WRIT_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, WRIT_API_KEY: 'writ_test' },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
const breaksAfter =
  (text: string) =>
  (response: ServerResponse): void => {
    response.write(text, () => setImmediate(() => response.destroy()));
  };

test('an export prints complete lines unchanged, without empty ones', async () => {
  const api = await streams((response) => response.end(`\n${line(0)}\n\n${line(1)}`));
  expect(await writ(['export', 'records'], { env: api.env })).toEqual({ exit: 0, out: line(0) + line(1), err: '' });
  expect(api.asked).toEqual(['/v1/exports/records?format=dsse']);
  api.close();
});

test('an export that breaks off reports where to resume, and writes no partial line', async () => {
  const api = await streams(breaksAfter(`${line(0)}${line(1)}{"leaf_ind`));
  const out = join(folder, 'broken.ndjson');
  const { exit, err } = await writ(['export', 'records', '--out', out], { env: api.env });
  expect([exit, err, readFileSync(out, 'utf8')]).toEqual([
    1,
    expect.stringMatching(/^error http: .*broke off after 2 records: go on with `--after 1`/),
    line(0) + line(1),
  ]);
  api.close();
});

test('a followed export resumes where it broke off, up to --limit', async () => {
  const api = await streams(
    breaksAfter(line(5)),
    (response) => response.end(line(6)),
    (response) => response.end(line(7)),
  );
  const { exit, out } = await writ(['export', 'records', '--follow', '--after', '4', '--limit', '3'], { env: api.env });
  expect([exit, out]).toEqual([0, line(5) + line(6) + line(7)]);
  expect(api.asked.map((url) => url.replace(/^.*dsse&/, ''))).toEqual([
    'after=4&limit=3&follow=true',
    'after=5&limit=2&follow=true',
    'after=6&limit=1&follow=true',
  ]);
  api.close();
});

test('an export fails if the server leaves records out or sends something else', async () => {
  const api = await streams(
    (response) => response.end(line(0) + line(2)),
    (response) => response.end(line(3)),
    (response) => response.end('{"x":1}\n'),
    (response) => response.end('<html>\n'),
  );
  for (const word of [
    'missing in between',
    'missing in between',
    'is no record of the format',
    'is no record of the format',
  ]) {
    expect(await writ(['export', 'records'], { env: api.env })).toMatchObject({
      exit: 1,
      err: expect.stringContaining(word),
    });
  }
  api.close();
});

test('a permanent refusal by the API ends a followed export', async () => {
  const server = createServer((_request, response) => {
    response
      .writeHead(403, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify(problem(403, 'auth.role', 'no').body));
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = {
    WRIT_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    WRIT_API_KEY: 'writ_test',
  };
  expect(await writ(['export', 'records', '--follow'], { env })).toMatchObject({
    exit: 6,
    err: expect.stringMatching(/^error auth\.role: /),
  });
  server.close();
});

test('an unknown format and a limit of 0 are usage errors', async () => {
  for (const args of [
    ['--format', 'csv'],
    ['--limit', '0'],
    ['--after', 'x'],
  ])
    expect((await writ(['export', 'records', ...args])).exit).toBe(2);
});
