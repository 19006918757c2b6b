// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const version = {
  external_version_id: `xvr_${'0'.repeat(26)}`,
  ref: 'deployment:shop',
  version: 'v2',
  created_at: 0,
  updated_at: 1,
  updated_by: 'key_of_an_operator',
};
let api: FakeApi;
beforeEach(async () => {
  api = await fakeApi(({ url, method }) => ({
    body: method === 'PUT' ? version : { items: url.includes('ref=nothing') ? [] : [version], next_cursor: null },
  }));
});
afterEach(() => api.close());
const run = (...args: string[]) => writ(['external-version', ...args], { env: api.env });

test('external versions are listed, shown, and set with the expected version', async () => {
  for (const args of [
    ['list'],
    ['show', 'deployment:shop'],
    ['set', 'deployment:shop', 'v2', '--expect', 'v1'],
    ['set', 'deployment:shop', 'v2', '--new'],
  ]) {
    const { exit, out } = await run(...args);
    expect({ args, exit }).toEqual({ args, exit: 0 });
    expect(out).toMatch(/deployment:shop[^]*v2/);
  }
  const bodies = api.requests.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body) as unknown);
  expect(bodies).toEqual([
    { ref: 'deployment:shop', version: 'v2', expected_version: 'v1' },
    { ref: 'deployment:shop', version: 'v2', expected_version: null },
  ]);
});

test('setting an external version requires the expected version, or --new', async () => {
  for (const more of [[], ['--expect', 'v1', '--new']]) {
    const { exit, err } = await run('set', 'deployment:shop', 'v2', ...more);
    expect(exit).toBe(2);
    expect(err).toContain('--expect');
  }
  expect(api.requests).toEqual([]);
});

test('an unknown external version is an error', async () => {
  expect(await run('show', 'nothing')).toMatchObject({
    exit: 1,
    err: 'error not_found: there is no external version of `nothing`; see docs/errors/not_found.md\n',
  });
});
