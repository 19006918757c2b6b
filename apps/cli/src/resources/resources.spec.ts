// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ, type FakeApi } from '../specs/run-cli.ts';

const resource = {
  resource_id: `res_${'0'.repeat(26)}`,
  ref: 'deployment:shop',
  version: 'v2',
  created_at: 0,
  updated_at: 1,
  updated_by: 'key_of_an_operator',
};
let api: FakeApi;
beforeEach(async () => {
  api = await fakeApi(({ url, method }) => ({
    body: method === 'PUT' ? resource : { items: url.includes('ref=nothing') ? [] : [resource], next_cursor: null },
  }));
});
afterEach(() => api.close());
const run = (...args: string[]) => writ(['resources', ...args], { env: api.env });

test('resources are listed, shown and set from the version that stands', async () => {
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
  const bodies = api.heard.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body) as unknown);
  expect(bodies).toEqual([
    { ref: 'deployment:shop', version: 'v2', expected_version: 'v1' },
    { ref: 'deployment:shop', version: 'v2', expected_version: null },
  ]);
});

test('nothing is overwritten unseen: the version that stands is named, or that there is none', async () => {
  for (const more of [[], ['--expect', 'v1', '--new']]) {
    const { exit, err } = await run('set', 'deployment:shop', 'v2', ...more);
    expect(exit).toBe(2);
    expect(err).toContain('--expect');
  }
  expect(api.heard).toEqual([]);
});

test('a resource that is not there is said not to be', async () => {
  expect(await run('show', 'nothing')).toMatchObject({
    exit: 1,
    err: 'error not_found: there is no resource `nothing`; see docs/errors/not_found.md\n',
  });
});
