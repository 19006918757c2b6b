// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ } from '../specs/run-cli.ts';

const view = {
  provider: { kind: 'searxng', url: 'https://searx.example.org' },
  definition_digest: '0'.repeat(64),
  set_by: 'key_of_an_admin',
  set_at: 1,
};

test('the provider is shown, set and taken back', async () => {
  const api = await fakeApi(() => ({ body: view }));
  for (const args of [[], ['show'], ['set', 'https://searx.example.org'], ['rm']]) {
    const { exit, out } = await writ(['search-provider', ...args], { env: api.env });
    expect({ args, exit, out }).toEqual({
      args,
      exit: 0,
      out: expect.stringMatching(/searxng at https:\/\/searx\.example\.org/) as unknown,
    });
  }
  expect(
    api.heard.map(({ method, url, body }) => [method, url, body === '' ? null : (JSON.parse(body) as unknown)]),
  ).toEqual([
    ['GET', '/v1/search-provider', null],
    ['GET', '/v1/search-provider', null],
    ['PUT', '/v1/search-provider', { kind: 'searxng', url: 'https://searx.example.org' }],
    ['DELETE', '/v1/search-provider', null],
  ]);
  await api.close();
});
