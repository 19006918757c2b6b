// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { answerByFetch } from '@writ/testing';
import { eventually, makeWorld, openFakeInternet, startStack, type JsonValue, type World } from '@writ/stack';
import type { Load, Metric } from '../measure.ts';
import { mcpCalls } from './mcp.ts';

const HOST = 'mcp.outside.example';
const HOUR_MS = 3_600_000;

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  const inputSchema = fromJsonSchema({
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  });
  server.registerTool('echo', { inputSchema }, (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }));
  return server;
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers } = request;
  const read = { method, headers, body: await text(request) };
  await answerByFetch((asked) => handler.fetch(asked), `https://${HOST}/mcp`, read, response);
}

/** Registers the server, accepts its tool, and returns the token that grants it. */
async function mount({ admin, agentId, workspaceId }: World): Promise<string> {
  const settings = { transport: 'http', url: `https://${HOST}/mcp` };
  const { resource_id } = await admin.must('/v1/resources', { kind: 'mcp_server', name: 'echo', settings });
  const use = { kind: 'mcp_server', resource_id: resource_id as string, right: 'use' };
  await admin.request('PUT', '/v1/resource-grants', { ...use, agent_id: agentId, clearance: 'autopilot' });
  const digest = await eventually('the listing of the tools', async () => {
    const { body } = await admin.get('/v1/mcp-servers/echo/tools');
    return (body.items as JsonValue[])[0]?.seen?.digest as string | undefined;
  });
  await admin.must('/v1/mcp-servers/echo/tools/accept', { tools: [{ name: 'echo', digest }] });
  const grant = {
    tools: ['mcp.echo.*'],
    fs: [],
    net: [{ domain: HOST, methods: ['POST'] }],
    secrets: [],
    budgets: {},
    not_before: 0,
    expires_at: Date.now() + HOUR_MS,
  };
  const token = await admin.must('/v1/capability-tokens', { agent_id: agentId, workspace_id: workspaceId, grant });
  return token.capability_token_id as string;
}

/** One call of a tool of an MCP server behind Writ by the official client, until its receipt is in the log. */
export async function mcpUpstream(load: Load): Promise<Omit<Metric, 'reference' | 'ratio'>> {
  const internet = await openFakeInternet((request, response) => void serve(request, response));
  const stack = await startStack({
    programs: { executor: [internet.program] },
    env: { executor: internet.env, orchestrator: { WRIT_RATE_PER_SECOND: '100000', WRIT_RATE_BURST: '100000' } },
  });
  try {
    const world = await makeWorld(stack.url, stack.keys.platformKey);
    return await mcpCalls({ ...world, tokenId: await mount(world) }, 'mcp.echo.echo', load);
  } finally {
    await stack.stop();
    internet.close();
  }
}
