// SPDX-License-Identifier: Apache-2.0
import { fakeApi, writ } from '../specs/run-cli.ts';
import { IDS } from '../specs/samples.ts';

test('`writ tenant create` makes a tenant and shows its key once', async () => {
  const api = await fakeApi(() => ({
    status: 201,
    body: { tenant_id: IDS.tenant, name: 'two', api_key_id: IDS.key, api_key: 'writ_shown_once' },
  }));
  const { exit, out } = await writ(['tenant', 'create', 'two'], { env: api.env });
  await api.close();
  expect(exit).toBe(0);
  expect(out).toContain('writ_shown_once');
  expect(api.requests[0]).toMatchObject({ method: 'POST', url: '/v1/tenants', body: '{"name":"two"}' });
});
