// SPDX-License-Identifier: Apache-2.0
// The extension for tasks of `/mcp`, over a fake kernel. The conformance suite checks what goes over the wire.
import type { OperationView, ProposedCall } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { viewOf } from '../../specs/fake-views.ts';
import { messageOf, postModern, type ModernRequest } from '../../specs/mcp-request.ts';
import { createFixture, type Fixture } from '../../specs/tenant-fixture.ts';
import { openTestApi, type TestApi, type TestTenant } from '../../specs/test-api.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const WITH_TASKS = { extensions: { [TASKS]: {} } };

let api: TestApi;
let tenant: TestTenant;
let has: Fixture;
beforeAll(async () => {
  api = await openTestApi();
  tenant = await api.newTenant();
  has = await createFixture(api, tenant);
});
afterAll(() => api.close());
beforeEach(() => {
  api.kernel.requests.length = 0;
});

const ask = async (request: ModernRequest, key = tenant.agent, of = has) =>
  await messageOf(
    await postModern(`${api.url}/mcp/${of.capability_token_id}?workspace_id=${of.workspace_id}`, key, {
      capabilities: WITH_TASKS,
      ...request,
    }),
  );
const call = (capabilities: object = WITH_TASKS) =>
  ask({ method: 'tools/call', params: { name: 'fs.read', arguments: { path: 'a' } }, capabilities });
const running = (call: ProposedCall): OperationView => ({ ...viewOf(call, 'performing'), result: null });
const verbs = (): string[] => api.kernel.requests.map(({ verb }) => verb);

/** A call that runs, with a task for it, and the means to change its operation. */
async function task(view: (call: ProposedCall) => OperationView = running) {
  let seen: OperationView | undefined;
  api.kernel.admits = (proposed) => (seen = view(proposed));
  const { result } = await call();
  const keep = (over: Partial<OperationView>): void => {
    api.kernel.keep(tenant.tenantId, seen!.operation_id, 'operation', { ...seen!, ...over });
  };
  keep({});
  return { created: result!, taskId: seen!.operation_id as string, keep, seen: seen! };
}

it('a call that runs is answered with a task, whose id is that of the operation', async () => {
  const { created, taskId } = await task();
  expect(created).toMatchObject({
    resultType: 'task',
    taskId,
    status: 'working',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    ttlMs: null,
    pollIntervalMs: 1_000,
  });
  expect(created).not.toHaveProperty('result');
});

it('a call that ends soon is answered with its result', async () => {
  api.kernel.admits = (proposed) => viewOf(proposed, 'no_op');
  expect((await call()).result).toMatchObject({ resultType: 'complete', structuredContent: { state: 'no_op' } });
});

it('a task has the result of its call once that has ended, also a refused one', async () => {
  const { taskId, keep, seen } = await task();
  const get = () => ask({ method: 'tasks/get', params: { taskId } });
  expect((await get()).result).toMatchObject({ status: 'working' });
  const result = viewOf({ ...seen } as never, 'committed').result;
  keep({ state: 'committed', result: { ...result!, error: null, result: { path: 'a' }, result_ref: null } });
  expect((await get()).result).toMatchObject({
    taskId,
    status: 'completed',
    result: { structuredContent: { operation_id: taskId, state: 'committed', result: { path: 'a' } } },
  });
  const error = { code: 'policy.denied', message: 'the policy forbids the call', hint: null };
  keep({ state: 'refused', result: { ...result!, status: 'error', error, result: null, result_ref: null } });
  expect((await get()).result).toMatchObject({ status: 'completed', result: { isError: true } });
});

it('a held call is a task that works, and nothing that its client sends approves it', async () => {
  const { created, taskId } = await task((proposed) => ({ ...viewOf(proposed, 'held'), result: null }));
  expect(created).toMatchObject({ status: 'working', statusMessage: expect.stringContaining('waits for a person') });
  const inputResponses = { approval: { action: 'accept', content: { approve: true } } };
  const updated = await ask({ method: 'tasks/update', params: { taskId, inputResponses } });
  expect(updated.result).toMatchObject({ resultType: 'complete' });
  expect(verbs().filter((verb) => verb.startsWith('approval.'))).toEqual([]);
  expect((await ask({ method: 'tasks/get', params: { taskId } })).result).toMatchObject({ status: 'working' });
});

it('cancelling a task cancels its operation, and one that has ended stays as it is', async () => {
  const { taskId, keep, seen } = await task();
  expect((await ask({ method: 'tasks/cancel', params: { taskId } })).result).not.toHaveProperty('taskId');
  expect(verbs()).toContain('operation.cancel');
  const error = { code: 'cancelled', message: 'the call was cancelled', hint: null };
  const ended = viewOf({ ...seen } as never, 'rolled_back').result;
  keep({ state: 'rolled_back', result: { ...ended!, status: 'error', error, result: null, result_ref: null } });
  expect((await ask({ method: 'tasks/get', params: { taskId } })).result).toMatchObject({ status: 'cancelled' });
  api.kernel.requests.length = 0;
  expect((await ask({ method: 'tasks/cancel', params: { taskId } })).result).toMatchObject({ resultType: 'complete' });
  expect(verbs()).not.toContain('operation.cancel');
});

it('a task of another tenant is answered as one that is not there', async () => {
  const { taskId } = await task();
  const other = await api.newTenant();
  const theirs = await createFixture(api, other);
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    for (const answer of [
      await ask({ method, params: { taskId } }, other.agent, theirs),
      await ask({ method, params: { taskId: newId('operation') } }),
      await ask({ method, params: { taskId: 'no id' } }),
    ])
      expect(answer.error).toEqual({ code: -32602, message: 'there is no such task' });
  expect(verbs()).not.toContain('operation.cancel');
});

it('a client without the extension gets no task, and can not ask for one', async () => {
  const { taskId } = await task();
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
    expect((await ask({ method, params: { taskId }, capabilities: {} })).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
    });
});

it('the stateless revision names the extension, and the older one does not have its methods', async () => {
  const { result } = await ask({ method: 'server/discover' });
  expect(result!['capabilities']).toMatchObject({ extensions: { [TASKS]: {} }, tools: { listChanged: false } });
  const answer = await fetch(`${api.url}/mcp/${has.capability_token_id}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${tenant.agent}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { taskId: newId('operation') } }),
  });
  expect((await messageOf(answer)).error).toMatchObject({ code: -32601 });
});

it('a bug is an error of the protocol without its message', async () => {
  const { taskId } = await task();
  api.kernel.keep(tenant.tenantId, taskId, 'operation', { state: 'performing', created_at: 'no time' });
  const { error } = await ask({ method: 'tasks/get', params: { taskId } });
  expect(error).toMatchObject({ code: -32603, data: { code: 'internal' } });
  expect(JSON.stringify(error)).not.toMatch(/RangeError|Invalid time/);
});
