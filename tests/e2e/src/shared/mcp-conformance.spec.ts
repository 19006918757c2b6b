// SPDX-License-Identifier: Apache-2.0
// The official conformance suite of MCP against `/mcp`, in both revisions.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { approveShown, makeWorld, sharedStack, type JsonValue, type SharedStack, type World } from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { FixtureProxy, type FixtureCall, type FixtureNames } from '../conformance/fixture-proxy.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const SUITE = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const HOUR_MS = 3_600_000;
/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

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

let stack: SharedStack;
let world: World;
let proxy: FixtureProxy;
let results: string;
const stop = new AbortController();

beforeAll(async () => {
  results = mkdtempSync(join(tmpdir(), 'writ-conformance-'));
  stack = await sharedStack();
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
  const { capability_token_id } = await world.admin.must('/v1/capability-tokens', {
    agent_id: world.agentId,
    workspace_id: world.workspaceId,
    grant: {
      tools: ['fs.*', 'shell.run', 'skill.read'],
      fs: [{ path: '', read: true, write: true }],
      net: [],
      secrets: [],
      budgets: {},
      not_before: 0,
      expires_at: Date.now() + HOUR_MS,
    },
  });
  proxy = await FixtureProxy.before(`${stack.url}/mcp/${String(capability_token_id)}`, world.agent.key!, NAMES);
  void approveAll();
});
afterAll(async () => {
  stop.abort();
  await proxy?.close();
  rmSync(results, { recursive: true, force: true });
});

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
const UNCOUNTED: Readonly<Record<string, readonly string[]>> = {
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

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs the suite with one revision. Returns its status and the checks that failed, each with its scenario. */
async function run(
  revision: string,
): Promise<{ readonly failed: readonly (Check & { name: string })[]; code: number }> {
  const [output, expected] = [join(results, revision), `tests/e2e/src/conformance/expected-${revision}.yaml`];
  const options = ['--requirements', revision, '--expected-failures', expected, '--output-dir', output];
  const child = spawn(process.execPath, [SUITE, 'server', '--url', proxy.url, ...options], {
    cwd: repositoryRoot(),
    env: { ...process.env, NO_COLOR: '1' },
    // The folders say more than the output.
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number];
  // Each scenario has a folder `server-<scenario>-<time>` with its checks.
  const failed = readdirSync(output).flatMap((folder) => {
    const checks = JSON.parse(readFileSync(join(output, folder, 'checks.json'), 'utf8')) as Check[];
    const [, scenario] = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(folder) ?? [];
    return checks
      .filter(({ status }) => status === 'FAILURE')
      .map((check) => ({ ...check, name: `${scenario}:${check.id}` }));
  });
  return { failed, code };
}

it.each(['2026-07-28', '2025-11-25'])('the conformance suite passes with the revision %s', async (revision) => {
  const { failed, code } = await run(revision);
  const said = failed.map(({ name, errorMessage }) => `${name} ${errorMessage}`).join('\n');
  expect(code, said).toBe(0);
  const uncounted = failed.map(({ name }) => name).filter((name) => IS_UNCOUNTED.test(name));
  expect(uncounted.sort(), said).toEqual(UNCOUNTED[revision]!.toSorted());
});
