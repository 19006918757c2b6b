// SPDX-License-Identifier: Apache-2.0
import { hostWithFiles, outcomeOf } from '../specs/world.ts';

test('an answer of 400 or more fails with its body, NetHttpStatus says it', async () => {
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
  expect(host.net.asked.map(({ method, headers, body }) => [method, headers['content-type'], body])).toEqual([
    ['POST', 'application/json', '{"a":1}'],
    ['PUT', 'text/plain; charset=utf-8', 'words'],
  ]);
});
