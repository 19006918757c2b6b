// SPDX-License-Identifier: Apache-2.0
// A rule that redacts members of a result, through the public API: neither caller nor record nor database gets them.
import { vi } from 'vitest';
import {
  FunctionWorker,
  makeWorld,
  Observer,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const [CANARY, ASKED] = ['canary-a1c7-of-a-customer', 'canary-b2d8-of-an-argument'];
const LOOK_UP: JsonValue = {
  name: 'crm.look_up',
  description: 'Looks a customer up.',
  category: 'read',
  mode: 'pull',
  parameters: {
    type: 'object',
    properties: { customer: { type: 'string' } },
    required: ['customer'],
    additionalProperties: false,
  },
  result: {
    type: 'object',
    properties: {
      customer: { type: 'object', properties: { email: { type: 'string' }, plan: { type: 'string' } } },
      accounts: { type: 'array', items: { type: 'object', properties: { iban: { type: 'string' } } } },
    },
    additionalProperties: false,
  },
};
const CEDAR = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);

@id("crm.private") @reason("support sees no addresses and accounts") @redact("/customer/email /accounts/*/iban")
forbid (principal, action == Action::"crm.look_up", resource)
unless { context.task_class == "collections" };
`;
const RESULT = { customer: { email: CANARY, plan: 'basic' }, accounts: [{ iban: CANARY }, { iban: CANARY }] };
const KEPT = {
  customer: { email: '[redacted]', plan: 'basic' },
  accounts: [{ iban: '[redacted]' }, { iban: '[redacted]' }],
};
const REDACTIONS = [{ rule: 'crm.private', pointers: ['/customer/email', '/accounts/*/iban'] }];

let stack: SharedStack;
let world: World;
let worker: FunctionWorker;
let token: string;
const documentOf = (cedar: string): JsonValue => ({ v: 1, name: 'private', cedar });
const put = async (cedar: string) => await world.admin.request('POST', '/v1/policies', { document: documentOf(cedar) });

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  expect((await world.admin.request('PUT', '/v1/tools', { functions: [LOOK_UP] })).body).toMatchObject({ valid: true });
  const grant = {
    tools: ['*'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  const about = { agent_id: world.agentId, workspace_id: world.workspaceId, grant };
  token = (await world.admin.must('/v1/capability-tokens', about)).capability_token_id as string;
  worker = await FunctionWorker.create(world, ['crm.*']);
  expect((await put(CEDAR)).status).toBeLessThan(300);
  await world.admin.must('/v1/policies/activate', { policy: 'private' });
});

const lookUp = async (outcome: unknown, more: JsonValue = {}): Promise<JsonValue> => {
  const { body } = await world.call('crm.look_up', { customer: ASKED }, { capability_token_id: token, ...more }, 0);
  const proof = await worker.take();
  expect((await worker.redeem(proof)).body).toMatchObject({ args: { customer: ASKED } });
  expect((await worker.report(proof, outcome)).status).toBe(200);
  return await world.until(body.operation_id as string, ['committed', 'no_op', 'ambiguous', 'rolled_back']);
};

it('a caller gets the result without the members that a rule redacts, and the record says so', async () => {
  const ended = await lookUp({ outcome: 'succeeded', result: RESULT });
  expect(ended).toMatchObject({ redactions: REDACTIONS, result: { status: 'ok', result: KEPT } });
  const operationId = ended.operation_id as string;
  const { record: decision } = await verifiedReceipt(stack, world, operationId, 'decision');
  expect(decision).toMatchObject({ redactions: REDACTIONS });
  const { record: outcome } = await verifiedReceipt(stack, world, operationId, 'outcome');
  expect(outcome).not.toHaveProperty('redactions');
  const explained = await world.admin.request('GET', `/v1/operations/${operationId}/explain`);
  for (const shown of [ended, decision, outcome, explained.body]) expect(JSON.stringify(shown)).not.toContain(CANARY);
});

it('neither what a process says about a failure nor an unexpected form brings a value out', async () => {
  for (const outcome of [
    { outcome: 'failed', message: `no account ${CANARY}` },
    { outcome: 'succeeded', result: { [CANARY]: CANARY } },
    { outcome: 'succeeded', result: JSON.stringify(RESULT) },
  ])
    expect(JSON.stringify(await lookUp(outcome))).not.toContain(CANARY);
});

it('no table, no record and no log has a redacted value or an argument in clear', async () => {
  const ended = await lookUp({ outcome: 'succeeded', result: RESULT });
  await verifiedReceipt(stack, world, ended.operation_id as string, 'outcome');
  const stored = await new Observer(stack).everythingStored();
  expect(stored).toContain(ended.operation_id as string);
  for (const canary of [CANARY, ASKED, ...[CANARY, ASKED].map((each) => Buffer.from(each).toString('base64'))])
    for (const [where, text] of Object.entries({ stored, logs: stack.logTails() }))
      expect(text.includes(canary), `${where}: ${canary}`).toBe(false);
});

it('a call for which the rule does not hold gets the whole result', async () => {
  const ended = await lookUp(
    { outcome: 'succeeded', result: { customer: { email: 'shown', plan: 'basic' } } },
    { task_class: 'collections' },
  );
  expect(ended).toMatchObject({ result: { result: { customer: { email: 'shown', plan: 'basic' } } } });
  expect(ended).not.toHaveProperty('redactions');
});

it.each([
  ['/customer/emial', 'it may be misspelt', 200],
  ['/acounts/*/iban', 'leads to nothing', 422],
  ['customer/email', 'is no JSON pointer', 422],
])('a set with `@redact("%s")` is answered with its place: %s', async (pointer, message, status) => {
  const answer = await put(CEDAR.replace('/customer/email /accounts/*/iban', pointer));
  expect(answer.status < 300 ? 200 : answer.status).toBe(status);
  expect(JSON.stringify(answer.body)).toContain(message);
  expect(JSON.stringify(answer.body)).toMatch(/"line":5/);
});
