// SPDX-License-Identifier: Apache-2.0
//
// What a server can make of a session: the words that it is quoted with, the answers that it asks for, and how it
// divides what it sends.
import { remoteDigest } from '@writ/mcp-tool';
import { callRemoteTool } from './call-tool.ts';
import { ADD, eventOf, refuse, stream, SUM, Upstream } from './specs/upstream.ts';
import type { SessionDone } from './session-work.ts';

const SECRET = 'key/0123456789~secret';
const MARK = '***KEY***';

let server: Upstream;
afterEach(() => server.loopback.close());

/** Like a redactor: at a cut it removes what a value begins with, too. */
function redact(text: string, isCut = false): string {
  const whole = text.replaceAll(SECRET, MARK);
  const begun = [...SECRET].findIndex((_char, n) => whole.endsWith(SECRET.slice(0, SECRET.length - n)));
  return isCut && begun !== -1 ? `${whole.slice(0, begun - SECRET.length)}${MARK}` : whole;
}

async function call(relayed = server.loopback.relay(), output = ADD.outputSchema ?? null) {
  const work = { timeoutMs: 20_000, isLegacy: server.isLegacy, methods: [], known: null, output };
  const of = { name: 'add', digest: remoteDigest(ADD), args: { a: 1, b: 2 } };
  try {
    return await callRemoteTool({ ...work, ...of, port: relayed.port }, redact);
  } finally {
    relayed.close();
  }
}
const messageOf = (done: SessionDone<unknown>): string => ('failed' in done ? done.failed.message : '');

describe('the words of a server', () => {
  beforeEach(async () => {
    server = await Upstream.open();
  });

  it.each([
    ['the quotation is cut', 'x'.repeat(390)],
    ['no more is read', ' '.repeat(6_390)],
    ['nothing is cut', ''],
  ])('are without a secret value where %s within it', async (_what, before) => {
    server.answers = { 'tools/call': refuse(-32_603, `${before}${SECRET} is wrong`) };
    const message = messageOf(await call());
    expect(message).toContain('(-32603)');
    expect(message).not.toContain(SECRET.slice(0, 5));
    expect(message).toContain('*');
  });

  it.each<[string, object, string]>([
    ['a member that has no form in JSON', { [`${'x'.repeat(110)}${SECRET}`]: '\ud800' }, 'can not be kept'],
    ['a member that the schema has otherwise', { [SECRET]: 5 }, `\`/${MARK}\``],
  ])('are without a secret value in the name of %s', async (_what, structuredContent, words) => {
    const result = { content: [], structuredContent };
    server.answers = { 'tools/call': (received, response) => server.result(received, response, result) };
    const message = messageOf(await call(undefined, { type: 'object', additionalProperties: { type: 'string' } }));
    expect(message).toContain(words);
    expect(message).not.toContain(SECRET.slice(0, 5));
  });

  it('have the place `/` where the whole result is wrong', async () => {
    const result = { content: [], structuredContent: { sum: 3 } };
    server.answers = { 'tools/call': (received, response) => server.result(received, response, result) };
    expect(messageOf(await call(undefined, { type: 'object', required: ['total'] }))).toMatch(
      /^the result is not as the tool promises: `\/` /,
    );
  });
});

describe('a server that pings during a call', () => {
  const answeredAfter = (ms: number, pings: number): void => {
    server.answers = {
      'tools/call': (received, response) => {
        stream(response);
        for (let id = 1; id <= pings; id += 1)
          response.write(eventOf({ jsonrpc: '2.0', id: `p${id}`, method: 'ping' }));
        setTimeout(() => response.end(server.event(received, SUM)), ms);
      },
    };
  };
  beforeEach(async () => {
    server = await Upstream.open({ isLegacy: true });
  });

  it('has all the time of the call after it got its answer', async () => {
    answeredAfter(600, 1);
    expect(await call()).toMatchObject({ value: { answer: { structured: { sum: 3 } } } });
  });

  it.each([
    ['refuses the answers', 500],
    ['breaks their connections', null],
  ])('and %s has answered the call', async (_what, status) => {
    answeredAfter(600, 8);
    server.answers = {
      ...server.answers,
      POST: (_received, response) =>
        status === null ? response.destroy() : response.writeHead(status).end('no such thing'),
    };
    const relay = server.loopback.relay();
    expect(await call(relay)).toMatchObject({ value: { answer: { structured: { sum: 3 } } } });
    expect(relay.failure).toBeNull();
  });
});

it('a server that sends 200,000 chunks of a byte is left, and reads as too much', async () => {
  server = await Upstream.open();
  server.answers = {
    'tools/call': (_received, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'transfer-encoding': 'chunked' });
      response.flushHeaders();
      response.socket?.write('1\r\n \r\n'.repeat(200_000));
    },
  };
  const relay = server.loopback.relay();
  const done = await call(relay);
  expect(done).toMatchObject({ failed: { reason: 'too_large' } });
  expect(messageOf(done)).toContain('pieces');
});
