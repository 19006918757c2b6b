// SPDX-License-Identifier: Apache-2.0
import { fakeApi, problem, writ, type FakeApi } from '../specs/run-cli.ts';
import { IDS, TOKEN } from '../specs/samples.ts';

let api: FakeApi;
beforeAll(async () => {
  api = await fakeApi(({ url, method }) => {
    if (url.startsWith('/v1/images/')) return problem(404, 'not_found', 'there is no such thing here');
    if (url.startsWith('/v1/resources')) return { body: { items: [], next_cursor: null } };
    if (url.startsWith('/v1/audio-devices')) return { body: {} };
    return method === 'POST' && url.startsWith('/v1/execution-profiles')
      ? { body: { valid: false, problems: [], profile: null } }
      : { body: TOKEN };
  });
});
afterAll(() => api.close());

test('a profile that names an image that is not there gets a warning', async () => {
  const { err } = await writ(['profile', 'create', 'ops', '--shell', 'bash', '--image', 'nosuch'], { env: api.env });
  expect(err).toContain('warning: there is no image `nosuch` yet');
});

test('a token that lists a resource that is not there gets a warning, and is issued', async () => {
  const { exit, err } = await writ(
    ['token', 'issue', '--agent', IDS.agent, '--resource', 'info_store:gone', '--resource', 'info_store:*'],
    { env: api.env },
  );
  expect(exit).toBe(0);
  expect(err).toBe(
    'warning: there is no resource `info_store:gone` yet: calls that need it are refused until it is made\n',
  );
});

test('a device that its key cannot look up is to be named by its id', async () => {
  const { exit, err } = await writ(['audio', 'send', 'kitchen', 'hello.wav'], { env: api.env });
  expect(exit).toBe(1);
  expect(err).toContain('with the key of the device, name it by its id: res_…');
});
