// SPDX-License-Identifier: Apache-2.0
import { hostWithFiles, outcomeOf, run } from '../specs/world.ts';

test('a response of 400 or more fails with its body, and NetHttpStatus returns its status', async () => {
  const host = hostWithFiles();
  host.net.answer = () => ({ status: 404, body: Buffer.from('not here') });
  expect(await outcomeOf({ verb: 'HttpGet', args: ['https://example.com/'] }, host)).toEqual({
    output: 'not here',
    error: 'the server answered 404',
  });
  expect(await outcomeOf({ verb: 'NetHttpStatus', args: ['https://example.com/'] }, host)).toEqual({
    output: '404',
    error: null,
  });
});

test('a body of JSON is sent as JSON', async () => {
  const host = hostWithFiles();
  await outcomeOf({ verb: 'HttpPost', args: ['https://example.com/', '{"a":1}'] }, host);
  await outcomeOf({ verb: 'HttpPut', args: ['https://example.com/', 'words'] }, host);
  expect(host.net.requests.map(({ method, headers, body }) => [method, headers['content-type'], body])).toEqual([
    ['POST', 'application/json', '{"a":1}'],
    ['PUT', 'text/plain; charset=utf-8', 'words'],
  ]);
});

test.each(['HttpGet', 'HttpPost', 'HttpPut', 'HttpDelete'])(
  'a redirect fails %s with its location, and is tried once',
  async (verb) => {
    const host = hostWithFiles();
    host.net.answer = () => ({
      status: 302,
      headers: { location: 'https://elsewhere.example/' },
      body: Buffer.from('see'),
    });
    const { steps } = await run({ operations: [{ verb, args: ['https://example.com/'], maxRetries: 2 }] }, host);
    expect(steps).toMatchObject([
      {
        status: 'failed',
        attempts: 1,
        output: 'see',
        error: 'the server answered 302 and leads to `https://elsewhere.example/`; redirects are not followed',
      },
    ]);
  },
);

test('a redirect without a location, and one for NetHttpStatus', async () => {
  const host = hostWithFiles();
  host.net.answer = () => ({ status: 301, body: Buffer.from('') });
  expect((await outcomeOf({ verb: 'HttpGet', args: ['https://example.com/'] }, host)).error).toBe(
    'the server answered 301 without a location',
  );
  expect((await outcomeOf({ verb: 'NetHttpStatus', args: ['https://example.com/'] }, host)).output).toBe('301');
});

test('NetPing counts connections that nothing answers, and fails where one is forbidden', async () => {
  const host = hostWithFiles();
  host.net.isUnreachable = true;
  expect(await outcomeOf({ verb: 'NetPing', args: ['example.com'] }, host)).toEqual({
    output: 'TCP connections to example.com:443 (no ICMP)\nanswered: 0 of 4',
    error: null,
  });
  host.net.connect = () => Promise.reject(new Error('token.scope: no token grants it'));
  expect((await outcomeOf({ verb: 'NetPing', args: ['example.com'] }, host)).error).toBe(
    'token.scope: no token grants it',
  );
});

test('NetDns fails where a name has no address', async () => {
  const host = hostWithFiles();
  host.net.names.set('nothing.example.com', []);
  expect((await outcomeOf({ verb: 'NetDns', args: ['nothing.example.com'] }, host)).error).toBe(
    '`nothing.example.com` has no address',
  );
});
