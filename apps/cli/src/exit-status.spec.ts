// SPDX-License-Identifier: Apache-2.0
// The exit statuses that docs/reference/cli.md documents. A script relies on each of them.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from '@writ/testing';
import { EXIT } from './cli-error.ts';
import { fakeApi, problem, writ, type FakeResponse } from './specs/run-cli.ts';
import { HELD, IDS, OPERATION, REFUSED, RESULT } from './specs/samples.ts';

const CALL = ['call', 'fs.read', '--workspace', IDS.workspace, '--token', IDS.token];

async function exitOf(said: FakeResponse, args = CALL): Promise<number> {
  const api = await fakeApi(() => said);
  try {
    return (await writ(args, { env: api.env })).exit;
  } finally {
    await api.close();
  }
}

const failed = { ...REFUSED, error: { code: 'command.failed', message: 'it ended with 1', hint: null } };

test.each<[string, FakeResponse, number]>([
  ['that ended', { body: RESULT }, EXIT.ok],
  ['whose command failed', { body: failed }, EXIT.failed],
  ['that waits for a person', { status: 202, body: HELD }, EXIT.held],
  ['that still runs', { status: 202, body: { ...OPERATION, state: 'performing', result: null } }, EXIT.held],
  ['that was refused', { body: REFUSED }, EXIT.refused],
  [
    'that an emergency stop refuses',
    { body: { ...REFUSED, error: { code: 'frozen', message: 'm', hint: null } } },
    EXIT.refused,
  ],
  [
    'that a person denied',
    { body: { ...REFUSED, error: { code: 'approval.denied', message: 'm', hint: null } } },
    EXIT.refused,
  ],
  ['of no tool', problem(404, 'tool.unknown', 'there is no such tool'), EXIT.notFound],
  ['without a valid key', problem(401, 'auth.invalid', 'm'), EXIT.notAllowed],
  ['with a key of another role', problem(403, 'auth.role', 'm'), EXIT.notAllowed],
  ['with arguments that do not fit', problem(422, 'args.invalid', 'm'), EXIT.failed],
  ['beyond the rate', problem(429, 'rate.limited', 'm'), EXIT.unavailable],
  ['at a server that is overloaded', problem(503, 'overloaded', 'm'), EXIT.unavailable],
  ['at a database that may have committed', problem(503, 'database.unavailable', 'm'), EXIT.unknown],
  ['whose answer got lost behind the API', problem(503, 'bus.unreachable', 'm'), EXIT.unknown],
  ['at a proxy that got no answer', { status: 503, body: '<html>' }, EXIT.unknown],
  ['at a server with a bug', problem(500, 'internal', 'm'), EXIT.unknown],
])('a call %s', async (_, said, exit) => {
  expect(await exitOf(said)).toBe(exit);
});

test('a decision that the rules refuse, something that is not there, and a server that does not answer', async () => {
  const approve = ['approval', 'deny', IDS.approval];
  expect(await exitOf(problem(403, 'approval.own_call', 'm'), approve)).toBe(EXIT.refused);
  expect(await exitOf(problem(404, 'not_found', 'there is no such thing here'), approve)).toBe(EXIT.notFound);
  expect(await exitOf(problem(409, 'conflict', 'm'), approve)).toBe(EXIT.failed);
  const gone = await fakeApi(() => ({ body: {} }));
  await gone.close();
  for (const url of [gone.url, 'http://127.0.0.1:9', 'http://nowhere.invalid'])
    expect((await writ(approve, { env: { WRIT_URL: url, WRIT_API_KEY: 'k' } })).exit).toBe(EXIT.unavailable);
  expect((await writ(['approval', 'dney'])).exit).toBe(EXIT.usage);
});

test.each<[string, FakeResponse, number]>([
  ['at a database that does not answer', problem(503, 'database.unavailable', 'm'), EXIT.unavailable],
  ['at a proxy without a server', { status: 503, body: '<html>' }, EXIT.unavailable],
  ['at a server with a bug', problem(500, 'internal', 'm'), EXIT.failed],
])('a list %s: it changed nothing', async (_, said, exit) => {
  expect(await exitOf(said, ['operation', 'list'])).toBe(exit);
});

test('a call whose connection breaks before the answer is unknown, and a list is not', async () => {
  const server = createServer((request) => request.socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = { WRIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WRIT_API_KEY: 'k' };
  try {
    const called = await writ(CALL, { env });
    expect(called).toMatchObject({ exit: EXIT.unknown, err: expect.stringContaining('may have happened') as string });
    expect((await writ(['operation', 'list'], { env })).exit).toBe(EXIT.unavailable);
  } finally {
    server.close();
  }
});

test('the reference documents every status', () => {
  const page = readFileSync(join(repositoryRoot(), 'docs/reference/cli.md'), 'utf8');
  const [, section = ''] = page.split('\n## Exit status\n');
  const documented = [...(section.split('\n## ')[0] ?? '').matchAll(/^- \*\*(\d)\*\*/gm)].map(([, digit]) =>
    Number(digit),
  );
  expect(documented).toEqual(Object.values(EXIT));
});
