// SPDX-License-Identifier: Apache-2.0
//
// Questions of an MCP server through the egress gate, with the session in a thread.
import {
  bindTool,
  formatId,
  MCP_INPUT,
  RESOURCE_SECRET_PREFIX,
  type BoundResource,
  type McpHttpSettings,
  type McpTool,
  type ReportRequest,
} from '@writ/contract';
import { resourceDigest } from '@writ/digest';
import { acceptedTool, mcpDefinition } from '@writ/mcp-tool';
import { WorkerPool } from '@writ/worker-pool';
import { sessionPoolSizes } from '../../calls/executor-pool.ts';
import type { ExecutorTasks } from '../../calls/worker-tasks.ts';
import { EgressFixture } from '../../specs/egress-fixture.ts';
import { McpUpstream, REMOTE_TOOL } from '../../specs/mcp-upstream.ts';
import { BrokerRunner } from '../broker-runner.ts';
import { McpSessions } from './mcp-sessions.ts';
import { McpHttpTools } from './mcp-http-tools.ts';

const SETTINGS: McpHttpSettings = {
  transport: 'http',
  url: 'https://mcp.outside.example/mcp',
  credential: { secret: 'GITHUB' },
  asks: ['elicitation'],
};
const MEANING = { kind: 'mcp_server', name: 'github', settings: SETTINGS } as const;
const SERVER = { ...MEANING, digest: resourceDigest(MEANING) };
const TOOL: McpTool = {
  ...acceptedTool({ ...SERVER, asks: SETTINGS.asks }, 'create_issue', REMOTE_TOOL, 'write'),
  version: 1,
};

let threads: WorkerPool<ExecutorTasks>;
beforeAll(() => {
  threads = new WorkerPool({ ...sessionPoolSizes(3), filename: new URL('../../executor.worker.ts', import.meta.url) });
});
afterAll(() => threads.close());

let on: EgressFixture;
let server: McpUpstream;
beforeEach(async () => {
  on = await EgressFixture.open();
  server = new McpUpstream(on.outside);
});
afterEach(() => on.close());

async function call(secret: string): Promise<ReportRequest> {
  const resource_id = formatId('resource', new Uint8Array(16));
  const resources: BoundResource[] = [{ resource_id, ...SERVER, owner_agent_id: null }];
  const definition = bindTool(mcpDefinition(TOOL), resources);
  const args = { title: 'A leak', [MCP_INPUT]: { capabilities: ['elicitation'] } };
  const message = on.kernel.order(TOOL.tool_id, args, on.root, {
    definition,
    redemption: {
      net: [[{ domain: '*.outside.example', methods: ['POST'] }]],
      cli_tool: TOOL,
      resources,
      limits: { ...definition.limits, wall_ms: 60_000 },
      secrets: { [`${RESOURCE_SECRET_PREFIX}GITHUB`]: secret },
    },
  });
  const tools = new McpHttpTools(new McpSessions(threads), () => performance.now());
  const runner = new BrokerRunner(on.kernel.blobs, on.gate(), () => performance.now(), { mcp: tools });
  expect(await on.kernel.executor([runner]).run(message, 'broker')).toBe('reported');
  return on.kernel.reports.at(-1)!;
}

const FORM = { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } };
const asks = (params: object, requestState: string | null = null) => ({
  resultType: 'input_required',
  inputRequests: { one: { method: 'elicitation/create', params } },
  ...(requestState === null ? {} : { requestState }),
});
const answerWith = (result: object): void => {
  server.answers = { 'tools/call': (message, response) => server.result(message, response, { ...result }) };
};

it('a question is the result of the call, as the server asks it', async () => {
  answerWith(asks(FORM, 'kept "as it is"'));
  expect(await call('key-"0123456789"-secret')).toMatchObject({
    ended: 'exited',
    result: {
      content: [],
      asks: { requests: { one: { method: 'elicitation/create', params: FORM } }, state: 'kept "as it is"' },
    },
  });
});

it.each([
  ['quotes', 'key-"0123456789"-secret'],
  ['backslashes', 'key-\\0123456789\\-secret'],
  ['no character that JSON escapes', 'key-0123456789-secret'],
])('a question that repeats a credential with %s is not kept, wherever it is', async (_which, secret) => {
  const json = JSON.stringify({ t: secret });
  const described = { type: 'string', description: json };
  for (const question of [
    asks(FORM, json),
    asks(FORM, JSON.stringify([json])),
    asks(FORM, `state ${secret}`),
    asks({ ...FORM, message: json }),
    asks({ ...FORM, requestedSchema: { type: 'object', properties: { one: described } } }),
    asks({ ...FORM, requestedSchema: { type: 'object', properties: { [json]: { type: 'string' } } } }),
  ]) {
    answerWith(question);
    const report = await call(secret);
    expect(report).toMatchObject({ error: { code: 'mcp.protocol' } });
    expect(JSON.stringify(report)).not.toContain('0123456789');
  }
});
