// SPDX-License-Identifier: Apache-2.0
// Reads of files and skills are calls of MCP too, so a person may have to decide about them. Over a fake kernel.
import type { OperationView, ProposedCall } from '@writ/contract';
import { viewOf } from '../../specs/fake-views.ts';
import { messageOf, postModern, type ModernRequest } from '../../specs/mcp-request.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
let proposed: ProposedCall;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
  api.kernel.admits = (call) => {
    proposed = call;
    return { ...viewOf(call, 'held'), result: null };
  };
});

const approved = (call: ProposedCall): OperationView => {
  const view = viewOf(call, 'no_op');
  const result = { content: 'a secret plan', encoding: 'utf8' };
  return { ...view, result: { ...view.result!, status: 'ok', error: null, result, result_ref: null } };
};
const ask = async (method: string, params: ModernRequest['params']) =>
  await messageOf(
    await postModern(`${api.url}/mcp/${has.capability_token_id}?workspace_id=${has.workspace_id}`, tenant.agent, {
      method,
      params: params!,
      capabilities: { elicitation: { form: {} } },
    }),
  );
const accept = { inputResponses: { approval: { action: 'accept', content: {} } } };

const READS = [
  ['resources/read', { uri: 'writ://workspace/plan.txt' }, { uri: 'writ://workspace/other.txt' }],
  ['prompts/get', { name: 'plan' }, { name: 'other' }],
] as const;

it.each(READS)('a held %s is asked about, and is answered once a person has approved it', async (method, params) => {
  const asked = await ask(method, params);
  expect(asked.result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { approval: { method: 'elicitation/create' } },
  });
  const { requestState } = asked.result!;
  api.kernel.keep(tenant.tenantId, proposed.operation_id, 'operation', approved(proposed));
  const { result } = await ask(method, { ...params, requestState, ...accept });
  expect(result).toMatchObject({ resultType: 'complete' });
  expect(JSON.stringify(result)).toContain('a secret plan');
  expect(api.kernel.requests.filter(({ verb }) => verb === 'admit')).toHaveLength(1);
});

it.each(READS)('the state of a held %s gets no result for another one', async (method, params, other) => {
  const { requestState } = (await ask(method, params)).result!;
  for (const [by, wanted] of [
    [method, other],
    ['tools/call', { name: method === 'prompts/get' ? 'skill.read' : 'fs.read', arguments: {} }],
  ] as const) {
    const { result, error } = await ask(by, { ...wanted, requestState, ...accept });
    expect([result, error]).toMatchObject([undefined, { code: -32602 }]);
  }
});

it.each([
  ['arguments', { arguments: { path: 'b' } }],
  ['idempotency key', { _meta: { 'writ.dev/idempotency-key': 'k2' } }],
  ['arguments of a dry run', { _meta: { 'writ.dev/idempotency-key': 'k1', 'writ.dev/dry-run': true } }],
])('the state of a held call is not continued with other %s', async (_what, other) => {
  const call = { name: 'fs.read', arguments: { path: 'a', offset: 1 }, _meta: { 'writ.dev/idempotency-key': 'k1' } };
  const { requestState } = (await ask('tools/call', call)).result!;
  const again = { requestState, inputResponses: { approval: { action: 'decline' } } };
  expect((await ask('tools/call', { ...call, ...other, ...again })).error).toMatchObject({ code: -32602 });
  api.kernel.keep(tenant.tenantId, proposed.operation_id, 'operation', approved(proposed));
  const same = { ...call, name: 'fs_read', arguments: { offset: 1, path: 'a' } };
  expect((await ask('tools/call', { ...same, ...again })).result).toMatchObject({ resultType: 'complete' });
  expect(api.kernel.requests.filter(({ verb }) => verb === 'admit')).toHaveLength(1);
});

it('a question without an answer is asked again, and one that is declined gets the operation', async () => {
  api.kernel.admits = (call) => {
    const view = { ...viewOf(call, 'held'), result: null };
    api.kernel.keep(tenant.tenantId, call.operation_id, 'operation', view);
    return view;
  };
  const call = { name: 'fs.read', arguments: { path: 'a' } };
  const { requestState } = (await ask('tools/call', call)).result!;
  for (const inputResponses of [{}, { other: { action: 'accept' } }, { approval: { action: 'approve' } }]) {
    const again = await ask('tools/call', { ...call, requestState, inputResponses });
    expect(again.result ?? again.error).toMatchObject(
      again.error === undefined ? { resultType: 'input_required' } : { code: -32602 },
    );
  }
  const inputResponses = { approval: { action: 'decline' } };
  expect((await ask('tools/call', { ...call, requestState, inputResponses })).result).toMatchObject({
    resultType: 'complete',
    structuredContent: { state: 'held', next: expect.stringContaining('operations_wait') },
  });
  expect(api.kernel.requests.filter(({ verb }) => verb === 'admit')).toHaveLength(1);
});
