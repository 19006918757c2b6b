// SPDX-License-Identifier: Apache-2.0
// A server of the official SDK with one tool, which answers what it was sent. Prints its port, and ends with its input.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

const inputSchema = fromJsonSchema({
  type: 'object',
  properties: { path: { type: 'string' }, content: { type: 'string' } },
  required: ['path', 'content'],
});
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { inputSchema }, (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }));
  return server;
});

const server = createServer(async (request, response) => {
  const body = request.method === 'POST' ? await buffer(request) : undefined;
  const headers = Object.entries(request.headers).filter(([, value]) => typeof value === 'string');
  const answer = await handler.fetch(new Request('http://echo/mcp', { method: request.method, headers, body }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
