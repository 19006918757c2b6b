// SPDX-License-Identifier: Apache-2.0
// A server on loopback that speaks Slack's Web API as documented: form of requests and answers, errors and rate limits.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface SlackPost {
  readonly channel: string;
  readonly ts: string;
  text: string;
  blocks: unknown;
  /** how often it was changed */
  changes: number;
}

/** Opens it. Its bot, whose token is `token`, is a member of the conversation `conversation`. */
export async function openFakeSlack(token = 'xoxb-of-a-spec', conversation = 'C0123456789') {
  const posts: SlackPost[] = [];
  const calls: string[] = [];
  /** statuses that the next requests are answered with instead */
  const failures: { readonly status: number; readonly retryAfter?: string; readonly body?: string }[] = [];

  const answerOf = (method: string, request: IncomingMessage, body: string): object => {
    if (request.headers['authorization'] !== `Bearer ${token}`) return { ok: false, error: 'invalid_auth' };
    if (!/^application\/json/.test(request.headers['content-type'] ?? ''))
      return { ok: false, error: 'invalid_post_type' };
    const sent = JSON.parse(body) as { channel?: string; ts?: string; text?: string; blocks?: unknown };
    if (sent.channel !== conversation) return { ok: false, error: 'channel_not_found' };
    if (sent.text === undefined || !Array.isArray(sent.blocks)) return { ok: false, error: 'no_text' };
    const { channel, text: shown, blocks } = sent;
    if (method === 'chat.postMessage') {
      const ts = `1767225600.${String(posts.length).padStart(6, '0')}`;
      posts.push({ channel, ts, text: shown, blocks, changes: 0 });
      return { ok: true, channel, ts, message: { type: 'message', text: shown, ts } };
    }
    if (method !== 'chat.update') return { ok: false, error: 'unknown_method' };
    const post = posts.find((each) => each.ts === sent.ts);
    if (post === undefined) return { ok: false, error: 'message_not_found' };
    Object.assign(post, { text: shown, blocks, changes: post.changes + 1 });
    return { ok: true, channel, ts: post.ts, text: shown };
  };

  const respond = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    const method = /^\/api\/([A-Za-z.]+)$/.exec(request.url ?? '')?.[1] ?? '';
    calls.push(method);
    const failure = failures.shift();
    if (failure !== undefined) {
      response.writeHead(failure.status, failure.retryAfter === undefined ? {} : { 'retry-after': failure.retryAfter });
      response.end(failure.body ?? '');
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(answerOf(method, request, body)));
  };

  const server = createServer((request, response) => {
    void text(request).then((body) => respond(request, response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    ...{ posts, calls, failures, token, conversation },
    place: `127.0.0.1:${port}`,
    api_url: `http://127.0.0.1:${port}/api`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
export type FakeSlack = Awaited<ReturnType<typeof openFakeSlack>>;
