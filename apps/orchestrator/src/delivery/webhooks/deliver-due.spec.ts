// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { channel } from 'node:diagnostics_channel';
import { newId } from '@writ/nest-kit';
import { Webhook } from 'standardwebhooks';
import { FakeHooks } from '../../specs/fake-webhooks.ts';
import { openReceiver, type Receiver } from '../../specs/receiver.ts';
import { parseAllowedHosts } from '../../edge/outbound/allowed-hosts.ts';
import { DeliverDue } from './deliver-due.ts';
import { EgressGate, type Resolve } from '../../edge/outbound/egress-gate.ts';
import { WebhookSecrets } from './secrets.ts';

const tenant = newId('tenant');
const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});
const receiver = async (...args: Parameters<typeof openReceiver>): Promise<Receiver> => {
  const one = await openReceiver(...args);
  open.push(one);
  return one;
};

/** A deliverer with a webhook at the URL and one message for it. */
async function ready(
  url: string,
  {
    allow = '',
    resolve = () => Promise.resolve(['127.0.0.1']),
    attemptMs = 2_000,
  }: { allow?: string; resolve?: Resolve; attemptMs?: number } = {},
) {
  const [hooks, secrets, faults, disabled] = [
    new FakeHooks(),
    new WebhookSecrets(randomBytes(32)),
    [] as unknown[],
    [] as unknown[],
  ];
  const webhook_id = newId('webhook');
  const { text: secret, sealed } = secrets.make({ tenant_id: tenant, webhook_id });
  await hooks.webhooks.create(
    tenant,
    { webhook_id, name: 'w', url, events: ['approval.pending'], secret: sealed, created_by: newId('apiKey') },
    10,
  );
  const message = {
    message_id: newId('notice'),
    kind: 'approval.pending',
    body: '{"type":"approval.pending","data":{"n":"é"}}',
  };
  await hooks.deliveries.fanOut(tenant, [message]);
  const deliver = new DeliverDue(
    hooks.deliveries,
    { gate: new EgressGate(parseAllowedHosts(allow), resolve), secrets, attemptMs, now: Date.now, chance: () => 0 },
    { disabled: (_tenant, row) => disabled.push(row), failed: (error) => faults.push(error) },
  );
  const run = async () => {
    await deliver.run();
    await deliver.idle();
    expect(faults).toEqual([]);
    return hooks.sent[0]!.row;
  };
  return { hooks, secret, secrets, webhook_id, message, deliver, disabled, run };
}

it('a message arrives once, signed by the standard, byte for byte', async () => {
  const server = await receiver();
  const { message, secret, run } = await ready(server.url, { allow: server.place });
  expect(await run()).toMatchObject({ state: 'delivered', attempts: 1, last_status: 204, last_error: null });
  await run();
  expect(server.received).toHaveLength(1);
  const { method, url, headers, body } = server.received[0]!;
  expect([method, url, body, headers['webhook-id'], headers['content-type']]).toEqual([
    'POST',
    '/hook?x=1',
    message.body,
    message.message_id,
    'application/json',
  ]);
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(message.body));
});

it('during a rotation a message verifies with either secret', async () => {
  const server = await receiver();
  const { hooks, secret, secrets, webhook_id, run } = await ready(server.url, { allow: server.place });
  const next = secrets.make({ tenant_id: tenant, webhook_id });
  await hooks.webhooks.rotate(tenant, webhook_id, next.sealed, 60_000);
  await run();
  for (const each of [secret, next.text])
    expect(() =>
      new Webhook(each).verify(server.received[0]!.body, server.received[0]!.headers as Record<string, string>),
    ).not.toThrow();
});

it.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
  const trap = await receiver();
  const server = await receiver((response) => {
    response.writeHead(status, { location: trap.url }).end();
  });
  const { run } = await ready(server.url, { allow: `${server.place},${trap.place}` });
  expect(await run()).toMatchObject({
    state: 'pending',
    attempts: 1,
    last_status: status,
    last_error: expect.stringMatching(/^status: /) as string,
  });
  expect(trap.connections()).toBe(0);
});

it('a failed delivery is retried on the schedule, or later if the server requests it', async () => {
  const server = await receiver((response) => {
    response.writeHead(503, { 'retry-after': '120' }).end();
  });
  const { hooks, run } = await ready(server.url, { allow: server.place });
  const { now } = hooks;
  expect(await run()).toMatchObject({ state: 'pending', next_at: now + 120_000 });
  hooks.now += 119_000;
  expect((await run()).attempts).toBe(1);
  hooks.now += 2_000;
  expect((await run()).attempts).toBe(2);
  for (let times = 0; times < 12; times++) {
    hooks.now += 25 * 3_600_000;
    await run();
  }
  expect(hooks.sent[0]!.row).toMatchObject({ state: 'pending', attempts: 7 });
  expect(hooks.kept[0]!.row).toMatchObject({ state: 'disabled', disabled_reason: 'failing' });
});

it('a server that answers 410 gets no more messages', async () => {
  const server = await receiver((response) => {
    response.writeHead(410).end();
  });
  const { hooks, disabled, webhook_id, run } = await ready(server.url, { allow: server.place });
  await run();
  expect(hooks.kept[0]!.row).toMatchObject({ state: 'disabled', disabled_reason: 'gone' });
  expect(disabled).toEqual([{ webhook_id, disabled_reason: 'gone' }]);
  hooks.now += 3_600_000;
  await run();
  expect(server.received).toHaveLength(1);
});

it('a silent server costs the time of one attempt, and an endless response costs less', async () => {
  const silent = await receiver(() => undefined);
  expect(await (await ready(silent.url, { allow: silent.place, attemptMs: 50 })).run()).toMatchObject({
    state: 'pending',
    last_status: null,
    last_error: 'timeout: there was no answer in time',
  });
  let cut: Promise<unknown> | undefined;
  const endless = await receiver((response) => {
    cut = once(response, 'close');
    response.writeHead(200);
    const pour = (): void => {
      while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    };
    response.on('drain', pour).on('error', () => undefined);
    pour();
  });
  expect(await (await ready(endless.url, { allow: endless.place, attemptMs: 60_000 })).run()).toMatchObject({
    state: 'delivered',
  });
  await cut;
});

it('a lookup that hangs costs the time of an attempt', async () => {
  const { run } = await ready('https://hooks.test/', { resolve: () => new Promise(() => undefined), attemptMs: 50 });
  expect(await run()).toMatchObject({ last_error: 'timeout: there was no answer in time' });
});

it('a connection goes to the checked address with the original name in the Host header and in SNI', async () => {
  const server = await receiver();
  const names: string[] = [];
  const resolve: Resolve = async (name) => {
    names.push(name);
    return names.length === 1 ? ['127.0.0.1'] : ['203.0.113.9'];
  };
  await (await ready(`http://hooks.test:${server.port}/`, { allow: `hooks.test:${server.port}`, resolve })).run();
  expect([names, server.received[0]?.headers.host]).toEqual([['hooks.test'], `hooks.test:${server.port}`]);

  let greeting = '';
  const raw = createServer((socket) =>
    socket
      .once('data', (bytes) => {
        greeting = bytes.toString('latin1');
        socket.destroy();
      })
      .on('error', () => undefined),
  ).listen(0, '127.0.0.1');
  await once(raw, 'listening');
  const { port } = raw.address() as AddressInfo;
  const ended = await (await ready(`https://hooks.test:${port}/`, { allow: `hooks.test:${port}` })).run();
  raw.close();
  expect(ended.last_error).toBe('connect.failed: no connection could be made, or it broke');
  expect(greeting).toContain('hooks.test');
});

it('a URL with an address that is not public is refused before any connection', async () => {
  const server = await receiver();
  const sockets: unknown[] = [];
  const count = (message: unknown): void => void sockets.push(message);
  channel('net.client.socket').subscribe(count);
  try {
    for (const [url, resolve] of [
      [`https://hooks.test:${server.port}/`, () => Promise.resolve(['127.0.0.1'])],
      [`https://hooks.test:${server.port}/`, () => Promise.resolve(['::ffff:127.0.0.1'])],
      [`https://127.0.0.1:${server.port}/`, undefined],
      [`http://127.0.0.1:${server.port}/`, undefined],
      [`https://2130706433:${server.port}/`, undefined],
      [`https://[::1]:${server.port}/`, undefined],
    ] as const) {
      const { run } = await ready(url, resolve === undefined ? {} : { resolve });
      expect(await run()).toMatchObject({
        state: 'pending',
        last_status: null,
        last_error: expect.stringMatching(/^(address|url)\.refused: /) as string,
      });
    }
  } finally {
    channel('net.client.socket').unsubscribe(count);
  }
  expect([sockets.length, server.connections()]).toEqual([0, 0]);
});

it('an attempt in progress when the process stops is aborted, does not count, and is repeated', async () => {
  let arrived: () => void;
  const here = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = await receiver(() => arrived());
  const { hooks, deliver } = await ready(server.url, { allow: server.place, attemptMs: 60_000 });
  await deliver.run();
  await here;
  await deliver.stop();
  expect(hooks.sent[0]!.row).toMatchObject({ state: 'pending', attempts: 0 });
  await deliver.run();
  await deliver.idle();
  hooks.now += 61_000;
  expect(await hooks.deliveries.claim({ rows: 10, tenantMax: 8, claimMs: 1 })).toHaveLength(1);
});

it('a secret that can not be decrypted fails the attempt with that reason, and nothing is sent unsigned', async () => {
  const server = await receiver();
  const { hooks, run } = await ready(server.url, { allow: server.place });
  hooks.kept[0]!.secrets = [randomBytes(60)];
  expect((await run()).last_error).toBe('secret.unreadable: the secret can not be opened: rotate it');
  expect(server.received).toEqual([]);
});
