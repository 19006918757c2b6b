// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { viewOf } from '../../specs/fake-views.ts';
import { openTestApi, problem, type TestApi } from '../../specs/test-api.ts';
import { FullQueues } from './full-queues.ts';

const body = { tool_id: 'fs.read', args: { path: 'a' }, capability_token_id: 'cap_x', workspace_id: 'wsp_x' };

test('a full queue is remembered for a tenth of a second, only for its tenant', () => {
  let now = 1_000;
  const queues = new FullQueues(() => now);
  queues.markFull('flooder', 'interactive');
  expect(() => queues.verifyNotFull('flooder')).toThrow(expect.objectContaining({ code: 'queue.full' }));
  expect(() => queues.verifyNotFull('victim')).not.toThrow();
  now = 1_101;
  expect(() => queues.verifyNotFull('flooder')).not.toThrow();
});

test('a queue that is full for background calls is not full for interactive ones', () => {
  const queues = new FullQueues(() => 0);
  queues.markFull('flooder', 'background');
  expect(() => queues.verifyNotFull('flooder', 'maintenance')).toThrow(expect.objectContaining({ code: 'queue.full' }));
  expect(() => queues.verifyNotFull('flooder')).not.toThrow();
});

describe('at the API', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  test('calls of a tenant with a full queue are rejected at the API; other requests are admitted', async () => {
    const [flooder, victim] = [await api.newTenant(), await api.newTenant()];
    api.kernel.admits = (call) => {
      if (call.tenant_id === flooder.tenantId) throw new Fault('queue.full', 'as many wait as may');
      return viewOf(call, 'no_op');
    };
    const propose = (key: string) => api.ask('POST', '/v1/tool-calls', { key, body });
    const first = await propose(flooder.agent);
    expect(first.json).toEqual(problem('queue.full', 429));
    expect(first.headers.get('retry-after')).toBe('1');
    const asked = api.kernel.requests.length;
    // Within the tenth of a second at least one of several concurrent calls finds the queue marked as full.
    const more = await Promise.all(Array.from({ length: 8 }, () => propose(flooder.agent)));
    expect(more.map(({ json }) => json['code'])).toEqual(Array(8).fill('queue.full'));
    expect(api.kernel.requests.length - asked).toBeLessThan(8);
    expect((await propose(victim.agent)).status).toBe(200);
    expect((await api.ask('GET', '/v1/tools', { key: flooder.agent })).status).toBe(200);
  });

  test("a queue that is full for background calls doesn't refuse interactive calls of the tenant", async () => {
    const tenant = await api.newTenant();
    api.kernel.admits = (call) => {
      if (call.task_class === 'background') throw new Fault('queue.full', 'as many wait as may');
      return viewOf(call, 'no_op');
    };
    const propose = async (more: object) =>
      (await api.ask('POST', '/v1/tool-calls', { key: tenant.agent, body: { ...body, ...more } })).status;
    const both = async () => [await propose({ task_class: 'background' }), await propose({})];
    expect([await both(), await both()]).toEqual([
      [429, 200],
      [429, 200],
    ]);
    // Within the tenth of a second at least one of several background calls isn't sent to the kernel.
    const asked = api.kernel.requests.length;
    await Promise.all(Array.from({ length: 8 }, () => propose({ task_class: 'background' })));
    await Promise.all(Array.from({ length: 8 }, () => propose({ task_class: 'background' })));
    expect(api.kernel.requests.length - asked).toBeLessThan(16);
  });
});
