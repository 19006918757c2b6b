// SPDX-License-Identifier: Apache-2.0
// Messages to a tenant's own system, from the held call to the message that verifies. Two replicas of the orchestrator
// run, and one of them dies.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { vi } from 'vitest';
import { eventually, makeWorld, Observer, startStack, type JsonValue, type Stack, type World } from '@writ/stack';
import { Webhook } from 'standardwebhooks';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly output: JsonValue;
}

let server: Server;
let place: string;
let received: Received[];
let status: number;
let stack: Stack;
let world: World;
let observer: Observer;

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({
        headers: request.headers as Record<string, string>,
        body,
        output: JSON.parse(body) as JsonValue,
      });
      response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  stack = await startStack({
    env: { orchestrator: { WRIT_WEBHOOK_ALLOW: place }, kernel: { WRIT_SWEEP_MS: '200' } },
    without: ['executor'],
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'old/a.txt': 'one' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  server?.close();
});
beforeEach(() => {
  received = [];
  status = 204;
});

const EVENTS = ['approval.pending', 'approval.approved', 'approval.denied', 'approval.expired'];
const makeWebhook = async (): Promise<{ webhook_id: string; secret: string }> =>
  (await world.admin.must('/v1/webhooks', { name: 'ops', url: `http://${place}/hooks`, events: EVENTS })) as {
    webhook_id: string;
    secret: string;
  };
/** A command that the policy holds. */
const hold = async (): Promise<JsonValue> => {
  const { body } = await world.call('shell.run', { command: 'rm -rf old' });
  expect(body.state).toBe('held');
  return body;
};
const kinds = (): string[] => received.map(({ output }) => output.type as string);

it('a held call and its denial reach a webhook signed, with ids only, once each from two replicas', async () => {
  const second = await stack.another('orchestrator', { WRIT_HTTP_PORT: '0' });
  const { webhook_id, secret } = await makeWebhook();
  const held = await hold();
  await eventually('the message', () => Promise.resolve(kinds().includes('approval.pending')));
  expect(
    (await world.operator.post(`/v1/approvals/${held.approval_id}/deny`, { comment: 'not on a Friday' })).status,
  ).toBe(200);
  await eventually('both messages', () => Promise.resolve(kinds().includes('approval.denied')));
  for (const { body, headers } of received)
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      data: { operation_id: held.operation_id, approval_id: held.approval_id },
    });
  expect(received.map(({ body }) => body).join()).not.toMatch(/rm -rf|Friday/);
  const delivered = async () =>
    (await world.auditor.get(`/v1/webhooks/${webhook_id}/deliveries?state=delivered`)).body.items as JsonValue[];
  await eventually('both delivered', async () => (await delivered()).length === 2);
  expect(kinds()).toEqual(['approval.pending', 'approval.denied']);
  expect((await observer.rows('SELECT 1 FROM kernel.notice')).length).toBe(0);
  const recorded = await observer.rows<{ change: JsonValue }>(
    `SELECT convert_from(payload, 'UTF8')::jsonb #> '{predicate,change}' AS change FROM ledger.leaf WHERE kind = 'change'`,
  );
  expect(recorded.map(({ change }) => change)).toContainEqual({
    verb: 'webhook_created',
    subject: webhook_id,
    digest: null,
  });
  await second.kill();
  await world.admin.request('DELETE', `/v1/webhooks/${webhook_id}`);
});

it('events without an orchestrator are delivered when one is back', async () => {
  const { webhook_id } = await makeWebhook();
  const held = await hold();
  await stack.services.orchestrator.kill();
  await observer.rows(`UPDATE kernel.approval SET expires_at = 1 WHERE approval_id = $1`, [held.approval_id]);
  await eventually(
    'a notice that waits',
    async () => (await observer.rows(`SELECT 1 FROM kernel.notice WHERE kind = 'approval.expired'`)).length > 0,
  );
  await stack.services.orchestrator.start();
  await eventually('the message', () => Promise.resolve(kinds().includes('approval.expired')));
  await world.admin.request('DELETE', `/v1/webhooks/${webhook_id}`);
});

it('a failed message is kept, shown with its reason, and sent again on request', async () => {
  const { webhook_id } = await makeWebhook();
  status = 500;
  await world.operator.post(`/v1/webhooks/${webhook_id}/ping`, {});
  const only = async (): Promise<JsonValue> =>
    ((await world.operator.get(`/v1/webhooks/${webhook_id}/deliveries`)).body.items as JsonValue[])[0];
  await eventually('an attempt', async () => ((await only()).attempts as number) > 0);
  expect(await only()).toMatchObject({
    kind: 'webhook.ping',
    state: 'pending',
    last_status: 500,
    last_error: expect.stringMatching(/^status: /) as string,
  });
  status = 200;
  const { delivery_id, message_id } = await only();
  await world.operator.post(`/v1/webhooks/${webhook_id}/deliveries/${delivery_id}/redeliver`, {});
  await eventually('its arrival', async () => (await only()).state === 'delivered');
  expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([message_id]));
  await world.admin.request('DELETE', `/v1/webhooks/${webhook_id}`);
});

it('a follower receives a held call and its end as they happen, an agent only its own', async () => {
  /** Resolves once the stream is open; its value then returns everything received. */
  const follow = async ({ key }: World['admin']): Promise<() => Promise<string>> => {
    const answer = await fetch(`${stack.url}/v1/events?for_ms=4000`, {
      headers: { authorization: `Bearer ${key ?? ''}` },
    });
    const parts = answer.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    let output = (await parts.next()).value ?? '';
    return async () => {
      for (let part = await parts.next(); part.done !== true; part = await parts.next()) output += part.value;
      return output;
    };
  };
  const another = (await world.admin.must('/v1/agents', { name: 'another' })).agent_id as string;
  const stranger = world.admin.as(
    (await world.admin.must('/v1/api-keys', { name: 'another', role: 'agent', agent_id: another })).api_key as string,
  );
  const streams = await Promise.all([world.auditor, world.agent, stranger].map(follow));
  const held = await hold();
  await world.operator.post(`/v1/operations/${held.operation_id}/cancel`);
  const [auditor, agent, other] = await Promise.all(streams.map((rest) => rest()));
  for (const text of [auditor, agent]) {
    const states = [...text!.matchAll(/^data: (.*"operation_id".*)$/gm)]
      .map(([, data]) => JSON.parse(data!) as JsonValue)
      .filter(({ operation_id }) => operation_id === held.operation_id);
    expect(states).toMatchObject([
      { state: 'held', approval_id: held.approval_id },
      { state: 'refused', fault_code: 'cancelled', agent_id: world.agentId },
    ]);
  }
  expect(other).not.toContain('operation_id');
});

it("a webhook at a local address needs the operator's permission", async () => {
  for (const url of [
    'https://127.0.0.1/',
    'http://127.0.0.1:1/',
    'https://[::1]/',
    'https://169.254.169.254/',
    'http://example.com/',
  ]) {
    expect((await world.admin.post('/v1/webhooks', { name: 'x', url, events: EVENTS })).body).toMatchObject({
      status: 400,
      pointer: '/url',
    });
  }
  expect(
    (await world.operator.post('/v1/webhooks', { name: 'x', url: `http://${place}/`, events: EVENTS })).body.code,
  ).toBe('auth.role');
});
