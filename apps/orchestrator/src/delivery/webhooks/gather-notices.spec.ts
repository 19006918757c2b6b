// SPDX-License-Identifier: Apache-2.0
import { memoryBus } from '@writ/bus';
import { Fault, subjectsOf, type CallNotice, type McpServerNotice } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { newWebhook } from '../../store/webhooks/webhooks.contract.ts';
import { FakeKernel } from '../../specs/fake-kernel.ts';
import { FakeChannels } from '../../specs/fake-channels.ts';
import { newChannel } from '../../store/channels/channels.contract.ts';
import { FakeHooks } from '../../specs/fake-webhooks.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { GatherNotices } from './gather-notices.ts';

const notice = (tenant_id: string, over: Partial<CallNotice> = {}): CallNotice => ({
  notice_id: newId('notice'),
  tenant_id,
  kind: 'approval.pending',
  created_at: 1_767_225_600_123,
  operation_id: newId('operation'),
  approval_id: newId('approval'),
  agent_id: newId('agent'),
  tool_id: 'shell.run',
  workspace_id: null,
  session_id: null,
  action_digest: '0'.repeat(64),
  autonomy_mode: 'soft_gate',
  expires_at: 1_767_312_000_000,
  resolution: null,
  ...over,
});

async function open() {
  const [bus, kernel, hooks, reported] = [
    memoryBus({ now: Date.now }),
    new FakeKernel({ emptySnapshot: 'snap' }),
    new FakeHooks(),
    [] as unknown[],
  ];
  const channels = new FakeChannels();
  await kernel.serve(bus);
  const client = new KernelClient(bus, subjectsOf('s0'), Date.now);
  const gather = () => new GatherNotices(client, hooks.deliveries, channels.messages, (error) => reported.push(error));
  const tenant = newId('tenant');
  const webhook = await hooks.webhooks.create(
    tenant,
    newWebhook({ events: ['approval.pending', 'operation.ambiguous', 'mcp_server.tools_changed'] }),
    10,
  );
  return { bus, kernel, hooks, channels, reported, gather, tenant, webhook };
}

it('a notice is stored as a message for the subscribed webhooks, and then dropped at the kernel', async () => {
  const { kernel, hooks, gather, tenant } = await open();
  const told = notice(tenant);
  kernel.notices = [
    told,
    notice(tenant, { kind: 'approval.denied' }),
    notice(newId('tenant')),
    notice(tenant, { kind: 'approval.from_a_newer_kernel' }),
  ];
  await gather().run();
  expect(kernel.notices).toEqual([]);
  const { notice_id, tenant_id: _tenant, kind, created_at: _at, ...data } = told;
  expect(hooks.sent.map(({ row, body }) => [row.message_id, JSON.parse(body)])).toEqual([
    [notice_id, { type: kind, timestamp: '2026-01-01T00:00:00.123Z', data }],
  ]);
});

it('a notice about an MCP server is a message with the server and the tools, and no member of a call', async () => {
  const { kernel, hooks, gather, tenant } = await open();
  const mcp_server = {
    resource_id: newId('resource'),
    server: 'github',
    problem: null,
    count: 1,
    tools: [{ tool_id: 'mcp.github.look', digest: '1'.repeat(64) }],
  };
  const { notice_id, created_at } = notice(tenant);
  const told: McpServerNotice = {
    notice_id,
    tenant_id: tenant,
    kind: 'mcp_server.tools_changed',
    created_at,
    mcp_server,
  };
  kernel.notices = [told];
  await gather().run();
  expect(hooks.sent.map(({ row, body }) => [row.message_id, JSON.parse(body)])).toEqual([
    [notice_id, { type: 'mcp_server.tools_changed', timestamp: '2026-01-01T00:00:00.123Z', data: mcp_server }],
  ]);
});

it('a kernel of the version before, which knows no notices about MCP servers, is asked as before', async () => {
  const { hooks, channels, tenant } = await open();
  const [bus, told, asked] = [memoryBus({ now: Date.now }), notice(tenant), [] as object[]];
  const serve = async (name: string, handler: (payload: object) => object) =>
    await bus.serve(subjectsOf('s0').request(name), {
      queue: 'kernel',
      concurrencyMax: 1,
      handler: ({ payload }) => Promise.resolve().then(() => handler(payload as object)),
    });
  await serve('kernel.notice.take', (payload) => {
    asked.push(payload);
    if ('mcp_servers' in payload) throw new Fault('request.malformed', 'unknown', { pointer: '/mcp_servers' });
    return { notices: asked.length === 2 ? [told] : [] };
  });
  await serve('kernel.notice.drop', () => ({}));
  const client = new KernelClient(bus, subjectsOf('s0'), Date.now);
  await new GatherNotices(client, hooks.deliveries, channels.messages, () => undefined).run();
  expect(hooks.sent.map(({ row }) => row.message_id)).toEqual([told.notice_id]);
  await bus.close();
});

it('a notice is stored once, however many replicas fetch it and however often the kernel returns it', async () => {
  const { kernel, hooks, gather, tenant } = await open();
  const told = Array.from({ length: 250 }, () => notice(tenant));
  kernel.notices = [...told];
  await Promise.all([gather().run(), gather().run(), gather().run()]);
  kernel.notices = told.slice(0, 50);
  await gather().run();
  expect(kernel.notices).toEqual([]);
  expect(hooks.sent.map(({ row }) => row.message_id).toSorted()).toEqual(
    told.map(({ notice_id }) => notice_id).toSorted(),
  );
});

it('a notice is not dropped before it is stored, and a failure for one tenant does not delay others', async () => {
  const { kernel, hooks, reported, gather, tenant } = await open();
  const stuck = newId('tenant');
  const spread = hooks.deliveries.fanOut.bind(hooks.deliveries);
  hooks.deliveries.fanOut = async (tenantId, messages) => {
    if (tenantId === stuck) throw new Fault('database.unavailable');
    await spread(tenantId, messages);
  };
  const [mine, theirs] = [notice(tenant), notice(stuck)];
  kernel.notices = [theirs, mine];
  await gather().run();
  expect(kernel.notices).toEqual([theirs]);
  expect(hooks.sent.map(({ row }) => row.message_id)).toEqual([mine.notice_id]);
  expect(reported).toMatchObject([{ code: 'database.unavailable' }]);
});

it('a notice about an approval is due in every channel of the tenant, once, and only where it asks somebody', async () => {
  const { kernel, channels, gather, tenant } = await open();
  const [one, two] = [newChannel(), newChannel()];
  for (const channel of [one, two]) await channels.channels.create(tenant, channel, 10);
  await channels.channels.create(newId('tenant'), newChannel(), 10);
  const told = notice(tenant);
  const { approval_id } = told;
  kernel.notices = [
    told,
    notice(tenant, { kind: 'approval.denied' }),
    notice(tenant, { kind: 'operation.ambiguous' }),
    notice(tenant, { kind: 'approval.from_a_newer_kernel' }),
  ];
  await gather().run();
  const due = () => channels.sent.map(({ row }) => [row.channel_id, row.approval_id, row.wanted]).toSorted();
  const ids = [one, two].map(({ channel_id }) => channel_id).toSorted();
  expect(due()).toEqual(ids.map((id) => [id, approval_id, 1]));
  kernel.notices = [notice(tenant, { kind: 'approval.voted', approval_id })];
  await gather().run();
  expect(due()).toEqual(ids.map((id) => [id, approval_id, 2]));
});

it('a notice stays at the kernel until the channels have it, too', async () => {
  const { kernel, hooks, channels, gather, reported, tenant } = await open();
  await channels.channels.create(tenant, newChannel(), 10);
  const note = vi.spyOn(channels.messages, 'note').mockRejectedValueOnce(new Error('the database is away'));
  kernel.notices = [notice(tenant)];
  await gather().run();
  expect([kernel.notices.length, reported.length, channels.sent.length]).toEqual([1, 1, 0]);
  await gather().run();
  expect([kernel.notices.length, hooks.sent.length, channels.sent.length]).toEqual([0, 1, 1]);
  note.mockRestore();
});
