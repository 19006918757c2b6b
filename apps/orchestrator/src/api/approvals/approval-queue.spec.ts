// SPDX-License-Identifier: Apache-2.0
// What lists of approvals ask of the kernel, and which parameters they refuse.
import { newId } from '@writ/nest-kit';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());

const get = (path: string) => api.ask('GET', `/v1/approvals${path}`, { key: tenant.admin });
async function asked(path: string): Promise<unknown> {
  expect((await get(path)).status).toBe(200);
  const { v: _version, ...request } = api.kernel.requests.at(-1)?.request ?? {};
  return request;
}
const page = { cursor: null, limit: 50 };

it('a list asks as before where no filter and no order is given, for kernels of the version before', async () => {
  expect(await asked('')).toEqual({ page, state: null });
  expect(await asked('?state=pending&mine=true')).toEqual({ page, state: 'pending', mine: true });
  expect(await asked('?mine=false')).toEqual({ page, state: null });
});

describe.each(['', '/brief'])('a list of approvals%s', (path) => {
  it('passes each filter and the order on, and moments as milliseconds', async () => {
    const [agent_id, person_id] = [newId('agent'), newId('person')];
    const filter = {
      tool_id: 'fs.*',
      agent_id,
      session_id: 'ses-1',
      autonomy_mode: 'soft_gate',
      group: 'finance',
      person_id,
    };
    const more = { risk_min: '0.5', since: '2026-01-31T09:30:00Z', until: '2026-02-01T00:00:00Z' };
    const query = new URLSearchParams({
      ...filter,
      ...more,
      expires_before: '2026-02-02T00:00:00Z',
      alike: 'a'.repeat(32),
    });
    expect(await asked(`${path}?state=pending&order=risk&${query}`)).toEqual({
      page,
      state: 'pending',
      order: 'risk',
      filter: {
        ...filter,
        risk_min: 0.5,
        since: Date.UTC(2026, 0, 31, 9, 30),
        until: Date.UTC(2026, 1, 1),
        expires_before: Date.UTC(2026, 1, 2),
        alike: 'a'.repeat(32),
      },
    });
  });
});

it('groups pass their order and filters on', async () => {
  expect(await asked('/groups')).toEqual({ order: 'count' });
  expect(await asked('/groups?order=expires&mine=true&tool_id=fs.write')).toEqual({
    order: 'expires',
    mine: true,
    filter: { tool_id: 'fs.write' },
  });
});

describe.each(['', '/brief', '/groups'])('a list of approvals%s refuses', (path) => {
  it.each([
    'tool_id=',
    'tool_id=a*b',
    'tool_id=fs.*.write',
    `tool_id=${'a'.repeat(129)}`,
    'agent_id=agt_1',
    'session_id=',
    'autonomy_mode=autopilot',
    'autonomy_mode=any',
    'group=Finance',
    'person_id=ann',
    'risk_min=2',
    'risk_min=high',
    'since=yesterday',
    'since=2026-02-30',
    'since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z',
    'expires_before=2026-13-01T00:00:00Z',
    'alike=x',
    'order=best',
    'kind=fs.write',
    'tool_id=a&tool_id=b',
  ])('%s', async (query) => {
    const requests = api.kernel.requests.length;
    expect(await get(`${path}?${query}`)).toMatchObject({ status: 400, json: { code: 'query.invalid' } });
    expect(api.kernel.requests).toHaveLength(requests);
  });
});
