// SPDX-License-Identifier: Apache-2.0
import { RESOURCE_SECRET_PREFIX, type HttpTool, type ProposedCall } from '@writ/contract';
import { openKernelSpec } from '../../specs/kernel-spec.ts';
import { requestBy, callerOf, type TestManagement } from '../../specs/test-management.ts';
import { credentialsOf, reportOf, type TestExecution } from '../../specs/test-executor.ts';
import type { TestKernel } from '../../specs/test-kernel.ts';
import { AUTOPILOT } from '../../specs/test-ports.ts';
import type { TestTenant } from '../../specs/test-tenant.ts';

let kernel: TestKernel;
let run: TestExecution;
let manage: TestManagement;
let tenant: TestTenant;
let token: string;
openKernelSpec((on) => {
  ({ kernel, run, manage } = on);
});
beforeEach(async () => {
  tenant = await kernel.newTenant();
  await tenant.write({ 'a.txt': 'hello' });
  token = await tenant.token({ net: [{ domain: 'api.outside.example', methods: ['GET', 'POST'] }] });
  kernel.policy.answer = () => AUTOPILOT;
});

const ORDER: Omit<HttpTool, 'version'> = {
  v: 1,
  kind: 'http',
  tool_id: 'api.shop.createOrder',
  description: 'Creates an order.',
  category: 'write',
  parameters: {
    type: 'object',
    properties: { shop: { type: 'string' }, body: { type: 'object', properties: { amount: { type: 'number' } } } },
    required: ['shop', 'body'],
    additionalProperties: false,
  },
  result: null,
  timeout_ms: 5_000,
  method: 'POST',
  server: 'https://api.outside.example/v1',
  path: '/shops/{shop}/orders',
  inputs: [{ argument: 'shop', name: 'shop', in: 'path', style: 'simple', explode: false }],
  body: { argument: 'body', media: 'application/json' },
  credentials: [],
  idempotency_header: null,
};
const apply = (http: unknown[]) =>
  manage.applyTools.run({ ...requestBy(callerOf(tenant.tenantId)), file: { http }, dry_run: false });
const order = (more: Partial<ProposedCall> = {}) =>
  tenant.writeCall(token, { tool_id: ORDER.tool_id, args: { shop: 'a/b', body: { amount: 5 } }, ...more });
const verdictOf = async (call: ProposedCall): Promise<string> => {
  const { state, result } = await kernel.admit.run(call, null);
  return result?.error?.code ?? state;
};

describe('tools of an HTTP API', () => {
  it('are applied together, each with a record, and keep their version while they are the same', async () => {
    const list = { ...ORDER, tool_id: 'api.shop.list-Orders' };
    const first = await apply([ORDER, list]);
    expect(first.tools).toMatchObject([
      { tool_id: 'api.shop.createOrder', version: 1, change: 'created' },
      { tool_id: 'api.shop.list-Orders', version: 1, change: 'created' },
    ]);
    expect((await apply([ORDER, list])).tools).toMatchObject([{ change: 'unchanged' }, { change: 'unchanged' }]);
    expect((await apply([{ ...ORDER, timeout_ms: 6_000 }])).tools).toMatchObject([{ version: 2, change: 'changed' }]);
    expect((await tenant.records()).map(({ change }) => change?.subject)).toEqual([
      'api.shop.createOrder',
      'api.shop.list-Orders',
      'api.shop.createOrder',
    ]);
  });

  it.each([
    ['a document that is no tool', { ...ORDER, extra: 1 }, '/http/1'],
    ['a name of another family', { ...ORDER, tool_id: 'net.egress' }, '/http/1/tool_id'],
    ['a name twice', ORDER, '/http/1/tool_id'],
    ['a path that leads upwards', { ...ORDER, tool_id: 'api.shop.x', path: '/shops/../{shop}' }, '/http/1/path'],
    ['an argument without a place', { ...ORDER, tool_id: 'api.shop.x', body: null }, '/http/1/inputs'],
    [
      'a pattern that only V8 can match',
      { ...ORDER, tool_id: 'api.shop.x', parameters: { ...ORDER.parameters, $defs: { a: { pattern: '(a)\\1' } } } },
      '/http/1/parameters/$defs/a/pattern',
    ],
    [
      'a credential in clear',
      {
        ...ORDER,
        tool_id: 'api.shop.x',
        server: 'http://a.example',
        credentials: [{ in: 'header', name: 'authorization', prefix: '', secret: 'A' }],
      },
      '/http/1/server',
    ],
    [
      'a header that frames the message',
      { ...ORDER, tool_id: 'api.shop.x', idempotency_header: 'Content-Length' },
      '/http/1/idempotency_header',
    ],
  ])('are not applied at all where one is %s', async (_what, wrong, pointer) => {
    const { valid, problems } = await apply([ORDER, wrong]);
    expect(valid).toBe(false);
    expect(problems[0]?.pointer.startsWith(pointer)).toBe(true);
    expect(await tenant.countOf('outbox')).toBe(0);
  });

  it('name their request, so that the token decides on host and method', async () => {
    await apply([ORDER]);
    expect(await verdictOf(order())).toBe('admitted');
    token = await tenant.token({ net: [{ domain: 'api.outside.example', methods: ['GET'] }] });
    expect(await verdictOf(order())).toBe('token.scope');
  });

  it.each([
    ['that do not match the schema', { shop: 'a', body: { amount: 'x' } }, '/body/amount'],
    ['that no request can carry', { shop: '..', body: {} }, '/shop'],
    ['that it has not', { shop: 'a', body: {}, more: 1 }, ''],
  ])('refuse arguments %s, with their places', async (_what, args, pointer) => {
    await apply([ORDER]);
    const { result } = await kernel.admit.run(order({ args }), null);
    expect(result?.error?.code).toBe('args.invalid');
    expect(result?.reasons.map(({ message }) => message).join()).toContain(pointer);
  });

  it('get the secrets of their credentials, which no token has to grant; without one the call ends', async () => {
    await apply([
      { ...ORDER, credentials: [{ in: 'header', name: 'authorization', prefix: 'Bearer ', secret: 'SHOP_TOKEN' }] },
    ]);
    const missing = order();
    await kernel.admit.run(missing, null);
    await expect(run.performAdmitted(tenant, missing.operation_id, 'broker')).rejects.toMatchObject({
      code: 'secret.unknown',
    });
  });

  it('run on the document that was decided on, and a refusal of the API keeps its answer', async () => {
    await apply([{ ...ORDER, category: 'read' }]);
    const call = tenant.call(token, { tool_id: ORDER.tool_id, args: { shop: 'a', body: {} } });
    await kernel.admit.run(call, null);
    const { attempt, redemption } = await run.performAdmitted(tenant, call.operation_id, 'broker');
    expect(redemption).toMatchObject({ cli_tool: { kind: 'http', tool_id: ORDER.tool_id, version: 1 } });
    expect(Object.keys(redemption.secrets).some((name) => name.startsWith(RESOURCE_SECRET_PREFIX))).toBe(false);
    const answer = { status: 404, headers: {}, body: { why: 'none' }, encoding: 'json', size: 14, truncated: false };
    const reply = await run.commit.run(
      reportOf(attempt, null, {
        ended: 'failed',
        error: { code: 'api.refused', message: 'the API answered 404', hint: null },
        result: answer,
      }),
    );
    expect(reply).toMatchObject({ tx_outcome: 'no_op' });
    expect(await tenant.row(call.operation_id)).toMatchObject({ fault_code: 'api.refused' });
  });

  it.each([
    ['refused by the API did nothing', 'api.refused', 404, 'rolled_back', 'api.refused'],
    ['that the API answered otherwise may have acted', 'api.failed', 500, 'ambiguous', 'effect.ambiguous'],
    ['that got no answer may have acted', 'egress.failed', null, 'ambiguous', 'effect.ambiguous'],
    ['that ran too long may have acted', 'command.timeout', null, 'ambiguous', 'effect.ambiguous'],
  ])('a call that writes and was %s', async (_what, code, status, tx_outcome, fault_code) => {
    await apply([ORDER]);
    const call = order();
    await kernel.admit.run(call, null);
    const { attempt } = await run.performAdmitted(tenant, call.operation_id, 'broker');
    await run.renew.effectStarted(credentialsOf(attempt));
    const result =
      status === null ? null : { status, headers: {}, body: null, encoding: 'none', size: 0, truncated: false };
    const reply = await run.commit.run(
      reportOf(attempt, null, {
        ended: code === 'command.timeout' ? 'timeout' : 'failed',
        error: { code, message: 'why', hint: null },
        result,
      }),
    );
    expect(reply).toMatchObject({ tx_outcome });
    expect(await tenant.row(call.operation_id)).toMatchObject({ fault_code });
  });
});
