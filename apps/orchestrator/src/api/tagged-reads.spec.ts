// SPDX-License-Identifier: Apache-2.0
import { sampleOf } from '../specs/sample-requests.ts';
import { createFixture, type Fixture } from '../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../specs/test-api.ts';
import { ROUTES } from './routes.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());

const fill = (path: string): string =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => (has as Record<string, string>)[name] ?? 'missing');
const read = (path: string, headers: Record<string, string> = {}) =>
  api.ask('GET', path, { key: tenant.admin, headers });
const tagged = ROUTES.filter(({ method, tagged: by }) => method === 'GET' && by === 'view');

test.each(tagged.map((row) => [row.id, row] as const))(
  '`%s` has a tag, which saves the body of the next answer, and none where the request expands something',
  async (_id, { id, path, expands = {} }) => {
    const at = `${fill(path)}${sampleOf(id, has).query ?? ''}`;
    const first = await read(at);
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{64}"$/)]);
    const again = await read(at, { 'if-none-match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await read(at, { 'if-none-match': '"other"' })).status).toBe(200);
    for (const name of Object.keys(expands)) {
      const more = await read(`${at}?expand=${name}`, { 'if-none-match': etag });
      expect([name, more.status, more.headers.get('etag')]).toEqual([name, 200, null]);
    }
  },
);

test('one skill, sandbox, profile, token, approval, secret, grant or issuer is read with a tag', () => {
  const ids = tagged.map(({ id }) => id);
  expect(ids).toEqual(
    expect.arrayContaining([
      ...['readSkill', 'readSandbox', 'readExecutionProfile', 'readToken', 'readApproval'],
      ...['readSecret', 'readResourceGrant', 'readIdentityProvider'],
    ]),
  );
});
