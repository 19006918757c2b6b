// SPDX-License-Identifier: Apache-2.0
// A held call at Slack, from the message that asks to the one that shows the decision. Two replicas of the orchestrator
// run. The server speaks Slack's Web API as documented.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { vi } from 'vitest';
import { openSmtpReceiver, type SmtpReceiver } from './smtp-receiver.ts';
import { eventually, makeWorld, Observer, startStack, type JsonValue, type Stack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const TOKEN = 'xoxb-of-a-spec';
const CONVERSATION = 'C0123456789';
const WORKFLOW = '/workflows/w/triggers/manual/paths/invoke?sig=s1gnature';
const PUBLIC_URL = 'https://writ.example.org';

/** what a receiver of webhooks got */
let hooks: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
/** the cards that a workflow of Teams got */
let cards: string[];
let smtp: SmtpReceiver;
let server: Server;
let place: string;
let posts: { ts: string; shown: string }[];
let calls: string[];
let stack: Stack;
let world: World;
let observer: Observer;

/** Slack's answer: to `chat.postMessage` with the message's `ts`, and to `chat.update` of a message that is there. */
function answerOf(method: string, authorization: string | undefined, sent: JsonValue): object {
  if (authorization !== `Bearer ${TOKEN}`) return { ok: false, error: 'invalid_auth' };
  if (sent.channel !== CONVERSATION) return { ok: false, error: 'channel_not_found' };
  const shown = JSON.stringify([sent.text, sent.blocks]);
  if (method === 'chat.postMessage') {
    const ts = `1767225600.00000${posts.length}`;
    posts.push({ ts, shown });
    return { ok: true, channel: CONVERSATION, ts };
  }
  const post = posts.find((each) => each.ts === sent.ts);
  if (post === undefined) return { ok: false, error: 'message_not_found' };
  post.shown = shown;
  return { ok: true, channel: CONVERSATION, ts: post.ts };
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/hook') {
        hooks.push({ headers: request.headers, body });
        response.writeHead(204).end();
        return;
      }
      if (request.url === WORKFLOW) {
        cards.push(body);
        response.writeHead(202).end();
        return;
      }
      const method = (request.url ?? '').replace('/api/', '');
      calls.push(method);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answerOf(method, request.headers.authorization, JSON.parse(body) as JsonValue)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  smtp = await openSmtpReceiver('writ', 'p4ss-w0rd');
  stack = await startStack({
    env: { orchestrator: { WRIT_WEBHOOK_ALLOW: `${place},127.0.0.1:${smtp.port}`, WRIT_PUBLIC_URL: PUBLIC_URL } },
    without: ['executor'],
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'old/a.txt': 'one' } });
  observer = new Observer(stack);
});
afterAll(async () => {
  await observer?.close();
  await stack?.stop();
  server?.close();
  smtp?.close();
});
beforeEach(() => {
  posts = [];
  calls = [];
  hooks = [];
  cards = [];
});

const hold = async (): Promise<JsonValue> => {
  const { body } = await world.call('shell.run', { command: 'rm -rf old' });
  expect(body.state).toBe('held');
  return body;
};
const createChannel = (bot_token = TOKEN) =>
  world.admin.must('/v1/channels', {
    name: 'on call',
    kind: 'slack',
    slack: { conversation: CONVERSATION, bot_token, api_url: `http://${place}/api` },
  });

it('a held call is one message from two replicas, which shows the denial later, and never what is called', async () => {
  const second = await stack.another('orchestrator', { WRIT_HTTP_PORT: '0' });
  const { channel_id } = await createChannel();
  const held = await hold();
  await eventually('the message', () => Promise.resolve(posts.length > 0));
  expect(posts[0]?.shown).toContain('waits for a person');
  expect(posts[0]?.shown).toContain(`${PUBLIC_URL}/console/approvals/${held.approval_id as string}`);
  const denied = await world.operator.post(`/v1/approvals/${held.approval_id}/deny`, { comment: 'not on a Friday' });
  expect(denied.status).toBe(200);
  await eventually('the denial', () => Promise.resolve(posts[0]?.shown.includes('Denied') === true));
  expect(calls.filter((call) => call === 'chat.postMessage')).toHaveLength(1);
  expect(posts).toHaveLength(1);
  expect(posts.map(({ shown }) => shown).join()).not.toMatch(/rm -rf|Friday/);
  const stored = await observer.rows('SELECT * FROM orchestrator.channel');
  expect(JSON.stringify(stored)).not.toContain(TOKEN);
  const recorded = await observer.rows<{ change: JsonValue }>(
    `SELECT convert_from(payload, 'UTF8')::jsonb #> '{predicate,change}' AS change FROM ledger.leaf WHERE kind = 'change'`,
  );
  expect(recorded.map(({ change }) => change)).toContainEqual({
    verb: 'channel_created',
    subject: channel_id,
    digest: null,
  });
  await second.kill();
  await world.admin.request('DELETE', `/v1/channels/${channel_id as string}`);
});

it('a message is sent after its channel was given a token that Slack accepts', async () => {
  const { channel_id } = await createChannel('xoxb-revoked-one');
  const path = `/v1/channels/${channel_id as string}`;
  const held = await hold();
  await eventually('the error', async () => (await world.auditor.get(path)).body.last_error === 'slack: invalid_auth');
  await world.admin.request('PATCH', path, { slack: { bot_token: TOKEN } });
  expect(posts).toEqual([]);
  const other = await hold();
  await eventually('the message of a later call', () => Promise.resolve(posts.length === 1));
  expect(posts[0]?.shown).toContain(other.approval_id as string);
  expect((await world.auditor.get(path)).body.last_error).toBeNull();
  for (const { approval_id } of [held, other]) await world.operator.post(`/v1/approvals/${approval_id}/deny`, {});
  await world.admin.request('DELETE', path);
});

it('a webhook gets a signed message when a call is held and when it is denied, and never what is called', async () => {
  const { channel_id, webhook } = await world.admin.must('/v1/channels', {
    ...{ name: 'pager', kind: 'webhook', webhook: { url: `http://${place}/hook` } },
  });
  const path = `/v1/channels/${channel_id as string}`;
  expect((await world.auditor.get(path)).body.webhook).toEqual({ url: `http://${place}/hook` });
  const held = await hold();
  await eventually('the question', () => Promise.resolve(hooks.length === 1));
  await world.operator.post(`/v1/approvals/${held.approval_id}/deny`, { comment: 'not on a Friday' });
  await eventually('the denial', () => Promise.resolve(hooks.length === 2));
  const { secret } = webhook as { readonly secret: string };
  const shown = hooks.map(({ headers, body }) => {
    const { data } = new Webhook(secret).verify(body, headers as Record<string, string>) as { data: JsonValue };
    return [data.state, data.approval_id, data.url];
  });
  const { approval_id } = held;
  const page = `${PUBLIC_URL}/console/approvals/${approval_id as string}`;
  expect(shown).toEqual(['pending', 'denied'].map((state) => [state, approval_id, page]));
  expect(new Set(hooks.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
  expect(JSON.stringify(hooks)).not.toMatch(/rm -rf|Friday/);
  await world.admin.request('DELETE', path);
});

it('a workflow of Teams gets a card that asks and a card for the decision, and only its origin is shown', async () => {
  const { channel_id } = await world.admin.must('/v1/channels', {
    ...{ name: 'ops', kind: 'teams', teams: { url: `http://${place}${WORKFLOW}` } },
  });
  const path = `/v1/channels/${channel_id as string}`;
  const { body } = await world.auditor.get(path);
  expect(body.teams).toEqual({ origin: `http://${place}` });
  const held = await hold();
  await eventually('the card that asks', () => Promise.resolve(cards.length === 1));
  await world.operator.post(`/v1/approvals/${held.approval_id}/deny`, { comment: 'not on a Friday' });
  await eventually('the card of the denial', () => Promise.resolve(cards.length === 2));
  expect(cards[0]).toContain('A call waits for a person');
  expect(cards[1]).toContain('Denied');
  for (const card of cards) expect(card).toContain(`${PUBLIC_URL}/console/approvals/${held.approval_id as string}`);
  expect(cards.join()).not.toMatch(/rm -rf|Friday/);
  const stored = await observer.rows('SELECT * FROM orchestrator.channel');
  expect(JSON.stringify([stored, body])).not.toContain('s1gnature');
  await world.admin.request('DELETE', path);
});

it('people get a mail that asks and a mail with the denial, in one thread, and never what is called', async () => {
  const { channel_id } = await world.admin.must('/v1/channels', {
    ...{ name: 'ops', kind: 'email' },
    email: {
      ...{ host: '127.0.0.1', port: smtp.port, tls: 'none', username: 'writ', password: 'p4ss-w0rd' },
      ...{ from: 'writ@example.org', to: ['ops@example.org'] },
    },
  });
  const path = `/v1/channels/${channel_id as string}`;
  const held = await hold();
  await eventually('the mail that asks', () => Promise.resolve(smtp.mails.length === 1));
  await world.operator.post(`/v1/approvals/${held.approval_id}/deny`, { comment: 'not on a Friday' });
  await eventually('the mail of the denial', () => Promise.resolve(smtp.mails.length === 2));
  const [asked = '', denied = ''] = smtp.mails;
  const id = /^Message-ID: (.*)$/m.exec(asked)?.[1] ?? '';
  expect(id).toContain(held.approval_id as string);
  expect(denied).toContain(`In-Reply-To: ${id}`);
  expect(denied).toContain('Denied');
  for (const mail of smtp.mails)
    expect(mail).toContain(`${PUBLIC_URL}/console/approvals/${held.approval_id as string}`);
  expect(smtp.mails.join()).not.toMatch(/rm -rf|Friday/);
  const stored = await observer.rows('SELECT * FROM orchestrator.channel');
  expect(JSON.stringify([stored, (await world.auditor.get(path)).body])).not.toContain('p4ss-w0rd');
  await world.admin.request('DELETE', path);
});
