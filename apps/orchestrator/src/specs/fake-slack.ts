// SPDX-License-Identifier: Apache-2.0
// A server on loopback that speaks Slack's Web API as documented: form of requests and answers, errors and rate limits.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { openScriptedHttp } from './scripted-http.ts';

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

  const methodOf = (path: string): string => /^\/api\/([A-Za-z.]+)$/.exec(path)?.[1] ?? '';
  const respond = (request: IncomingMessage, response: ServerResponse, body: string): void => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(answerOf(methodOf(request.url ?? ''), request, body)));
  };
  const http = await openScriptedHttp(respond);
  return {
    ...{ posts, token, conversation, failures: http.failures, close: http.close, place: http.place },
    get calls(): string[] {
      return http.paths.map(methodOf);
    },
    api_url: `http://${http.place}/api`,
  };
}
export type FakeSlack = Awaited<ReturnType<typeof openFakeSlack>>;
