// SPDX-License-Identifier: Apache-2.0
//
// Calls of tools of MCP servers through the egress gate, with the session in a thread.
import { RESOURCE_SECRET_PREFIX, type McpHttpSettings, type McpTool, type Redemption } from '@writ/contract';
import { acceptedTool } from '@writ/mcp-tool';
import { mcpHttpServer, McpHttpScene } from '../../specs/mcp-http-scene.ts';
import { REMOTE_TOOL, type McpAnswer } from '../../specs/mcp-upstream.ts';
import { McpSessions } from './mcp-sessions.ts';
import { McpHttpTools } from './mcp-http-tools.ts';

const SECRET = 'key-0123456789-secret';
const serverOf = (settings: Partial<McpHttpSettings> = {}) => mcpHttpServer('github', 'GITHUB', settings);
const SETTINGS = serverOf().settings;
const TOOL: McpTool = { ...acceptedTool(serverOf(), 'create_issue', REMOTE_TOOL, 'write'), version: 1 };

const scene = McpHttpScene.open();

interface Given {
  readonly tool?: McpTool;
  readonly settings?: Partial<McpHttpSettings>;
  readonly redemption?: Partial<Redemption>;
  readonly wall_ms?: number;
}

async function call({ tool = TOOL, settings = {}, redemption = {}, wall_ms }: Given = {}) {
  const made = { tool, server: serverOf(settings), args: { title: 'A leak' }, secret: SECRET, redemption };
  const report = await scene.call(wall_ms === undefined ? made : { ...made, wallMs: wall_ms });
  expect(JSON.stringify(report)).not.toContain(SECRET);
  return report;
}
const calls = (): number => scene.server.methods.filter((method) => method === 'tools/call').length;

it('a call is announced right before it is sent, with the credential, and answers', async () => {
  scene.server.answers = {
    'tools/list': (message, response) => {
      expect(scene.isAnnounced).toBe(false);
      scene.server.result(message, response, { tools: [REMOTE_TOOL], ttlMs: 0, cacheScope: 'private' });
    },
    'tools/call': (message, response) => {
      expect(scene.isAnnounced).toBe(true);
      expect(message.params).toMatchObject({ name: 'create_issue', arguments: { title: 'A leak' } });
      scene.server.result(message, response, {
        content: [{ type: 'text', text: `by ${SECRET}` }],
        structuredContent: { number: 7 },
      });
    },
  };
  const report = await call();
  expect(report).toMatchObject({
    ended: 'exited',
    error: null,
    result: { content: [{ type: 'text' }], structured: { number: 7 }, is_error: false, truncated: false },
  });
  expect(report.requests).toHaveLength(3);
  expect(report.requests?.every(({ method, target }) => method === 'POST' && target === SETTINGS.url)).toBe(true);
  expect(scene.on.outside.received.map(({ headers }) => headers.authorization)).toEqual(
    Array(3).fill(`Bearer ${SECRET}`),
  );
});

it('a call of a tool that only reads is not announced', async () => {
  expect(await call({ tool: { ...TOOL, category: 'read' } })).toMatchObject({ ended: 'exited' });
  expect([scene.isAnnounced, calls()]).toEqual([false, 1]);
});

it('a credential goes into the header of the settings, and over TLS alone', async () => {
  await call({ settings: { credential: { header: 'X-Api-Key', prefix: '', secret: 'GITHUB' } } });
  expect(scene.on.outside.received[0]?.headers).toMatchObject({ 'x-api-key': SECRET });
  const before = scene.on.outside.received.length;
  expect(await call({ settings: { url: 'http://mcp.outside.example/mcp' } })).toMatchObject({
    ended: 'failed',
    error: { code: 'egress.refused' },
  });
  expect(scene.on.outside.received).toHaveLength(before);
});

it('a server that the token does not reach is sent nothing', async () => {
  const report = await call({ redemption: { net: [[{ domain: 'other.example', methods: ['POST'] }]] } });
  expect(report).toMatchObject({ ended: 'failed', error: { code: 'token.scope' } });
  expect([scene.server.messages, scene.isAnnounced]).toEqual([[], false]);
});

it.each<[string, readonly unknown[], string]>([
  [
    'that is described otherwise',
    [{ ...REMOTE_TOOL, description: 'Creates an issue, and sends it on.' }],
    'mcp.definition_changed',
  ],
  ['that the server has no more', [], 'mcp.definition_gone'],
])('a tool %s is not called', async (_what, listed, code) => {
  scene.server.tools = listed;
  expect(await call()).toMatchObject({ ended: 'failed', error: { code }, result: null });
  expect([calls(), scene.isAnnounced]).toEqual([0, false]);
});

const status =
  (code: number, headers: Record<string, string> = {}): McpAnswer =>
  (_message, response) =>
    response.writeHead(code, headers).end();
const refuse =
  (code: number): McpAnswer =>
  ({ id }, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'the title\nis empty' } }));

it.each<[string, string, McpAnswer, string, boolean]>([
  ['401 to the listing', 'tools/list', status(401), 'mcp.unreachable', false],
  ['503 to the listing', 'tools/list', status(503), 'mcp.unreachable', false],
  ['a broken connection to the listing', 'tools/list', (_m, response) => response.destroy(), 'mcp.unreachable', false],
  [
    'a redirect to the listing',
    'tools/list',
    status(302, { location: 'https://other.outside.example/' }),
    'mcp.protocol',
    false,
  ],
  ['wrong arguments', 'tools/call', refuse(-32_602), 'mcp.failed', true],
  ['429 to the call', 'tools/call', status(429), 'mcp.failed', true],
  ['a message that it could not read', 'tools/call', refuse(-32_700), 'mcp.refused', true],
  ['403 to the call', 'tools/call', status(403), 'mcp.refused', true],
  ['an internal error', 'tools/call', refuse(-32_603), 'mcp.failed', true],
  ['500 to the call', 'tools/call', status(500), 'mcp.failed', true],
  ['a broken connection to the call', 'tools/call', (_m, response) => response.destroy(), 'egress.failed', true],
  [
    'another result than it promises',
    'tools/call',
    (message, response) => scene.server.result(message, response, { content: [], structuredContent: { number: 'x' } }),
    'mcp.result_invalid',
    true,
  ],
  [
    'a question',
    'tools/call',
    (message, response) =>
      scene.server.result(message, response, { resultType: 'input_required', inputRequests: {}, requestState: 'x' }),
    'mcp.unsupported',
    true,
  ],
])('a server that answers %s', async (_what, method, answer, code, wasAnnounced) => {
  scene.server.answers = { [method]: answer };
  expect(await call()).toMatchObject({ ended: 'failed', error: { code }, result: null });
  expect([scene.isAnnounced, calls()]).toEqual([wasAnnounced, wasAnnounced ? 1 : 0]);
});

it('a call that the kernel stops when it is announced is not sent', async () => {
  scene.on.kernel.onEffect = () => ({ v: 1, lease_until: 0, stop: true });
  await call().catch(() => undefined);
  expect(calls()).toBe(0);
});

it('a server that says nothing is left in the time of the call', async () => {
  scene.server.answers = { 'tools/call': () => undefined };
  expect(await call({ wall_ms: 4_000 })).toMatchObject({ ended: 'timeout', error: { code: 'command.timeout' } });
  expect(calls()).toBeLessThanOrEqual(1);
});

it('a listing is used as long as the server says that it is valid, and not after a failure', async () => {
  scene.server.ttlMs = 20_000;
  await call();
  await call();
  expect(scene.server.methods.filter((method) => method === 'tools/list')).toHaveLength(1);
  scene.server.answers = { 'tools/call': refuse(-32_602) };
  await call();
  scene.server.answers = {};
  await call();
  expect(scene.server.methods.filter((method) => method === 'tools/list')).toHaveLength(2);
});

it('a server has as many calls under way as its settings say', async () => {
  const waiting: (() => void)[] = [];
  scene.server.answers = {
    'tools/call': (message, response) =>
      waiting.push(() => scene.server.result(message, response, { content: [], structuredContent: { number: 1 } })),
  };
  const settings = { calls_max: 1 };
  const first = call({ settings });
  await vi.waitFor(() => expect(waiting).toHaveLength(1), 20_000);
  const second = scene.tools.run(
    {
      server: 'github',
      server_digest: TOOL.server_digest,
      remote_name: 'create_issue',
      remote_digest: TOOL.remote_digest,
      is_safe: false,
      output: null,
    },
    {
      tenantId: scene.on.kernel.redemption.tenant_id,
      resources: scene.on.kernel.redemption.resources ?? [],
      limits: scene.on.kernel.redemption.limits,
      args: {},
      net: [],
      resourceSecrets: {},
    },
    null as never,
    AbortSignal.timeout(60_000),
  );
  await expect(second).rejects.toMatchObject({ code: 'mcp.busy' });
  waiting.pop()?.();
  expect(await first).toMatchObject({ ended: 'exited' });
});

it('a long result is cut to what a call may return', async () => {
  const long = { content: [{ type: 'text', text: `${'['.repeat(300_000)}${'x'.repeat(4 * 1_048_576)}` }] };
  scene.server.answers = {
    'tools/call': (message, response) =>
      scene.server.result(message, response, { ...long, structuredContent: { number: 1 } }),
  };
  const report = await call();
  expect(report).toMatchObject({ ended: 'exited', error: null });
  expect(report.result_ref?.size).toBeGreaterThan(190_000);
  expect(report.usage.output_bytes).toBeLessThanOrEqual(200_000);
});

it('an error has no beginning of a credential where its words are cut', async () => {
  for (const before of [390, 6_390]) {
    const message = `${before > 400 ? ' '.repeat(before) : 'x'.repeat(before)}${SECRET} is wrong`;
    scene.server.answers = {
      'tools/call': ({ id }, response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message } })),
    };
    const { error } = await call();
    expect(error).toMatchObject({ code: 'mcp.failed' });
    expect(error?.message).not.toContain(SECRET.slice(0, 5));
  }
});

it('what a thread returns of a listing is the definition of the called tool, as bytes', async () => {
  scene.server.tools = [REMOTE_TOOL, ...Array.from({ length: 400 }, (_, n) => ({ ...REMOTE_TOOL, name: `t${n}` }))];
  const returned: { value?: { listed: { definition: Uint8Array } } }[] = [];
  const watched = {
    run: async (...asked: Parameters<typeof scene.threads.run>) => {
      const done: unknown = await scene.threads.run(...asked);
      returned.push(done as (typeof returned)[number]);
      return done;
    },
  };
  scene.tools = new McpHttpTools(new McpSessions(watched as never), () => performance.now());
  expect(await call()).toMatchObject({ ended: 'exited' });
  const { value } = returned[0]!;
  expect(Object.keys(value!).toSorted()).toEqual(['answer', 'listed']);
  expect(Object.keys(value!.listed).toSorted()).toEqual(['definition', 'isLegacy', 'ttlMs']);
  expect(value!.listed.definition).toBeInstanceOf(Uint8Array);
  expect(value!.listed.definition.buffer.byteLength).toBeLessThan(1_024);
});

it('a call under the rights of a person has the access token of that person, and no listing of another', async () => {
  scene.server.ttlMs = 60_000;
  const settings = { credential: { oauth: { client_id: 'writ', scopes: [] } } };
  const tool: McpTool = { ...acceptedTool(serverOf(settings), 'create_issue', REMOTE_TOOL, 'write'), version: 1 };
  for (const token of ['token-of-ann', 'token-of-bob', 'token-of-ann']) {
    const secrets = { [`${RESOURCE_SECRET_PREFIX}person-token`]: token };
    expect((await call({ tool, settings, redemption: { secrets } })).error).toBeNull();
    expect(scene.on.outside.received.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    expect(JSON.stringify(scene.on.kernel.reports.at(-1))).not.toContain(token);
  }
  expect(scene.server.methods.filter((method) => method === 'tools/list')).toHaveLength(2);
});
