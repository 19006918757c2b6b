// SPDX-License-Identifier: Apache-2.0
import { Fault, type ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { viewOf } from '../../specs/fake-views.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

const approval = newId('approval');
const edit = () =>
  api.ask('POST', `/v1/approvals/${approval}/edit`, { key: tenant.operator, body: { args: { path: 'b' } } });
const edits = () => api.kernel.requests.filter(({ verb }) => verb === 'approval.edit').map(({ request }) => request);
const CALL = {
  agent_id: '',
  tool_id: 'fs.read',
  capability_token_id: 'cap_x',
  workspace_id: 'wsp_x',
  session_id: null,
  task_class: 'general',
  provenance: {},
};
const made = (operation_id: unknown) =>
  viewOf({ ...CALL, tenant_id: tenant.tenantId, operation_id, agent_id: tenant.agentId } as ProposedCall, 'held');

it.each(['deadline', 'bus.unreachable', 'database.unavailable'] as const)(
  'an edit whose answer is lost (%s) is sent again as the same call, with the same arguments',
  async (lost) => {
    api.kernel.handlers.set('approval.edit', (_caller, { operation_id }) => {
      if (edits().length < 3) throw new Fault(lost);
      return made(operation_id);
    });
    const answer = await edit();
    expect(answer.status).toBe(200);
    expect(edits()).toHaveLength(3);
    expect(new Set(edits().map((request) => JSON.stringify(request))).size).toBe(1);
    expect(answer.json['operation_id']).toBe(edits()[0]?.['operation_id']);
  },
);

it.each(['conflict', 'approval.own_call', 'record.backlog', 'internal'] as const)(
  'an edit that was answered with `%s` is not sent again',
  async (code) => {
    api.kernel.handlers.set('approval.edit', () => {
      throw new Fault(code);
    });
    expect((await edit()).json['code']).toBe(code);
    expect(edits()).toHaveLength(1);
  },
);
