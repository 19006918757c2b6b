// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { problem, writ } from '../specs/run-cli.ts';

const event = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const operation = (state: string, more: object = {}) => ({
  operation_id: 'op_1',
  state,
  agent_id: 'agt_1',
  tool_id: 'fs.write',
  approval_id: null,
  fault_code: null,
  resolution: null,
  at: 1_767_225_600_000,
  ...more,
});
const READY = event('ready', { v: 1, live_only: true, resumed: false, missed: 'nothing' });

/** A fake API whose streams a test defines, one connection after the other. */
async function streams(...answers: ((response: ServerResponse) => void)[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    answers[asked.length - 1]?.(response);
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    env: { WRIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WRIT_API_KEY: 'writ_test' },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('each event is one line of text, with deceptive characters escaped', async () => {
  const api = await streams((response) =>
    response.end(
      [
        READY,
        ': still here\n\n',
        event('operation', operation('held', { approval_id: 'apr_1' })),
        event('operation', operation('refused', { fault_code: 'approval.denied\u202e' })),
        event('something_new', {}),
        event('operation', operation('ambiguous', { resolution: 'committed' })),
        event('end', { reason: 'asked' }),
      ].join(''),
    ),
  );
  const { out, exit } = await writ(['events', '--for', '2'], { env: api.env });
  expect([exit, out]).toEqual([
    0,
    [
      '2026-01-01T00:00:00Z op_1 fs.write held apr_1',
      '2026-01-01T00:00:00Z op_1 fs.write refused approval.denied\\u{202e}',
      '2026-01-01T00:00:00Z op_1 fs.write ambiguous resolved: committed',
      '',
    ].join('\n'),
  ]);
  expect(api.asked[0]).toMatch(/^\/v1\/events\?for_ms=(2000|19\d\d)$/);
  api.close();
});

test('with --json, each event is a line of JSON, and --count ends the stream', async () => {
  const api = await streams((response) => {
    response.write(
      READY +
        event('operation', operation('committed')) +
        event('operation', operation('no_op')) +
        event('operation', operation('no_op')),
    );
  });
  const { out } = await writ(['events', '--json', '--count', '2'], { env: api.env });
  expect(
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([operation('committed'), operation('no_op')]);
  api.close();
});

test('a stream that ends or breaks is reconnected, with a warning about missed events', async () => {
  const api = await streams(
    (response) =>
      response.end(
        READY +
          event('operation', operation('committed')) +
          event('cut', { reason: 'the reader is too slow: events were lost' }),
      ),
    (response) => {
      response.write(READY);
      setImmediate(() => response.destroy());
    },
    (response) => {
      response.write(READY + event('operation', operation('no_op')));
    },
  );
  const { out, err, exit } = await writ(['events', '--count', '2'], { env: api.env });
  expect([exit, out.trimEnd().split('\n')]).toEqual([
    0,
    [expect.stringContaining('committed'), expect.stringContaining('no_op')],
  ]);
  expect(err.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^the reader is too slow.* is not shown$/),
    expect.stringMatching(/^the (connection broke|stream ended); connecting again/),
  ]);
  api.close();
});

test('a refusal by the API ends `writ events`', async () => {
  const refused = problem(429, 'rate.limited', 'a tenant may have 20 event streams open here');
  const server = createServer((_request, response) => {
    response
      .writeHead(refused.status ?? 0, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify(refused.body));
  });
  server.unref();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { exit, err } = await writ(['events'], {
    env: { WRIT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WRIT_API_KEY: 'writ_test' },
  });
  expect([exit, err]).toEqual([7, expect.stringMatching(/^error rate\.limited: /)]);
  server.close();
});
