// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OPERATION_ID, sampleReceipt } from '../specs/sample-receipt.ts';
import { runSmoke } from './smoke.ts';

interface Reply {
  readonly status: number;
  readonly text: string;
}
const json = (body: object, status = 200): Reply => ({ status, text: JSON.stringify(body) });

const { file: RECEIPT, keys: KEYS } = sampleReceipt();
const COMMITTED = json({ operation_id: OPERATION_ID, tx_outcome: 'committed' });

/** The API's answers, by method and path without the query; other requests get 404. */
const ANSWERS: Readonly<Record<string, readonly Reply[]>> = {
  'GET /readyz': [json({ ready: true })],
  'POST /v1/tenants': [json({ api_key: 'admin' }, 201)],
  'POST /v1/agents': [json({ agent_id: 'agt_1' }, 201)],
  'POST /v1/api-keys': [json({ api_key: 'agent' }, 201)],
  'POST /v1/workspaces': [json({ workspace_id: 'wsp_1' }, 201)],
  'POST /v1/capability-tokens': [json({ capability_token_id: 'cap_1' }, 201)],
  'POST /v1/tool-calls': [COMMITTED],
  [`GET /v1/operations/${OPERATION_ID}`]: [json({ operation_id: OPERATION_ID, state: 'committed' })],
  'GET /v1/workspaces/wsp_1/files/smoke.txt': [{ status: 200, text: 'it works' }],
  [`GET /v1/operations/${OPERATION_ID}/receipt`]: [{ status: 200, text: RECEIPT }],
};

let server: Server;
let received: { request: string; authorization: string | undefined; body: string }[];
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

/** Answers with each reply once, and with the last one always. */
async function smoke(
  over: Readonly<Record<string, readonly Reply[]>> = {},
  waitMs = 5_000,
): Promise<{ summary: string; lines: string[] }> {
  received = [];
  const left = new Map(Object.entries({ ...ANSWERS, ...over }).map(([request, replies]) => [request, [...replies]]));
  server = createServer((request, response) => {
    const requestName = `${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`;
    const entry = { request: requestName, authorization: request.headers.authorization, body: '' };
    received.push(entry);
    request.on('data', (bytes: Buffer) => {
      entry.body += bytes.toString();
    });
    const replies = left.get(requestName) ?? [];
    const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? json({ code: 'not_found' }, 404);
    response.writeHead(reply.status).end(reply.text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lines: string[] = [];
  return {
    summary: await runSmoke({
      url: `http://127.0.0.1:${port}/`,
      platformKey: 'platform',
      keys: KEYS,
      waitMs,
      print: (line) => lines.push(line),
    }),
    lines,
  };
}

test('smoke: a call is made with the least privileged keys, and its receipt verifies', async () => {
  const { summary } = await smoke();
  expect(summary).toBe(`the receipt of ${OPERATION_ID} verifies: deployment writ.local, log of 1 records`);
  const keyOf = (request: string) => received.find((each) => each.request === request)?.authorization;
  expect(keyOf('POST /v1/tenants')).toBe('Bearer platform');
  expect(keyOf('POST /v1/workspaces')).toBe('Bearer admin');
  expect(keyOf('POST /v1/tool-calls')).toBe('Bearer agent');
  expect(received.filter(({ authorization }) => authorization === 'Bearer platform')).toHaveLength(1);
  // The form of names that the API accepts.
  const { name } = JSON.parse(received.find(({ request }) => request === 'POST /v1/tenants')!.body) as { name: string };
  expect(name).toMatch(/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/);
});

test('smoke: a transient failure is retried', async () => {
  const { summary } = await smoke({
    'GET /readyz': [json({ ready: false }, 503), json({ ready: true })],
    'POST /v1/tool-calls': [json({ code: 'unavailable' }, 503), COMMITTED],
    [`GET /v1/operations/${OPERATION_ID}/receipt`]: [
      json({ code: 'receipt.pending' }, 404),
      { status: 200, text: RECEIPT },
    ],
  });
  expect(summary).toContain('verifies');
});

test('smoke: an unfinished call is waited for, and sent again with its idempotency key', async () => {
  const { summary } = await smoke({
    'POST /v1/tool-calls': [json({ operation_id: OPERATION_ID, state: 'performing' }, 202), COMMITTED],
  });
  expect(summary).toContain('verifies');
  expect(received.map(({ request }) => request)).toContain(`GET /v1/operations/${OPERATION_ID}`);
});

test.each<[string, Readonly<Record<string, readonly Reply[]>>, RegExp]>([
  [
    "a key that isn't the platform's",
    { 'POST /v1/tenants': [json({ code: 'auth.invalid' }, 401)] },
    /POST .*\/v1\/tenants answered 401: .*auth\.invalid/,
  ],
  [
    'a call that rolls back',
    {
      'POST /v1/tool-calls': [
        json({ operation_id: OPERATION_ID, tx_outcome: 'rolled_back', error: { code: 'sandbox.failed' } }),
      ],
    },
    /the call ended `rolled_back`: .*sandbox\.failed/,
  ],
  [
    "a call that doesn't end",
    { 'POST /v1/tool-calls': [json({ operation_id: OPERATION_ID, state: 'admitted' }, 202)] },
    /the call has not ended/,
  ],
  [
    "a file that isn't what was written",
    { 'GET /v1/workspaces/wsp_1/files/smoke.txt': [{ status: 200, text: 'else' }] },
    /differs from what the command wrote: else/,
  ],
  [
    'a receipt by other keys',
    { [`GET /v1/operations/${OPERATION_ID}/receipt`]: [{ status: 200, text: sampleReceipt().file }] },
    /doesn't verify: signature/,
  ],
  [
    'a receipt that was changed',
    {
      [`GET /v1/operations/${OPERATION_ID}/receipt`]: [
        { status: 200, text: RECEIPT.replace('"tree_size":1', '"tree_size":2') },
      ],
    },
    /doesn't verify/,
  ],
  ['an answer that lacks what it should have', { 'POST /v1/agents': [json({}, 201)] }, /has no `agent_id`/],
])('smoke: %s fails it with the observed answer', async (_what, over, words) => {
  await expect(smoke(over)).rejects.toThrow(words);
});

test("smoke: an API that isn't ready fails it in time, with its answer", async () => {
  await expect(smoke({ 'GET /readyz': [json({ ready: false, checks: { bus: 'failed' } }, 503)] }, 600)).rejects.toThrow(
    /GET http:.*\/readyz answered 503: .*"bus":"failed"/,
  );
});
