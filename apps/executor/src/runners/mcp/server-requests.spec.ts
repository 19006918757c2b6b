// SPDX-License-Identifier: Apache-2.0
//
// Calls of the requests of MCP that are tools of Writ, through the egress gate, with the session in a thread.
import {
  bindTool,
  formatId,
  RESOURCE_SECRET_PREFIX,
  type BoundResource,
  type McpHttpSettings,
  type McpTool,
  type ReportRequest,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { acceptedTool, mcpDefinition, serverRequests } from '@writ/mcp-tool';
import { WorkerPool } from '@writ/worker-pool';
import { sessionPoolSizes } from '../../calls/executor-pool.ts';
import type { ExecutorTasks } from '../../calls/worker-tasks.ts';
import { EgressFixture } from '../../specs/egress-fixture.ts';
import { McpUpstream, type McpAnswer } from '../../specs/mcp-upstream.ts';
import { BrokerRunner } from '../broker-runner.ts';
import { McpSessions } from './mcp-sessions.ts';
import { McpHttpTools } from './mcp-http-tools.ts';

const SECRET = 'key-0123456789-secret';
const SETTINGS: McpHttpSettings = {
  transport: 'http',
  url: 'https://mcp.outside.example/mcp',
  credential: { secret: 'DOCS' },
};
const MEANING = { kind: 'mcp_server', name: 'docs', settings: SETTINGS } as const;
const SERVER = { ...MEANING, digest: resourceDigest(MEANING) };
const READ = serverRequests({ resources: {} }).find(({ name }) => name === 'resources/read')!;
const GET = serverRequests({ prompts: {} }).find(({ name }) => name === 'prompts/get')!;
const TOOL: McpTool = { ...acceptedTool(SERVER, 'resources_read', READ, 'read'), version: 1 };
const CACHED = { ttlMs: 0, cacheScope: 'private' };

let threads: WorkerPool<ExecutorTasks>;
beforeAll(() => {
  threads = new WorkerPool({ ...sessionPoolSizes(3), filename: new URL('../../executor.worker.ts', import.meta.url) });
});
afterAll(() => threads.close());

let on: EgressFixture;
let server: McpUpstream;
let tools: McpHttpTools;
beforeEach(async () => {
  on = await EgressFixture.open();
  server = new McpUpstream(on.outside);
  server.capabilities = { resources: {} };
  tools = new McpHttpTools(new McpSessions(threads), () => performance.now());
});
afterEach(() => on.close());

async function call(tool: McpTool = TOOL, args: Record<string, unknown> = { uri: 'doc:1' }): Promise<ReportRequest> {
  const resource_id = formatId('resource', new Uint8Array(16));
  const resources: BoundResource[] = [{ resource_id, ...SERVER, owner_agent_id: null }];
  const definition = bindTool(mcpDefinition(tool), resources);
  const message = on.kernel.order(tool.tool_id, args, on.root, {
    definition,
    redemption: {
      net: [[{ domain: '*.outside.example', methods: ['POST'] }]],
      cli_tool: tool,
      resources,
      limits: { ...definition.limits, wall_ms: 60_000 },
      secrets: { [`${RESOURCE_SECRET_PREFIX}DOCS`]: SECRET },
    },
  });
  const runner = new BrokerRunner(on.kernel.blobs, on.gate(), () => performance.now(), { mcp: tools });
  expect(await on.kernel.executor([runner]).run(message, 'broker')).toBe('reported');
  const report = on.kernel.reports.at(-1)!;
  expect(JSON.stringify(report)).not.toContain(SECRET);
  return report;
}
const announced = (): boolean => on.kernel.requestedVerbs.includes('kernel.effect_started');
const reads = (): number => server.methods.filter((method) => method === 'resources/read').length;
const contents =
  (text: string): McpAnswer =>
  (message, response) =>
    server.result(message, response, { ...CACHED, contents: [{ uri: 'doc:1', text }] });

it('a read of a resource is sent with its arguments alone, and answers without secret values', async () => {
  server.answers = { 'resources/read': contents(`the key is ${SECRET}`) };
  expect(await call()).toMatchObject({
    ended: 'exited',
    error: null,
    result: {
      content: [],
      structured: { contents: [{ uri: 'doc:1', text: expect.stringContaining('the key is') as unknown }] },
      is_error: false,
      truncated: false,
    },
  });
  expect(server.methods).toEqual(['server/discover', 'resources/read']);
  const { _meta, ...params } = server.messages[1]!.params;
  expect(params).toEqual({ uri: 'doc:1' });
});

it('a request that only reads is not announced, and any other one right before it is sent', async () => {
  server.answers = { 'resources/read': contents('x') };
  await call();
  expect([announced(), reads()]).toEqual([false, 1]);
  server.answers = {
    'resources/read': (message, response) => {
      expect(announced()).toBe(true);
      contents('x')(message, response);
    },
    'server/discover': (message, response) => {
      expect(announced()).toBe(false);
      server.result(message, response, {
        supportedVersions: ['2026-07-28'],
        capabilities: { resources: {} },
        ...CACHED,
      });
    },
  };
  expect(await call({ ...TOOL, category: 'write' })).toMatchObject({ ended: 'exited' });
  expect(reads()).toBe(2);
});

it.each<[string, McpAnswer, string]>([
  ['breaks the connection', (_message, response) => response.destroy(), 'egress.failed'],
  ['answers in another form', (message, response) => server.result(message, response, CACHED), 'mcp.protocol'],
  ['answers with 500', (_message, response) => response.writeHead(500).end(), 'mcp.failed'],
  ['answers with 404', (_message, response) => response.writeHead(404).end(), 'mcp.refused'],
])('a server that got the request and %s has failed by name', async (_what, answer, code) => {
  server.answers = { 'resources/read': answer };
  expect(await call({ ...TOOL, category: 'write' })).toMatchObject({ ended: 'failed', error: { code }, result: null });
  // What was announced and has no clear answer, the kernel takes for done or not: it leaves doubt.
  expect([announced(), reads()]).toEqual([true, 1]);
});

it('an argument that does not fit into its header is refused by name, and no request of it leaves', async () => {
  // Three bytes each, which a header has in base64: a third more.
  const name = '\u6f22'.repeat(4_000);
  server.capabilities = { prompts: {} };
  const report = await call({ ...acceptedTool(SERVER, 'prompts_get', GET, 'write'), version: 1 }, { name });
  expect(report).toMatchObject({ ended: 'failed', error: { code: 'args.invalid' }, result: null });
  expect(report.error?.message).toContain('`mcp-name`');
  expect([announced(), server.methods.includes('prompts/get')]).toEqual([false, false]);
});

it('a server that declares no such capability any more is sent nothing', async () => {
  server.capabilities = { tools: {} };
  expect(await call()).toMatchObject({ ended: 'failed', error: { code: 'mcp.definition_gone' } });
  expect(reads()).toBe(0);
});

it('a tool of a server that was accepted under such a name is never called', async () => {
  const own = { ...READ, description: 'Reads a resource, and sends it on.' };
  server.tools = [own];
  const tool: McpTool = { ...acceptedTool(SERVER, 'resources_read', own, 'read'), version: 1 };
  expect(await call(tool)).toMatchObject({ ended: 'failed', error: { code: 'mcp.definition_changed' } });
  expect(server.methods).toEqual([]);
});

it('contents that are longer than a result may be are left out, and the result says so', async () => {
  server.answers = { 'resources/read': contents('x'.repeat(300_000)) };
  const report = await call();
  expect(report).toMatchObject({
    ended: 'exited',
    result: { structured: null, truncated: true, content: [{ text: expect.stringContaining('left out') as unknown }] },
  });
});
