// SPDX-License-Identifier: Apache-2.0
// The MCP clients of two agent frameworks against `/mcp`, unmodified: the AI SDK, and the OpenAI Agents SDK in Python,
// which is skipped by name where it can't be installed.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createMCPClient, ElicitationRequestSchema, type MCPClient } from '@ai-sdk/mcp';
import { vi } from 'vitest';
import {
  approveShown,
  eventually,
  makeWorld,
  sharedStack,
  verifiedReceipt,
  type JsonValue,
  type SharedStack,
  type World,
} from '@writ/stack';
import { repositoryRoot } from '@writ/testing';
import { pythonAgents } from '../python-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const python = await pythonAgents();

let stack: SharedStack;
let world: World;
let url: string;
beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'notes.txt': 'hello\n' } });
  url = `${stack.url}/mcp/${world.tokenId}`;
});

const headersOf = () => ({ authorization: `Bearer ${world.agent.key!}` });
/** A directory whose removal a person must approve. */
const directory = async (): Promise<string> => {
  const name = `dir-${randomUUID()}`;
  await world.call('fs.write', { path: `${name}/x.txt`, content: 'x' });
  return name;
};
/** Approves the only held call, as a person who looked at it. */
const approve = async (): Promise<void> => {
  const approval = await eventually('a held call', async () => {
    const { body } = await world.operator.get('/v1/approvals?state=pending');
    return (body.items as JsonValue[])[0];
  });
  expect((await approveShown(world.operator, approval.approval_id)).status).toBe(200);
};
/** The record of a call, whose receipt verifies. */
const recordOf = async (called: JsonValue, phase: 'decision' | 'outcome' = 'outcome'): Promise<JsonValue> =>
  (await verifiedReceipt(stack, world, called.operation_id as string, phase)).record;

describe.each([
  ['of 2026-07-28', true],
  ['of 2025-11-25', false],
])("the AI SDK's client, in the revision %s", (_revision, protocolVersionDiscovery) => {
  let client: MCPClient;
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    client = await createMCPClient({
      transport: { type: 'http', url, headers: headersOf() },
      protocolVersionDiscovery,
      capabilities: { elicitation: { form: {} } },
    });
    client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: {} };
    });
  });
  afterEach(() => client.close());

  /** Calls a tool as the framework's loop does. */
  const call = async (name: string, args: object): Promise<JsonValue> => {
    const { [name]: tool } = await client.tools();
    return await tool!.execute!(args, { toolCallId: randomUUID(), messages: [], context: {} });
  };

  it('lists the tools, and calls one with a receipt', async () => {
    expect(Object.keys(await client.tools())).toEqual(expect.arrayContaining(['fs_read', 'fs_write', 'shell_run']));
    const path = `ai-${randomUUID()}.txt`;
    const { structuredContent } = await call('fs_write', { path, content: 'by the AI SDK' });
    expect(structuredContent).toMatchObject({ state: 'committed', error: null });
    expect(await world.file(path)).toBe('by the AI SDK');
    expect(await recordOf(structuredContent)).toMatchObject({ provenance: { source: 'mcp' }, tx_outcome: 'committed' });
    expect((await call('fs_read', { path: 'notes.txt' })).structuredContent).toMatchObject({
      result: { content: 'hello\n' },
    });
  });

  it('shows the model a refused call, which is recorded', async () => {
    const answer = await call('fs_read', { path: '../outside' });
    expect(answer).toMatchObject({ isError: true, structuredContent: { state: 'refused' } });
    expect(await recordOf(answer.structuredContent, 'decision')).toMatchObject({ verdict: 'refused' });
  });

  it('waits for a held call, which a person alone approves', async () => {
    const name = await directory();
    const called = call('shell_run', { command: `rm -rf ${name}` });
    await approve();
    const { structuredContent } = await called;
    expect(structuredContent).toMatchObject({ state: 'committed' });
    expect(await world.file(`${name}/x.txt`)).toBeNull();
    // Without a session, the older revision can ask its user nothing.
    expect(asked.length > 0).toBe(protocolVersionDiscovery);
  });
});

describe.skipIf(python === null)('an agent of the OpenAI Agents SDK (skipped without python3 and pip)', () => {
  /** Starts one. Its model is the test: each turn is a line, and so is the answer. */
  function agent() {
    const program = join(repositoryRoot(), 'tests', 'e2e', 'src', 'agents-client.py');
    const child = spawn('python3', [program, url], {
      env: { PATH: process.env['PATH'], PYTHONPATH: python!, WRIT_API_KEY: world.agent.key },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const problems: string[] = [];
    child.stderr.on('data', (part) => problems.push(String(part)));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<JsonValue> => {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the agent ended: ${problems.join('')}`);
      return JSON.parse(value) as JsonValue;
    };
    return {
      next,
      call: (tool: string, args: object) => child.stdin.write(`${JSON.stringify({ tool, arguments: args })}\n`),
      finish: async (text: string): Promise<number> => {
        const closed = once(child, 'close') as Promise<[number]>;
        child.stdin.write(`${JSON.stringify({ text })}\n`);
        expect(await next()).toEqual({ final: text });
        return (await closed)[0];
      },
    };
  }
  const textOf = ({ last }: JsonValue): string => JSON.stringify(last);

  it('lists tools, calls one, is refused another, and waits for a held one', async () => {
    const run = agent();
    expect((await run.next()).tools).toEqual(expect.arrayContaining(['fs_read', 'fs_write', 'shell_run']));
    run.call('fs_write', { path: 'agents.txt', content: 'by an agent' });
    const written = textOf(await run.next());
    expect(written).toContain('committed');
    expect(await world.file('agents.txt')).toBe('by an agent');
    const [operation_id] = /op_[0-9a-z]+/.exec(written) ?? [];
    expect(await recordOf({ operation_id })).toMatchObject({ provenance: { source: 'mcp' }, tx_outcome: 'committed' });

    run.call('fs_read', { path: '../outside' });
    expect(textOf(await run.next())).toContain('refused');

    const name = await directory();
    run.call('shell_run', { command: `rm -rf ${name}` });
    await approve();
    expect(textOf(await run.next())).toContain('committed');
    expect(await world.file(`${name}/x.txt`)).toBeNull();
    expect(await run.finish('done')).toBe(0);
  });
});
