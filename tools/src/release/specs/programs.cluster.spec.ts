// SPDX-License-Identifier: Apache-2.0
// An MCP server that is a program runs as a pod of the cluster: listed, called, kept for its token, and swept after
// its executor was killed.
import { eventually, makeWorld, type JsonValue, type World } from '@writ/stack';
import { ClusterRelease, describeRelease, TWO_OF_EACH } from './cluster-release.ts';

const MINUTE_MS = 60_000;
const SECRET = 'marker-7a10-of-a-pod';

/** It counts its calls and tells who it is and what it can reach. */
const SCRIPT = `
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let calls = 0;
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize')
    return say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} },
      serverInfo: { name: 'counter', version: '1' } } });
  if (method === 'tools/list')
    return say({ id, result: { tools: [{ name: 'count', inputSchema: { type: 'object' } }] } });
  if (method !== 'tools/call') return say({ id, error: { code: -32601, message: 'Method not found' } });
  calls += 1;
  const out = await fetch('https://' + (process.env.KUBERNETES_SERVICE_HOST ?? '10.96.0.1'), {
    signal: AbortSignal.timeout(2000) }).then(() => 'open', () => 'closed');
  say({ id, result: { content: [{ type: 'text', text: [process.getuid(), out, process.env.TOKEN].join(' ') }],
    structuredContent: { calls } } });
});
`;

describeRelease('a program as a pod', () => {
  let cluster: ClusterRelease;
  let world: World;
  let tokens: readonly string[];
  let resourceId: string;

  beforeAll(async () => {
    // Each executor has processes of its own, and either of two may run a call.
    const values = { ...TWO_OF_EACH, executor: { replicas: 1 } };
    cluster = await ClusterRelease.install('writ-programs', { values });
    world = await makeWorld(await cluster.apiUrl(), await cluster.release.platformKey());
    const { status } = await world.admin.request('PUT', '/v1/secrets', { name: 'COUNTER', value: SECRET });
    expect(status).toBe(200);
    const env = { TOKEN: { secret: 'COUNTER' } };
    const settings = { transport: 'stdio', command: ['node', '-e', SCRIPT], env, memory_mb: 256 };
    const registered = await world.admin.must('/v1/resources', { kind: 'mcp_server', name: 'counter', settings });
    resourceId = registered.resource_id as string;
    const grant = { kind: 'mcp_server', resource_id: resourceId, right: 'use', agent_id: world.agentId };
    const granted = await world.admin.request('PUT', '/v1/resource-grants', { ...grant, clearance: 'autopilot' });
    expect(granted.status).toBeLessThan(300);
    const budgets = { cpu_ms: 3_600_000 };
    const bounds = { fs: [], net: [], secrets: [], budgets, not_before: 0, expires_at: Date.now() + 60 * MINUTE_MS };
    const about = { agent_id: world.agentId, workspace_id: world.workspaceId };
    const issue = async (): Promise<string> =>
      (await world.admin.must('/v1/capability-tokens', { ...about, grant: { tools: ['mcp.counter.*'], ...bounds } }))
        .capability_token_id as string;
    tokens = [await issue(), await issue()];
  }, 15 * MINUTE_MS);
  afterAll(() => cluster.remove(), 5 * MINUTE_MS);

  const call = async (token = 0): Promise<JsonValue> =>
    (
      await world.agent.post('/v1/tool-calls?wait=30000', {
        tool_id: 'mcp.counter.count',
        args: {},
        capability_token_id: tokens[token]!,
        workspace_id: world.workspaceId,
        idempotency_key: crypto.randomUUID(),
      })
    ).body;
  /** The pods of the program that aren't ending. */
  const pods = async (): Promise<string[]> => {
    const output = await cluster.node.run([
      '--namespace',
      cluster.release.sandboxes,
      'get',
      'pods',
      '-l',
      `writ.resource=${resourceId}`,
      '-o',
      'json',
    ]);
    const { items } = JSON.parse(output) as { items: { metadata: { name: string; deletionTimestamp?: string } }[] };
    return items.filter((pod) => pod.metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name);
  };

  it(
    'is listed by a pod, and its calls run without root and without a way to the cluster',
    async () => {
      const tool = await eventually(
        'the list of the program',
        async () => ((await world.admin.get('/v1/mcp-servers/counter/tools')).body.items as JsonValue[])[0],
        3 * MINUTE_MS,
      );
      const accepted = { tools: [{ name: 'count', digest: tool.seen.digest as string }] };
      expect((await world.admin.request('POST', '/v1/mcp-servers/counter/tools/accept', accepted)).status).toBe(200);
      const ended = await call();
      expect(ended).toMatchObject({ status: 'ok', tx_outcome: 'committed', result: { structured: { calls: 1 } } });
      const [{ text }] = ended.result.content as [{ text: string }];
      expect(text).toMatch(/^[1-9]\d* closed /);
      expect(JSON.stringify(ended)).not.toContain(SECRET);
    },
    5 * MINUTE_MS,
  );

  it(
    'is kept for its token and serves no other',
    async () => {
      expect((await call()).result.structured).toEqual({ calls: 2 });
      expect((await call(1)).result.structured).toEqual({ calls: 1 });
      expect((await call()).result.structured).toEqual({ calls: 3 });
      expect(await pods()).toHaveLength(2);
    },
    5 * MINUTE_MS,
  );

  it(
    'ends after its executor was killed, and the next call has a new one',
    async () => {
      const left = new Set(await pods());
      for (const pod of await cluster.pods('executor'))
        await cluster.release.kubectl(['delete', 'pod', pod, '--grace-period=0', '--force']);
      await cluster.rolledOut('deployment/writ-executor');
      expect((await call()).result.structured).toEqual({ calls: 1 });
      await eventually(
        'the end of the pods of killed executors',
        async () => (await pods()).every((name) => !left.has(name)),
        5 * MINUTE_MS,
      );
    },
    10 * MINUTE_MS,
  );

  it(
    'ends within seconds of the revocation of its token',
    async () => {
      expect((await call(1)).status).toBe('ok');
      for (const token of tokens) await world.admin.must(`/v1/capability-tokens/${token}/revoke`, {});
      await eventually('the end of all pods of the program', async () => (await pods()).length === 0, MINUTE_MS);
    },
    5 * MINUTE_MS,
  );
});
