// SPDX-License-Identifier: Apache-2.0
import { Fault, type ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { givenValueContext, HpkeBox } from '@writ/sealing';
import { viewOf } from '../../specs/fake-views.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

const MARKER = 'marker-91c0-of-a-value';
const box = new HpkeBox(Buffer.alloc(32, 7));
let api: TestApi;
let tenant: TestTenant;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  api.kernel.handlers.set('value.key', async () => ({ public_key: (await box.publicKey()).toString('base64') }));
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
  api.kernel.handlers.set('approval.give', () => viewOf(CALL, 'admitted'));
});

const approval = newId('approval');
const CALL = {
  operation_id: newId('operation'),
  agent_id: newId('agent'),
  tool_id: 'value.get',
  capability_token_id: 'cap_x',
  workspace_id: 'wsp_x',
  session_id: null,
  task_class: 'general',
  provenance: {},
} as unknown as ProposedCall;
const give = (body: object, key = tenant.operator) => api.ask('POST', `/v1/approvals/${approval}/value`, { key, body });
const gives = () => api.kernel.requests.filter(({ verb }) => verb === 'approval.give').map(({ request }) => request);

it("a value is sent encrypted for the kernel and bound to its approval, and isn't in the response", async () => {
  const answer = await give({ value: MARKER, scope: 'session' });
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain(MARKER);
  expect(JSON.stringify(api.kernel.requests)).not.toContain(MARKER);
  const [{ value, ...rest }] = gives() as [{ value: string }];
  expect(rest).toMatchObject({ approval_id: approval, scope: 'session', note: null, comment: null });
  expect((await box.open(Buffer.from(value, 'base64'), givenValueContext(tenant.tenantId, approval))).toString()).toBe(
    MARKER,
  );
});

it('a value whose reply is lost is sent again as the same bytes', async () => {
  api.kernel.handlers.set('approval.give', () => {
    if (gives().length < 3) throw new Fault('bus.unreachable');
    return viewOf(CALL, 'admitted');
  });
  expect((await give({ value: MARKER })).status).toBe(200);
  expect(new Set(gives().map((request) => JSON.stringify(request))).size).toBe(1);
});

it.each([
  ['an empty one', { value: '' }],
  ['one that is too long', { value: `${MARKER}${'x'.repeat(8192)}` }],
  ['one that is no text', { value: { MARKER } }],
  ['an unknown scope', { value: MARKER, scope: 'ever' }],
])("%s is refused in words that don't repeat it", async (_what, body) => {
  const answer = await give(body);
  expect(answer.json['code']).toBe('request.malformed');
  expect(answer.text).not.toContain('marker-');
  expect(gives()).toEqual([]);
});

it.each(['agent', 'auditor'] as const)('the role %s may not supply a value', async (role) => {
  expect((await give({ value: MARKER }, tenant[role])).json['code']).toBe('auth.role');
  expect(api.kernel.requests).toEqual([]);
});
