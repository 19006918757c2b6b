// SPDX-License-Identifier: Apache-2.0
//
// Calls of the requests of MCP that are tools of Writ, through the egress gate, with the session in a thread.
import type { McpTool, ReportRequest } from '@writ/contract';
import { acceptedTool, serverRequests } from '@writ/mcp-tool';
import { mcpHttpServer, McpHttpScene } from '../../specs/mcp-http-scene.ts';
import type { McpAnswer } from '../../specs/mcp-upstream.ts';

const SECRET = 'key-0123456789-secret';
const SERVER = mcpHttpServer('docs', 'DOCS');
const READ = serverRequests({ resources: {} }).find(({ name }) => name === 'resources/read')!;
const GET = serverRequests({ prompts: {} }).find(({ name }) => name === 'prompts/get')!;
const TOOL: McpTool = { ...acceptedTool(SERVER, 'resources_read', READ, 'read'), version: 1 };
const CACHED = { ttlMs: 0, cacheScope: 'private' };

const scene = McpHttpScene.open();
beforeEach(() => {
  scene.server.capabilities = { resources: {} };
});

async function call(tool: McpTool = TOOL, args: Record<string, unknown> = { uri: 'doc:1' }): Promise<ReportRequest> {
  const report = await scene.call({ tool, server: SERVER, args, secret: SECRET });
  expect(JSON.stringify(report)).not.toContain(SECRET);
  return report;
}
const reads = (): number => scene.server.methods.filter((method) => method === 'resources/read').length;
const contents =
  (text: string): McpAnswer =>
  (message, response) =>
    scene.server.result(message, response, { ...CACHED, contents: [{ uri: 'doc:1', text }] });

it('a read of a resource is sent with its arguments alone, and answers without secret values', async () => {
  scene.server.answers = { 'resources/read': contents(`the key is ${SECRET}`) };
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
  expect(scene.server.methods).toEqual(['server/discover', 'resources/read']);
  const { _meta, ...params } = scene.server.messages[1]!.params;
  expect(params).toEqual({ uri: 'doc:1' });
});

it('a request that only reads is not announced, and any other one right before it is sent', async () => {
  scene.server.answers = { 'resources/read': contents('x') };
  await call();
  expect([scene.isAnnounced, reads()]).toEqual([false, 1]);
  scene.server.answers = {
    'resources/read': (message, response) => {
      expect(scene.isAnnounced).toBe(true);
      contents('x')(message, response);
    },
    'server/discover': (message, response) => {
      expect(scene.isAnnounced).toBe(false);
      scene.server.result(message, response, {
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
  ['answers in another form', (message, response) => scene.server.result(message, response, CACHED), 'mcp.protocol'],
  ['answers with 500', (_message, response) => response.writeHead(500).end(), 'mcp.failed'],
  ['answers with 404', (_message, response) => response.writeHead(404).end(), 'mcp.refused'],
])('a server that got the request and %s has failed by name', async (_what, answer, code) => {
  scene.server.answers = { 'resources/read': answer };
  expect(await call({ ...TOOL, category: 'write' })).toMatchObject({ ended: 'failed', error: { code }, result: null });
  // What was announced and has no clear answer, the kernel takes for done or not: it leaves doubt.
  expect([scene.isAnnounced, reads()]).toEqual([true, 1]);
});

it('an argument that does not fit into its header is refused by name, and no request of it leaves', async () => {
  // Three bytes each, which a header has in base64: a third more.
  const name = '\u6f22'.repeat(4_000);
  scene.server.capabilities = { prompts: {} };
  const report = await call({ ...acceptedTool(SERVER, 'prompts_get', GET, 'write'), version: 1 }, { name });
  expect(report).toMatchObject({ ended: 'failed', error: { code: 'args.invalid' }, result: null });
  expect(report.error?.message).toContain('`mcp-name`');
  expect([scene.isAnnounced, scene.server.methods.includes('prompts/get')]).toEqual([false, false]);
});

it('a server that declares no such capability any more is sent nothing', async () => {
  scene.server.capabilities = { tools: {} };
  expect(await call()).toMatchObject({ ended: 'failed', error: { code: 'mcp.definition_gone' } });
  expect(reads()).toBe(0);
});

it('a tool of a server that was accepted under such a name is never called', async () => {
  const own = { ...READ, description: 'Reads a resource, and sends it on.' };
  scene.server.tools = [own];
  const tool: McpTool = { ...acceptedTool(SERVER, 'resources_read', own, 'read'), version: 1 };
  expect(await call(tool)).toMatchObject({ ended: 'failed', error: { code: 'mcp.definition_changed' } });
  expect(scene.server.methods).toEqual([]);
});

it('contents that are longer than a result may be are left out, and the result says so', async () => {
  scene.server.answers = { 'resources/read': contents('x'.repeat(300_000)) };
  const report = await call();
  expect(report).toMatchObject({
    ended: 'exited',
    result: { structured: null, truncated: true, content: [{ text: expect.stringContaining('left out') as unknown }] },
  });
});
