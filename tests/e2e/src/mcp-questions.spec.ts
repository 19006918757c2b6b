// SPDX-License-Identifier: Apache-2.0
// Questions of an MCP server to the client at its mount: what the server asks, what the client answers, what a policy
// and a person decide about it, and what the records say. The server is that of the conformance suite.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  approveShown,
  makeWorld,
  openFakeInternet,
  startStack,
  verifiedReceipt,
  type FakeInternet,
  type JsonValue,
  type Stack,
  type World,
} from '@writ/stack';
import { vi } from 'vitest';
import { ASKING_RESOURCE, everythingListener } from './conformance/everything-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const HOST = 'mcp.outside.example';
const INPUT = 'writ.dev/input';
const PREFIX = 'test_input_required_result';
/** Tools that only read. A call of any other is ambiguous where its server gives no answer. */
const REQUESTS = ['resources/list', 'resources/read', 'prompts/list', 'prompts/get'];
const READS: ReadonlySet<unknown> = new Set([`${PREFIX}_elicitation`, `${PREFIX}_list_roots`, ...REQUESTS]);
const VERSION = '2026-07-28';
const idOf = (tool: string): string => `mcp.everything.${tool}`;
const POLICY = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);
@id("no_roots") @reason("no files of the client") @would_pass("another question")
forbid (principal, action == Action::"${idOf(`${PREFIX}_list_roots`)}", resource)
when { context.args has "${INPUT}" && context.args["${INPUT}"].capabilities.contains("roots") };
@id("held") @reason("a person decides about answers") @would_pass("no answer")
forbid (principal, action == Action::"${idOf(`${PREFIX}_tampered_state`)}", resource)
when { context.args has "${INPUT}" && context.args["${INPUT}"] has state && context.supervision == "autopilot" };
`;
const BEGINS = 'Question from the MCP server `everything`: ';
const ALL = { elicitation: { form: {} }, sampling: {}, roots: {} };

let internet: FakeInternet;
let stack: Stack;
let world: World;
let resource: string;
const tokens: string[] = [];

beforeAll(async () => {
  internet = await openFakeInternet(everythingListener([HOST]));
  stack = await startStack({ programs: { executor: [internet.program] }, env: { executor: internet.env } });
  world = await makeWorld(stack.url, stack.keys.platformKey);
  // Rules name the actions of tools that are there.
  await register();
  await world.admin.must('/v1/policies', { document: { v: 1, name: 'questions', cedar: POLICY } });
  await world.admin.must('/v1/policies/activate', { policy: 'questions' });
  for (let made = 0; made < 2; made += 1) tokens.push(await token());
});
afterAll(async () => {
  await stack?.stop();
  internet?.close();
});

async function register(): Promise<void> {
  const registered = await world.admin.must('/v1/resources', {
    kind: 'mcp_server',
    name: 'everything',
    settings: { transport: 'http', url: `https://${HOST}/mcp`, asks: ['elicitation', 'sampling', 'roots'] },
  });
  resource = registered.resource_id as string;
  const of = { kind: 'mcp_server', resource_id: resource, right: 'use', agent_id: world.agentId };
  const grant = { ...of, clearance: 'autopilot' };
  expect((await world.admin.request('PUT', '/v1/resource-grants', grant)).status).toBeLessThan(300);
  const listed = await vi.waitFor(
    async () => {
      const found = await toolsAfter('');
      expect(found.length).toBeGreaterThan(0);
      return found;
    },
    { timeout: 60_000, interval: 500 },
  );
  const tools = listed
    .filter(({ remote_name: name }) => String(name).startsWith(PREFIX) || REQUESTS.includes(name as string))
    .map(({ remote_name: name, seen }) => ({
      name,
      digest: seen.digest,
      category: READS.has(name) ? 'read' : 'write',
    }));
  await world.admin.must('/v1/mcp-servers/everything/tools/accept', { tools });
}

async function toolsAfter(cursor: string): Promise<JsonValue[]> {
  const { body } = await world.admin.get(`/v1/mcp-servers/everything/tools?limit=100${cursor}`);
  const { items, next_cursor: next } = body as { items: JsonValue[]; next_cursor: string | null };
  return [...items, ...(next === null ? [] : await toolsAfter(`&cursor=${next}`))];
}

async function token(): Promise<string> {
  const made = await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['mcp.everything.*'],
      fs: [],
      net: [{ domain: HOST, methods: ['POST'] }],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + 3_600_000,
    },
  });
  return made.capability_token_id as string;
}

const mount = (of = tokens[0]): string => `${stack.url}/mcp/${of}?server=everything`;

/** The official client. Its person says a name and a colour, its model a city, and it has one root. */
async function client(asked: string[]): Promise<Client> {
  const made = new Client(
    { name: 'writ-e2e', version: '1' },
    { versionNegotiation: { mode: 'auto' }, capabilities: ALL },
  );
  made.setRequestHandler('elicitation/create', ({ params }) => {
    expect(params.message.startsWith(BEGINS)).toBe(true);
    asked.push(params.message.slice(BEGINS.length));
    return { action: 'accept', content: { name: 'Ada', color: 'blue', ok: true, context: 'a plan' } };
  });
  made.setRequestHandler('sampling/createMessage', () => {
    asked.push('sampling');
    return { role: 'assistant', model: 'a-model', content: { type: 'text', text: 'Paris' } };
  });
  made.setRequestHandler('roots/list', () => {
    asked.push('roots');
    return { roots: [{ uri: 'file:///work' }] };
  });
  const requestInit = { headers: { authorization: `Bearer ${world.agent.key!}` } };
  await made.connect(new StreamableHTTPClientTransport(new URL(mount()), { requestInit }));
  return made;
}

interface Round {
  readonly name: string;
  readonly args?: object;
  readonly state?: unknown;
  readonly responses?: object;
  readonly of?: string;
  readonly key?: string;
  readonly capabilities?: object;
}
/** One request, as a client of the revision sends it. */
async function round({ name, args = {}, state, responses, of, key, capabilities = ALL }: Round): Promise<JsonValue> {
  const params = {
    name,
    arguments: args,
    ...(state === undefined ? {} : { requestState: state }),
    ...(responses === undefined ? {} : { inputResponses: responses }),
    _meta: {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    },
  };
  const answer = await fetch(mount(of), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key ?? world.agent.key!}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const text = await answer.text();
  const line = text.startsWith('{')
    ? text
    : text
        .split('\n')
        .findLast((one) => one.startsWith('data:'))!
        .slice(5);
  return JSON.parse(line) as JsonValue;
}
const operationIn = ({ result }: JsonValue): string => result._meta['writ.dev/operation-id'] as string;
const operationsOf = async (tool: string): Promise<JsonValue[]> => {
  const { body } = await world.operator.get(`/v1/operations?tool_id=${idOf(tool)}&limit=50`);
  return (body.items as JsonValue[]).toReversed();
};
const WHO = { user_name: { action: 'accept', content: { name: 'Ada' } } };

it.each([
  ['a person', `${PREFIX}_elicitation`, ['What is your name?'], 'Hello, Ada!', 2],
  ['a model', `${PREFIX}_sampling`, ['sampling'], 'Paris', 2],
  ['everything at once', `${PREFIX}_multiple_inputs`, ['What is your name?', 'roots', 'sampling'], 'completed', 2],
  ['in several rounds', `${PREFIX}_multi_round`, ['What is your favorite color?', 'What is your name?'], 'Ada', 3],
])('a server asks %s, and each round is an operation with a receipt', async (_whom, name, asks, text, rounds) => {
  const asked: string[] = [];
  const made = await client(asked);
  const result = await made.callTool({ name, arguments: {} });
  await made.close();
  expect(result).toMatchObject({ content: [{ type: 'text', text: expect.stringContaining(text) }] });
  expect(asked.sort()).toEqual(asks);
  const operations = await operationsOf(name);
  expect(operations).toHaveLength(rounds);
  for (const { operation_id } of operations) {
    const { record } = await verifiedReceipt(stack, world, operation_id as string, 'outcome');
    const outcome = READS.has(name) ? 'no_op' : 'committed';
    expect(record).toMatchObject({ tool_id: idOf(name), tx_outcome: outcome });
  }
  const { body: first } = await world.agent.get(`/v1/operations/${operations[0]!.operation_id as string}`);
  expect(Object.keys(first.result.result.asks.requests as object).length).toBeGreaterThan(0);
});

it.each<[string, (made: Client) => Promise<object>, string, object]>([
  [
    'prompts/get',
    (made) => made.getPrompt({ name: `${PREFIX}_prompt` }),
    'prompts_get',
    { messages: [{ role: 'user', content: { type: 'text', text: 'a plan' } }] },
  ],
  [
    'resources/read',
    (made) => made.readResource({ uri: ASKING_RESOURCE }),
    'resources_read',
    { contents: [{ uri: ASKING_RESOURCE, text: 'a plan' }] },
  ],
])(
  'a server asks in answer to %s, and each round is an operation with a receipt',
  async (_method, ask, tool, reply) => {
    const asked: string[] = [];
    const made = await client(asked);
    const result = await ask(made);
    await made.close();
    expect(result).toMatchObject(reply);
    expect(asked).toEqual(['What context should the prompt use?']);
    const operations = await operationsOf(tool);
    expect(operations).toHaveLength(2);
    for (const { operation_id } of operations) {
      const { record } = await verifiedReceipt(stack, world, operation_id as string, 'outcome');
      expect(record).toMatchObject({ tool_id: idOf(tool), tx_outcome: 'no_op' });
    }
    const [first] = operations;
    const { body } = await world.agent.get(`/v1/operations/${first!.operation_id as string}`);
    expect(body.result.result).toMatchObject({ asks: { requests: { user_context: {} } }, structured: null });
  },
);

describe('an answer to a server', () => {
  const NAME = `${PREFIX}_elicitation`;
  const asked = async (): Promise<unknown> => (await round({ name: NAME })).result.requestState;

  it('is given once: the same is the same operation, and another one is refused', async () => {
    const state = await asked();
    const first = await round({ name: NAME, state, responses: WHO });
    const again = await round({ name: NAME, state, responses: WHO });
    expect(first.result.content[0].text).toBe('Hello, Ada!');
    expect(operationIn(again)).toBe(operationIn(first));
    const other = { user_name: { action: 'accept', content: { name: 'Eve' } } };
    const differs = await round({ name: NAME, state, responses: other });
    expect(differs.result).toMatchObject({ isError: true });
    expect(differs.result.content[0].text).toContain('idempotency.mismatch');
  });

  it('with another key, another token or a changed state is rejected', async () => {
    const state = String(await asked());
    const before = (await operationsOf(NAME)).length;
    const about = { name: 'second', role: 'agent', agent_id: world.agentId };
    const key = (await world.admin.must('/v1/api-keys', about)).api_key as string;
    const responses = WHO;
    const rejected = await Promise.all([
      round({ name: NAME, state, responses, key }),
      round({ name: NAME, state, responses, of: tokens[1]! }),
      round({ name: NAME, state: `${state.slice(0, -3)}abc`, responses }),
      round({ name: NAME, state, responses, args: { other: true } }),
      round({ name: `${PREFIX}_sampling`, state, responses }),
    ]);
    expect(rejected.map(({ error }) => error?.code as unknown)).toEqual(Array.from({ length: 5 }, () => -32602));
    expect(await operationsOf(NAME)).toHaveLength(before);
  });

  it('may wait for a person, whom no answer stands in for', async () => {
    const name = `${PREFIX}_tampered_state`;
    const first = await round({ name });
    const confirmed = { confirm: { action: 'accept', content: { ok: true } } };
    const held = await round({ name, state: first.result.requestState, responses: confirmed });
    expect(held.result).toMatchObject({ resultType: 'input_required', inputRequests: { approval: {} } });
    const { body } = await world.operator.get('/v1/approvals?state=pending');
    const [approval] = body.items as JsonValue[];
    const approved = approveShown(world.operator, approval!.approval_id as string);
    const accepted = { approval: { action: 'accept' } };
    const ended = await round({ name, state: held.result.requestState, responses: accepted });
    expect((await approved).status).toBe(200);
    expect(ended.result.content[0].text).toContain('state-ok');
    const [, second] = await operationsOf(name);
    const { record } = await verifiedReceipt(stack, world, second!.operation_id as string, 'outcome');
    expect(record).toMatchObject({ tx_outcome: 'committed' });
  });
});

it('a rule forbids a question by its capability, before the server hears of it', async () => {
  const refused = await round({ name: `${PREFIX}_list_roots` });
  expect(refused.result).toMatchObject({ isError: true });
  expect(refused.result.content[0].text).toMatch(/policy\.denied.*it would pass: another question/);
  const without = await round({ name: `${PREFIX}_list_roots`, capabilities: { elicitation: {} } });
  expect(without.result.content[0].text).toContain('mcp.unsupported');
});

it('a call over the API has the question as its result, and answers it by an argument', async () => {
  const of = { capability_token_id: tokens[0]! };
  const ask = (input: object) => world.call(idOf(`${PREFIX}_elicitation`), { [INPUT]: input }, of);
  const capabilities = ['elicitation'];
  const { body: first } = await ask({ capabilities });
  expect(first.result).toMatchObject({ content: [], asks: { requests: { user_name: {} }, state: null } });
  const { body: second } = await ask({ capabilities, responses: WHO });
  expect(second.result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
});

it('a server that may not ask any more is told nothing, and no argument answers it', async () => {
  const settings = { transport: 'http', url: `https://${HOST}/mcp` };
  const changed = await world.admin.request('PATCH', `/v1/resources/${resource}`, { settings, expected_version: 1 });
  expect(changed.status).toBe(200);
  const name = `${PREFIX}_elicitation`;
  const of = { capability_token_id: tokens[0]! };
  const { body } = await world.call(idOf(name), { [INPUT]: { capabilities: ['elicitation'] } }, of);
  expect(body).toMatchObject({ status: 'error', error: { code: 'args.invalid' } });
  expect((await round({ name })).result.content[0].text).toContain('mcp.unsupported');
});
