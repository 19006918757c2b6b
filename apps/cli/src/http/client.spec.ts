// SPDX-License-Identifier: Apache-2.0
import { fakeApi, problem, writ, type FakeResponse } from '../specs/run-cli.ts';

async function answered(said: FakeResponse) {
  const api = await fakeApi(() => said);
  try {
    return await writ(['operations'], { env: api.env });
  } finally {
    await api.close();
  }
}

test('a problem of the API becomes one line with code, message and request', async () => {
  expect(await answered(problem(403, 'auth.role', 'the API key has no role that allows this'))).toEqual({
    exit: 6,
    out: '',
    err: 'error auth.role: the API key has no role that allows this (GET /v1/operations); see docs/errors/auth.role.md\n',
  });
});

test('an answer that there is no such thing names the thing', async () => {
  const api = await fakeApi(() => problem(404, 'not_found', 'there is no such thing here'));
  const { err } = await writ(['image', 'show', 'nosuch'], { env: api.env });
  await api.close();
  expect(err).toMatch(
    /^error not_found: there is no image `nosuch` here, or this key may not see it \(GET \/v1\/images\/nosuch\)/,
  );
});

test('an error answer without a problem reports its status', async () => {
  expect((await answered({ status: 502, body: '<html>' })).err).toBe('error http: status 502 (GET /v1/operations)\n');
});

test.each([[{ items: 1 }], ['no JSON']])('an answer of another shape, %j, is reported as such', async (body) => {
  const { exit, err } = await answered({ body });
  expect(exit).toBe(1);
  expect(err).toMatch(/^error answer: /);
});

test('a redirect is not followed, so the key is sent nowhere else', async () => {
  expect((await answered({ status: 302, body: '' })).err).toMatch(/^error http: /);
});

test('an address where nothing listens is an error `http`', async () => {
  expect((await writ(['operations'], { env: { WRIT_URL: 'http://127.0.0.1:9', WRIT_API_KEY: 'k' } })).err).toBe(
    'error http: http://127.0.0.1:9 does not answer: is it running?\n',
  );
});
