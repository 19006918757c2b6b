// SPDX-License-Identifier: Apache-2.0
// A kernel of the version before knows no servers but those over HTTP, and refuses what it doesn't know.
import { Fault, type McpServerView } from '@writ/contract';
import { createFixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  await createFixture(api, tenant);
});
afterAll(() => api.close());

it('servers are shown over a kernel of the version before, as reached over HTTP', async () => {
  const {
    transport: _transport,
    command: _command,
    ...before
  } = (api.kernel.all({ tenant_id: tenant.tenantId } as never, 'mcp_server.list') as McpServerView[])[0]!;
  const strict = (answer: unknown) => (_caller: unknown, request: Record<string, unknown>) => {
    if ('every_kind' in request) throw new Fault('request.malformed', 'unknown', { pointer: '/every_kind' });
    return answer;
  };
  api.kernel.handlers.set('mcp_server.list', strict({ items: [before], next_cursor: null }));
  api.kernel.handlers.set('mcp_server.read', strict(before));
  const shown = { name: before.name, url: before.url, transport: 'http', command: null };
  const list = await api.ask('GET', '/v1/mcp-servers', { key: tenant.admin });
  expect(list).toMatchObject({ status: 200, json: { items: [shown] } });
  const one = await api.ask('GET', `/v1/mcp-servers/${before.name}`, { key: tenant.admin });
  expect(one).toMatchObject({ status: 200, json: shown });
});
