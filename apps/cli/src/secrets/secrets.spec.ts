// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const MARKER = 'marker-3c1e of a secret';
const secret = { name: 'NPM_TOKEN', version: 2, note: "the registry's", created_by: 'key_of_an_admin', created_at: 1 };
let api: FakeApi;
beforeEach(async () => {
  api = await fakeApi(({ method }) => ({ body: method === 'GET' ? { items: [secret], next_cursor: null } : secret }));
});
afterEach(() => api.close());

test('secrets are listed, set and removed by name', async () => {
  for (const args of [['list'], ['set', 'NPM_TOKEN', '--note', "the registry's"], ['rm', 'NPM_TOKEN']]) {
    const { exit, out } = await writ(['secret', ...args], { env: api.env, stdin: MARKER });
    expect({ args, exit }).toEqual({ args, exit: 0 });
    expect(out).toMatch(/NPM_TOKEN[^]*2[^]*the registry/);
  }
  expect(
    api.requests.map(({ method, url, body }) => [
      method,
      url.split('?')[0],
      body === '' ? null : (JSON.parse(body) as unknown),
    ]),
  ).toEqual([
    ['GET', '/v1/secrets', null],
    ['PUT', '/v1/secrets', { name: 'NPM_TOKEN', value: MARKER, note: "the registry's" }],
    ['DELETE', '/v1/secrets/NPM_TOKEN', null],
  ]);
});

test('a secret value is read without echo, is never an argument, and is never printed', async () => {
  expect(await writ(['secret', 'set', 'NPM_TOKEN', MARKER], { env: api.env, stdin: MARKER })).toMatchObject({
    exit: 2,
  });
  expect(api.requests).toEqual([]);
  const { out, err } = await writ(['secret', 'set', 'NPM_TOKEN', '--json'], { env: api.env, stdin: MARKER });
  expect(out + err).not.toContain(MARKER);
  expect(await writ(['secret', 'set', 'NPM_TOKEN'], { env: api.env })).toMatchObject({ exit: 2 });
});
