// SPDX-License-Identifier: Apache-2.0
// The official conformance suite of MCP, in both revisions: against `/mcp`, and against a server with everything that
// the suite knows, once alone and once behind Writ.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { MCP_ASKS } from '@writ/contract';
import { vi } from 'vitest';
import {
  approveShown,
  makeWorld,
  openFakeInternet,
  startStack,
  type FakeInternet,
  type JsonValue,
  type Stack,
  type World,
  verifiedReceipt,
} from '@writ/stack';
import { everythingListener } from './conformance/everything-server.ts';
import { PIXEL } from './conformance/everything-tools.ts';
import { FixtureProxy, NO_NAMES, type FixtureCall, type FixtureNames } from './conformance/fixture-proxy.ts';
import { NOT_AT_MOUNT, TIMED } from './conformance/not-at-mount.ts';
import { ERAS } from './mcp-client.ts';
import { isMount, mcpGuideBlocks, type ConfiguredServer } from './mcp-guide-blocks.ts';
import { failedOf, inWords, passedIn, REVISIONS, runSuite, type Revision } from './conformance/suite.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 180_000 });

const HOUR_MS = 3_600_000;

/** Everything runs by itself but for files in one folder, about which the suite wants to be asked. */
const ASKS = `
@id("all") @reason("everything is permitted")
permit (principal, action, resource);
@id("held") @reason("a person decides about files in this folder") @would_pass("another folder")
forbid (principal, action == Action::"fs.write", resource is File)
when { resource.path like "held/*" && context.supervision == "autopilot" };
`;
/** The suite wants to be asked about one prompt too. No rule tells one skill from another. */
const ASKS_FOR_PROMPTS = `${ASKS}
@id("prompts") @reason("a person decides about prompts") @would_pass("another tool")
forbid (principal, action == Action::"skill.read", resource) when { context.supervision == "autopilot" };
`;

const HOST = 'mcp.outside.example';
/** Tools of the server behind Writ that the suite calls: Writ's own have no such content. */
const MOUNTED = ['image_content', 'audio_content', 'embedded_resource', 'multiple_content_types'];

let internet: FakeInternet;
let everything: Server;
let stack: Stack;
let world: World;
let token: string;
let proxy: FixtureProxy;
let mount: FixtureProxy;
let results: string;
const stop = new AbortController();

beforeAll(async () => {
  results = mkdtempSync(join(tmpdir(), 'writ-conformance-'));
  everything = createServer(everythingListener()).listen(0, '127.0.0.1');
  await once(everything, 'listening');
  internet = await openFakeInternet(everythingListener([HOST]));
  stack = await startStack({
    programs: { executor: [internet.program] },
    env: { executor: internet.env, orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' } },
  });
  world = await makeWorld(stack.url, stack.keys.platformKey, {
    files: { 'simple.txt': 'a text', 'template-123.txt': 'the data of 123' },
  });
  await world.admin.must(`/v1/workspaces/${world.workspaceId}/files`, {
    files: [{ path: 'pixel.png', content: PIXEL, encoding: 'base64' }],
  });
  await world.admin.must('/v1/policies', { document: { v: 1, name: 'asks', cedar: ASKS } });
  await world.admin.must('/v1/policies', { document: { v: 1, name: 'asks-for-prompts', cedar: ASKS_FOR_PROMPTS } });
  await world.admin.must('/v1/policies/activate', { policy: 'asks' });
  await world.admin.must('/v1/skills', {
    files: [{ path: 'SKILL.md', content: '---\nname: simple\ndescription: "A prompt."\n---\nSay hello.' }],
  });
  await register();
  token = (
    await world.admin.must('/v1/capability-tokens', {
      agent_id: world.agentId,
      workspace_id: world.workspaceId,
      grant: {
        tools: ['fs.*', 'shell.run', 'skill.read', 'mcp.everything.*'],
        fs: [{ path: '', read: true, write: true }],
        net: [{ domain: HOST, methods: ['POST'] }],
        secrets: [],
        budgets: {},
        not_before: 0,
        expires_at: Date.now() + HOUR_MS,
      },
    })
  ).capability_token_id as string;
  const api = `${stack.url}/mcp/${token}`;
  const mounted = { api: `${api}?server=everything`, tools: MOUNTED.map((name) => `test_${name}`) };
  proxy = await FixtureProxy.before(api, world.agent.key!, { ...NAMES, mounted });
  mount = await FixtureProxy.before(mounted.api, world.agent.key!, NO_NAMES);
  void approveAll();
  // The suite waits ten seconds for an answer, and the first call starts the thread that speaks to the server.
  await world.call('mcp.everything.test_simple_text', {}, { capability_token_id: token });
});
afterAll(async () => {
  stop.abort();
  await proxy?.close();
  await mount?.close();
  await stack?.stop();
  internet?.close();
  everything.closeAllConnections();
  everything.close();
  rmSync(results, { recursive: true, force: true });
});

/** Registers the server, and accepts each of its tools that can be accepted. */
async function register(): Promise<void> {
  const settings = { transport: 'http', url: `https://${HOST}/mcp`, asks: MCP_ASKS };
  const { resource_id } = await world.admin.must('/v1/resources', { kind: 'mcp_server', name: 'everything', settings });
  const grant = { kind: 'mcp_server', resource_id, right: 'use', agent_id: world.agentId, clearance: 'autopilot' };
  expect((await world.admin.request('PUT', '/v1/resource-grants', grant)).status).toBeLessThan(300);
  const listed = await vi.waitFor(
    async () => {
      const { body } = await world.admin.get('/v1/mcp-servers/everything/tools?limit=100');
      const items = body.items as JsonValue[];
      expect(items.length).toBeGreaterThan(0);
      return [...items, ...(await restOf(body.next_cursor))];
    },
    { timeout: 60_000, interval: 500 },
  );
  const tools = listed
    .filter(({ problems }) => (problems as unknown[]).length === 0)
    .map(({ remote_name: name, seen }) => ({ name, digest: seen.digest, category: 'read' }));
  await world.admin.must('/v1/mcp-servers/everything/tools/accept', { tools });
}

async function restOf(cursor: unknown): Promise<JsonValue[]> {
  if (typeof cursor !== 'string') return [];
  const { body } = await world.admin.get(`/v1/mcp-servers/everything/tools?limit=100&cursor=${cursor}`);
  return [...(body.items as JsonValue[]), ...(await restOf(body.next_cursor))];
}

/** A person who approves what is held. The suite can't: no answer of a client approves a call. */
async function approveAll(): Promise<void> {
  while (!stop.signal.aborted) {
    const { body } = await world.operator.get('/v1/approvals?state=pending');
    for (const { approval_id } of (body.items ?? []) as JsonValue[]) await approveShown(world.operator, approval_id);
    await sleep(200);
  }
}

/** A call that a person must approve, by `ASKS`. */
const held = async (): Promise<FixtureCall> => ({
  name: 'fs.write',
  arguments: { path: `held/${randomUUID()}.txt`, content: 'x' },
});
const promptUnder = (policy: string) => async (): Promise<string> => {
  await world.admin.must('/v1/policies/activate', { policy });
  return 'simple';
};
const read = (path: string) => async (): Promise<FixtureCall> => ({ name: 'fs.read', arguments: { path } });
const shell = (command: string, more: object = {}): FixtureCall => ({
  name: 'shell.run',
  arguments: { command, ...more },
});

const NAMES: FixtureNames = {
  tools: {
    test_simple_text: read('simple.txt'),
    test_error_handling: read('missing.txt'),
    test_tool_with_progress: async () => shell('sleep 4'),
    test_streaming_elicitation: held,
    test_logging_tool: read('simple.txt'),
    test_input_required_result_elicitation: held,
    test_input_required_result_request_state: held,
    test_input_required_result_tampered_state: held,
    greet: read('simple.txt'),
    slow_compute: async ({ seconds }) => shell(`sleep ${Number(seconds)}`),
    failing_job: async () => shell('sleep 5', { timeout_ms: 1_500 }),
  },
  resources: {
    'test://static-text': 'writ://workspace/simple.txt',
    'test://static-binary': 'writ://workspace/pixel.png',
    'test://template/123/data': 'writ://workspace/template-123.txt',
  },
  prompts: {
    test_simple_prompt: promptUnder('asks'),
    test_input_required_result_prompt: promptUnder('asks-for-prompts'),
  },
  inputs: ['user_name', 'approval'],
};

/**
 * Checks of scenarios that the suite runs without counting them, which fail with good reason. All others of those
 * scenarios must pass.
 */
const UNCOUNTED: Readonly<Record<Revision, readonly string[]>> = {
  '2026-07-28': [
    // No tool of Writ has parameters for headers, an identified schema, or text alone as its result.
    'http-custom-header-server-validation:sep-2243-server-decode-base64',
    'http-custom-header-server-validation:sep-2243-server-no-xmcp-tool',
    'http-custom-header-server-validation:sep-2243-server-reject-invalid-param-chars',
    'http-custom-header-server-validation:sep-2243-server-reject-param-mismatch',
    'http-custom-header-server-validation:sep-2243-server-validate-param-match',
    'json-schema-2020-12:json-schema-2020-12-tool-found',
    'tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call',
    // A call that was proposed never ends with an error of the protocol.
    'tasks-lifecycle:sep-2663-tasks-get-status-failed',
    // A held call asks its client before it becomes a task, and no answer becomes a part of a result.
    'tasks-mrtr-composition:sep-2663-mrtr-synchronous-before-task-creation',
    'tasks-mrtr-input:sep-2663-tasks-get-status-input-required',
    'tasks-mrtr-input:tasks-mrtr-partial-fulfillment',
    'tasks-mrtr-input:tasks-mrtr-tasks-update-resumes',
    // No tool requires tasks: a client without them waits, and then gets the operation.
    'tasks-required-task-error:sep-2663-server-returns-missing-capability-when-required',
  ],
  '2025-11-25': ['json-schema-2020-12:json-schema-2020-12-tool-found', 'server-sse-polling:incoming-sse-event'],
};
const IS_UNCOUNTED = /^(tasks-|http-|json-schema-|server-s(se-polling|ession-lifecycle))/;

it.each(REVISIONS)('the conformance suite passes with the revision %s', async (revision) => {
  const expected = `tests/e2e/src/conformance/expected-${revision}.yaml`;
  const run = await runSuite(proxy.url, revision, join(results, `own-${revision}`), expected);
  const failed = failedOf(run);
  expect(run.code, inWords(failed)).toBe(0);
  const uncounted = failed.map(({ name }) => name).filter((name) => IS_UNCOUNTED.test(name));
  expect(uncounted.sort(), inWords(failed)).toEqual(UNCOUNTED[revision].toSorted());
});

it.each(REVISIONS)('whatever passes at a server alone passes at its mount, with the revision %s', async (revision) => {
  const address = `http://127.0.0.1:${(everything.address() as AddressInfo).port}/mcp`;
  const [alone, behind] = await Promise.all([
    runSuite(address, revision, join(results, `alone-${revision}`)),
    runSuite(mount.url, revision, join(results, `mount-${revision}`)),
  ]);
  const passed = passedIn(behind);
  const lost = [...passedIn(alone)].filter((name) => !passed.has(name) && !TIMED.has(name));
  // A scenario stands for all of its checks.
  const known = Object.keys(NOT_AT_MOUNT[revision]);
  const isOf = (name: string, key: string): boolean => name === key || name.startsWith(`${key}:`);
  expect(passed.size, inWords(failedOf(behind))).toBeGreaterThan(10);
  expect(
    lost.filter((name) => !known.some((key) => isOf(name, key))),
    inWords(failedOf(behind)),
  ).toEqual([]);
  expect(
    known.filter((key) => !lost.some((name) => isOf(name, key))),
    'these pass at the mount, or fail alone',
  ).toEqual([]);
});

it.each(ERAS)(
  'the configuration of a mount in docs/how-to/mcp.md connects a client of the revision %s',
  async (era) => {
    const mounts = mcpGuideBlocks('json', { url: stack.url, tokenId: token, key: world.agent.key! }).filter(isMount);
    expect(mounts).toHaveLength(1);
    const text = mounts[0]!.replace('?server=github', '?server=everything');
    const { mcpServers } = JSON.parse(text) as { readonly mcpServers: { readonly github: ConfiguredServer } };
    const { url = '', headers = {} } = mcpServers.github;
    const client = new Client({ name: 'a client', version: '1' }, { versionNegotiation: { mode: era } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('test_simple_text');
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toContain('test://static-text');
      const read = await client.readResource({ uri: 'test://static-text' });
      expect(read.contents).toMatchObject([{ text: 'The content of test://static-text.' }]);
      const operationId = (read._meta as JsonValue)['writ.dev/operation-id'] as string;
      const { record } = await verifiedReceipt(stack, world, operationId, 'outcome');
      expect(record).toMatchObject({ tool_id: 'mcp.everything.resources_read', tx_outcome: 'no_op' });
      const prompt = await client.getPrompt({
        name: 'test_prompt_with_arguments',
        arguments: { arg1: 'a', arg2: 'b' },
      });
      expect(prompt.messages).toMatchObject([{ content: { text: "Prompt with arguments: arg1='a', arg2='b'" } }]);
      await expect(client.readResource({ uri: 'test://none' })).rejects.toMatchObject({
        data: { uri: 'test://none', code: 'mcp.failed' },
      });
    } finally {
      await client.close();
    }
  },
);
