// SPDX-License-Identifier: Apache-2.0
// The official client of the Model Context Protocol against `/mcp`, in both revisions.
import { randomUUID } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/client';
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
import { ERAS, mcpClient, type Era } from '../mcp-client.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let stack: SharedStack;
let world: World;
const open: Client[] = [];

beforeAll(async () => {
  stack = await sharedStack();
  world = await makeWorld(stack.url, stack.keys.platformKey, { files: { 'notes/a b.txt': 'hello\n' } });
});
afterAll(() => Promise.all(open.map((client) => client.close())));

const connect = async (options: Parameters<typeof mcpClient>[2]): Promise<Client> => {
  const client = await mcpClient(`${stack.url}/mcp/${world.tokenId}`, world.agent.key!, options);
  open.push(client);
  return client;
};
const contentOf = ({ structuredContent }: { structuredContent?: unknown }): JsonValue => structuredContent;
/** A directory whose removal a person must approve. */
const directory = async (): Promise<string> => {
  const name = `dir-${randomUUID()}`;
  await world.call('fs.write', { path: `${name}/x.txt`, content: 'x' });
  return name;
};
const pending = async (): Promise<JsonValue[]> =>
  (await world.operator.get('/v1/approvals?state=pending')).body.items as JsonValue[];

describe.each(ERAS)('the official client with the revision %s', (era: Era) => {
  it('lists, writes and reads, and each call has a verified receipt that names its client', async () => {
    const client = await connect({ era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['fs_read', 'fs_write', 'shell_run']));
    const path = `${era}.txt`;
    const written = contentOf(await client.callTool({ name: 'fs_write', arguments: { path, content: 'through MCP' } }));
    expect(written).toMatchObject({ state: 'committed', error: null });
    expect(await world.file(path)).toBe('through MCP');
    const read = contentOf(await client.callTool({ name: 'fs_read', arguments: { path } }));
    expect(read.result).toMatchObject({ content: 'through MCP' });
    const { record } = await verifiedReceipt(stack, world, written.operation_id as string, 'outcome');
    expect((record as JsonValue).provenance).toEqual({
      source: 'mcp',
      ...(era === 'auto' ? { client: 'writ-e2e/1.0.0' } : {}),
    });
  });

  it('gets the refusal of a tool that its token does not grant as an error with a recorded operation', async () => {
    const client = await connect({ era });
    const answer = await client.callTool({ name: 'web_search', arguments: { query: 'x' } });
    expect([answer.isError, contentOf(answer)]).toMatchObject([
      true,
      { state: 'refused', error: { code: expect.any(String) } },
    ]);
    const { operation_id } = contentOf(answer);
    expect((await verifiedReceipt(stack, world, operation_id as string, 'decision')).record).toMatchObject({
      verdict: 'refused',
    });
  });

  it('reads a file of the workspace as a resource, by a recorded call', async () => {
    const client = await connect({ era });
    const { contents } = await client.readResource({ uri: 'writ://workspace/notes/a%20b.txt' });
    expect(contents).toMatchObject([{ text: 'hello\n' }]);
    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ name: expect.stringContaining('fs.read') });
    const { contents: shown } = await client.readResource({ uri: resources[0]!.uri });
    expect(JSON.parse((shown[0] as { text: string }).text)).toMatchObject({ tool_id: 'fs.read' });
  });

  it('runs a call once for one idempotency key', async () => {
    const client = await connect({ era });
    const request = {
      name: 'fs_write',
      arguments: { path: `once-${era}.txt`, content: 'x' },
      _meta: { 'writ.dev/idempotency-key': randomUUID() },
    };
    const [first, second] = [contentOf(await client.callTool(request)), contentOf(await client.callTool(request))];
    expect(second.operation_id).toBe(first.operation_id);
  });
});

it('a held call waits for the approval of a person, in the older revision within the call', async () => {
  const client = await connect({ era: 'legacy' });
  const name = await directory();
  const ended = client.callTool({ name: 'shell_run', arguments: { command: `rm -rf ${name}` } });
  const [approval] = await eventually('a held call', async () => {
    const found = await pending();
    return found.length > 0 && found;
  });
  expect((await approveShown(world.operator, approval.approval_id)).status).toBe(200);
  expect(contentOf(await ended)).toMatchObject({ state: 'committed' });
  expect(await world.file(`${name}/x.txt`)).toBeNull();
});

it('no answer of the client approves a held call: only a person does', async () => {
  const asked: string[] = [];
  const client = await connect({
    elicit: (message) => {
      asked.push(message);
      return { action: 'accept', content: { approve: true, approved: true, decision: 'approve' } };
    },
  });
  const name = await directory();
  const ended = client.callTool({ name: 'shell_run', arguments: { command: `rm -rf ${name}` } });
  await eventually('a question', async () => asked.length > 0);
  const [approval] = await pending();
  expect(approval.state).toBe('pending');
  expect(await world.file(`${name}/x.txt`)).toBe('x');
  expect((await approveShown(world.operator, approval.approval_id)).status).toBe(200);
  expect(contentOf(await ended)).toMatchObject({ state: 'committed', operation_id: approval.operation_id });
  expect(asked).toHaveLength(1);
});

it('a call whose request is closed is cancelled', async () => {
  const client = await connect({});
  const stop = new AbortController();
  const name = await directory();
  const held = client.callTool(
    { name: 'shell_run', arguments: { command: `sleep 1; rm -rf ${name}` } },
    { signal: stop.signal },
  );
  const [approval] = await eventually('a held call', async () => {
    const found = await pending();
    return found.length > 0 && found;
  });
  stop.abort();
  await expect(held).rejects.toThrow();
  await world.until(approval.operation_id as string, ['refused', 'rolled_back']);
});

it('the key of another tenant and the token of another agent are answered as if nothing were there', async () => {
  const other = await makeWorld(stack.url, stack.keys.platformKey);
  for (const [key, token] of [
    [other.agent.key!, world.tokenId],
    [world.agent.key!, other.tokenId],
  ] as const)
    await expect(mcpClient(`${stack.url}/mcp/${token}`, key, { era: 'legacy' })).rejects.toThrow(/404|no such thing/);
});

it('a long call is a task of a client that takes tasks, and cancelling the task ends the operation', async () => {
  const ask = async (method: string, params: Readonly<Record<string, unknown>>): Promise<JsonValue> => {
    const answer = await fetch(`${stack.url}/mcp/${world.tokenId}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.agent.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': String(params['name'] ?? params['taskId']),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
    });
    return ((await answer.json()) as JsonValue).result as JsonValue;
  };
  const call = (command: string) => ask('tools/call', { name: 'shell_run', arguments: { command } });
  const ended = async (taskId: unknown): Promise<JsonValue> =>
    await eventually('the end of a task', async () => {
      const task = await ask('tasks/get', { taskId });
      return task.status !== 'working' && task;
    });
  const whole = await call('sleep 1; echo done');
  expect(whole).toMatchObject({ resultType: 'task', status: 'working' });
  expect((await ended(whole.taskId)).result).toMatchObject({ structuredContent: { result: { exit_code: 0 } } });
  const { taskId } = await call('sleep 60; echo never > never.txt');
  expect(await ask('tasks/cancel', { taskId })).toMatchObject({ resultType: 'complete' });
  expect(await ended(taskId)).toMatchObject({ taskId, status: 'cancelled' });
  await world.until(taskId as string, ['rolled_back', 'refused']);
  expect((await verifiedReceipt(stack, world, taskId as string, 'outcome')).record).toMatchObject({
    fault_code: 'cancelled',
  });
});

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
