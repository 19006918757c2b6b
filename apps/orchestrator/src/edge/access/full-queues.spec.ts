// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { viewOf } from '../../specs/fake-views.ts';
import { openTestApi, problem, type TestApi } from '../../specs/test-api.ts';
import { FullQueues } from './full-queues.ts';

const body = { tool_id: 'fs.read', args: { path: 'a' }, capability_token_id: 'cap_x', workspace_id: 'wsp_x' };

test('a queue that was full a moment ago is believed to be full, a tenth of a second long, and no other is', () => {
  let now = 1_000;
  const queues = new FullQueues(() => now);
  queues.note('flooder');
  expect(() => queues.pass('flooder')).toThrow(expect.objectContaining({ code: 'queue.full' }));
  expect(() => queues.pass('victim')).not.toThrow();
  now = 1_101;
  expect(() => queues.pass('flooder')).not.toThrow();
});

describe('at the API', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openTestApi();
  });
  afterAll(() => api.close());

  test('calls of a tenant whose queue is full are turned away without asking the kernel; other requests and other tenants come in', async () => {
    const [flooder, victim] = [await api.newTenant(), await api.newTenant()];
    api.kernel.admits = (call) => {
      if (call.tenant_id === flooder.tenantId) throw new Fault('queue.full', 'as many wait as may');
      return viewOf(call, 'no_op');
    };
    const propose = (key: string) => api.ask('POST', '/v1/tool-calls', { key, body });
    const first = await propose(flooder.agent);
    expect(first.json).toEqual(problem('queue.full', 429));
    expect(first.headers.get('retry-after')).toBe('1');
    const asked = api.kernel.asked.length;
    // Within the tenth of a second: one of several at once, at least, finds the queue still believed to be full.
    const more = await Promise.all(Array.from({ length: 8 }, () => propose(flooder.agent)));
    expect(more.map(({ json }) => json['code'])).toEqual(Array(8).fill('queue.full'));
    expect(api.kernel.asked.length - asked).toBeLessThan(8);
    expect((await propose(victim.agent)).status).toBe(200);
    expect((await api.ask('GET', '/v1/tools', { key: flooder.agent })).status).toBe(200);
  });
});
