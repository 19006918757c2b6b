// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { writ } from '../specs/run-cli.ts';
import { IDS, OPERATION } from '../specs/samples.ts';

type Event = readonly [name: string, data: object, id?: string];
const ENDED = { reason: 'ended', state: 'committed', exit_code: 0, error: null, withheld: false };

let server: Server;
let env: { WRIT_URL: string; WRIT_API_KEY: string };
/** the events of each connection; after the last one, connections are refused */
let connections: readonly (readonly Event[])[];
let asked: (string | undefined)[];
beforeAll(async () => {
  server = createServer((request, response) => {
    if (!(request.url ?? '').includes('follow')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(
        JSON.stringify({ ...OPERATION, result: { ...OPERATION.result, result: { output: 'later\n' } } }),
      );
    }
    const events = connections[asked.length];
    asked.push(request.headers['last-event-id'] as string | undefined);
    if (events === undefined) return response.writeHead(503).end('{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [name, data, id] of events)
      response.write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    return response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  env = { WRIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WRIT_API_KEY: 'writ_x' };
});
afterAll(() => server.close());
beforeEach(() => {
  asked = [];
});
const follow = (...more: string[]) => writ(['operation', 'output', IDS.operation, '--follow', ...more], { env });

test('output is printed as it comes, over broken connections, each byte once', async () => {
  connections = [
    [
      ['ready', { v: 1 }],
      ['attempt', { attempt: 1 }],
      ['output', { text: 'one\n' }, '1.4'],
    ],
    [
      ['ready', { v: 1 }],
      ['output', { text: 'two\n' }, '1.8'],
      ['end', { reason: 'stopping' }],
    ],
    [
      ['ready', { v: 1 }],
      ['alive', {}],
      ['end', ENDED],
    ],
  ];
  const { out, err, exit } = await follow();
  expect([out, err, exit]).toEqual(['one\ntwo\n', 'committed\n', 0]);
  expect(asked).toEqual([undefined, '1.4', '1.8']);
});

test('what is missing, another attempt and a failure are told on stderr, and control characters are escaped', async () => {
  const error = { code: 'command.timeout', message: 'the command ran longer than allowed' };
  connections = [
    [
      ['attempt', { attempt: 1 }],
      ['skipped', { from: 0, to: 9 }, '1.9'],
      ['attempt', { attempt: 2 }],
      ['output', { text: 'a\u001b[2J\n' }, '2.5'],
      ['end', { ...ENDED, state: 'rolled_back', error }],
    ],
  ];
  const { out, err, exit } = await follow();
  expect(out).not.toContain('\u001b');
  expect(err).toContain('9 bytes are no longer there');
  expect(err).toContain('begins again');
  expect(err).toContain('rolled_back: command.timeout');
  expect(exit).toBe(1);
});

test('of a call with secrets the result is shown when it has ended', async () => {
  connections = [
    [
      ['withheld', { why: 'the call has secrets' }],
      ['end', { ...ENDED, withheld: true }],
    ],
  ];
  const { out, err } = await follow();
  expect(out).toBe('later\n');
  expect(err).toContain('the call has secrets');
});

test('a key that is no longer valid ends it', async () => {
  connections = [[['end', { reason: 'auth' }]]];
  const { err, exit } = await follow();
  expect([err.includes('the key is good no more'), exit]).toEqual([true, 1]);
});

test('`--json` prints one value, and `--follow` goes with no file', async () => {
  connections = [
    [
      ['output', { text: 'x' }, '1.1'],
      ['end', ENDED],
    ],
  ];
  expect(JSON.parse((await follow('--json')).out)).toMatchObject({ output: 'x', end: { state: 'committed' } });
  expect((await follow('--out', 'there.txt')).exit).toBe(2);
});
