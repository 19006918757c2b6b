// SPDX-License-Identifier: Apache-2.0
// Rules on the arguments of calls, through the public API: a tenant's program with numbers, and what becomes of its
// calls when the rules or the tool change.
import { vi } from 'vitest';
import { makeWorld, sharedStack, verifiedReceipt, type JsonValue, type SharedStack, type World } from '@writ/stack';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PAY: JsonValue = {
  name: 'pay_invoice',
  description: 'Pays an invoice.',
  category: 'read',
  cmd: 'printf',
  args: ['<%s>', '{{amount}}'],
  optional_args: { fee: ['{{fee}}'], note: ['{{note}}'] },
  parameters: {
    amount: { type: 'integer' },
    fee: { type: 'number', optional: true },
    note: { type: 'string', optional: true },
  },
};
const CEDAR = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);

@id("pay.bounded") @reason("an agent pays 500 at most") @would_pass("an amount of 500 at most")
forbid (principal, action == Action::"pay_invoice", resource)
when { context.args.amount > 500 };

@id("pay.fee") @reason("a fee is less than 1.50") @would_pass("a fee below 1.50")
forbid (principal, action == Action::"pay_invoice", resource)
when { context.args has fee && context.args.fee.greaterThanOrEqual(decimal("1.50")) };

@id("text.only") @reason("files are written as text") @would_pass("a content that is text")
forbid (principal, action in Action::"fs.*", resource)
when { context has args && context.args has encoding && context.args.encoding == "base64" };
`;

let stack: SharedStack;
let world: World;
let token: string;

const documentOf = (cedar: string): JsonValue => ({ v: 1, name: 'amounts', cedar });
const put = async (cedar: string) => await world.admin.request('POST', '/v1/policies', { document: documentOf(cedar) });
const apply = async (tools: JsonValue[]) => await world.admin.request('PUT', '/v1/tools', { tools, variables: {} });
const pay = async (args: JsonValue): Promise<JsonValue> =>
  (await world.call('pay_invoice', args, { capability_token_id: token })).body;

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'a.txt': 'one\n' } });
  await apply([PAY]);
  const { agentId: agent_id, workspaceId: workspace_id } = world;
  const grant = {
    tools: ['*'],
    fs: [{ path: '', read: true, write: true }],
    net: [],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + 3_600_000,
  };
  const issued = await world.admin.must('/v1/capability-tokens', { agent_id, workspace_id, grant });
  token = issued.capability_token_id as string;
  const stored = await put(CEDAR);
  expect(stored.status).toBeLessThan(300);
  await world.admin.must('/v1/policies/activate', { policy: 'amounts' });
});

it('an amount within the bound is paid, and one beyond it is refused without quoting it', async () => {
  const paid = await pay({ amount: 500, fee: 1.4999 });
  expect(paid).toMatchObject({ status: 'ok', result: { output: '<500><1.4999>' } });
  await verifiedReceipt(stack, world, paid.operation_id as string);

  const refused = await pay({ amount: 733_411 });
  expect(refused).toMatchObject({
    status: 'error',
    error: { code: 'policy.denied', message: 'an agent pays 500 at most' },
  });
  const shown = await world.admin.request('GET', `/v1/operations/${refused.operation_id as string}`);
  const explained = await world.admin.request('GET', `/v1/operations/${refused.operation_id as string}/explain`);
  for (const said of [refused, shown.body.error, shown.body.reasons, explained.body])
    expect(JSON.stringify(said ?? null)).not.toContain('733411');
  const { record } = await verifiedReceipt(stack, world, refused.operation_id as string, 'decision');
  expect(JSON.stringify(record)).not.toContain('733411');
  expect(explained.body).toMatchObject({ asked: true, then: { mode: 'no_go', rule_ids: ['pay.bounded'] } });
});

it.each([
  [{ amount: 1, fee: 1.5 }, 'policy.denied'],
  [{ amount: 1, fee: 1.00001 }, 'policy.args_untyped'],
])('the call with %j is refused as `%s`', async (args, code) => {
  const refused = await pay(args);
  expect(refused).toMatchObject({ status: 'error', error: { code } });
  await verifiedReceipt(stack, world, refused.operation_id as string, 'decision');
});

it('an argument that no rule reads is as free as before', async () => {
  expect(await pay({ amount: 1, note: 'x'.repeat(4000) })).toMatchObject({ status: 'ok' });
});

it('a rule on a family of tools reads the argument that they share', async () => {
  expect((await world.call('fs.read', { path: 'a.txt' })).body).toMatchObject({ status: 'ok' });
  const content = Buffer.from('two').toString('base64');
  const refused = await world.call('fs.write', { path: 'b', content, encoding: 'base64' });
  expect(refused.body).toMatchObject({ error: { code: 'policy.denied', message: 'files are written as text' } });
});

it.each([
  ['context.args.amuont > 500', 'args.amuont'],
  ['context.args.amount > "x"', 'expected Long but saw String'],
])('a set with %s is refused with its place', async (condition, message) => {
  const { status, body } = await put(CEDAR.replace('context.args.amount > 500', condition));
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain(message);
  expect(JSON.stringify(body)).toMatch(/"line":7/);
});

it('a backtest and a simulation read arguments', async () => {
  const document = documentOf(CEDAR.replace('> 500', '> 400'));
  const call = { args: { amount: 450 }, tool_id: 'pay_invoice', capability_token_id: token };
  const simulated = await world.admin.request('POST', '/v1/policies/simulate', {
    document,
    call: { ...call, agent_id: world.agentId, workspace_id: world.workspaceId },
  });
  expect(simulated.body).toMatchObject({ would_be: 'refused', error: { message: 'an agent pays 500 at most' } });
  const { body } = await world.admin.request('POST', '/v1/policies/backtest', { document, since: 0 });
  const page = (body.page ?? body) as JsonValue;
  expect(page.changes).toContainEqual({ from: 'autopilot', to: 'no_go', tool_id: 'pay_invoice', count: 1 });
});

it('a tool whose argument changed is refused, and all others go on under the same policy', async () => {
  await apply([{ ...PAY, parameters: { ...(PAY.parameters as JsonValue), amount: { type: 'number' } } }]);
  const refused = await pay({ amount: 1 });
  expect(refused).toMatchObject({ error: { code: 'policy.args_changed' } });
  expect((refused.error as JsonValue).message).toContain('`pay.bounded`');
  await verifiedReceipt(stack, world, refused.operation_id as string, 'decision');
  expect((await world.call('fs.read', { path: 'a.txt' })).body).toMatchObject({ status: 'ok' });
  await apply([PAY]);
  expect(await pay({ amount: 2 })).toMatchObject({ status: 'ok' });
});
