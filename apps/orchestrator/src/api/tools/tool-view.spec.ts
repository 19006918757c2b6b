// SPDX-License-Identifier: Apache-2.0
import { parseMessage, type HttpTool, type McpTool, type TenantTool } from '@writ/contract';
import { tenantView } from './tool-view.ts';
import { ToolView } from './views.ts';

const shared = {
  v: 1,
  version: 3,
  description: 'Orders.',
  category: 'write',
  parameters: { type: 'object', properties: { id: { type: 'string' }, order: { type: 'object' } } },
  result: null,
  timeout_ms: 30_000,
} as const;
const HTTP: HttpTool = {
  ...shared,
  kind: 'http',
  tool_id: 'api.shop.order',
  method: 'PUT',
  server: 'https://shop.example/v1',
  path: '/orders/{id}',
  inputs: [{ argument: 'id', name: 'id', in: 'path', style: 'simple', explode: false }],
  body: { argument: 'order', media: 'application/json' },
  credentials: [{ in: 'header', name: 'authorization', prefix: 'Bearer hidden-', secret: 'SHOP_KEY' }],
  idempotency_header: null,
};
const MCP: McpTool = {
  ...shared,
  kind: 'mcp',
  tool_id: 'mcp.github.look',
  server: 'github',
  server_digest: 'a'.repeat(64),
  remote_name: 'look',
  remote_digest: 'b'.repeat(64),
  annotations: { readOnlyHint: true },
};
const applied = { applied_by: 'key_1', applied_at: 1_767_225_600_000 };
const viewOf = (tool: TenantTool): ToolView =>
  parseMessage(ToolView, tenantView({ tool, definition_digest: '0'.repeat(64), ...applied }));

it('the view of an HTTP tool has the request, and the names of secrets without the text around them', () => {
  const { http, ...rest } = viewOf(HTTP);
  expect(http).toEqual({
    method: 'PUT',
    server: 'https://shop.example/v1',
    path: '/orders/{id}',
    inputs: HTTP.inputs,
    body: HTTP.body,
    credentials: [{ in: 'header', name: 'authorization', secret: 'SHOP_KEY' }],
    idempotency_header: null,
    ...applied,
  });
  expect(JSON.stringify([http, rest])).not.toContain('hidden-');
});

it('the view of an MCP tool has the server, the name and the definition there, and the hints of the server', () => {
  const { server, server_digest, remote_name, remote_digest, annotations } = MCP;
  expect(viewOf(MCP).mcp).toEqual({ server, server_digest, remote_name, remote_digest, annotations, ...applied });
  const { annotations: _none, ...without } = MCP;
  expect(viewOf(without).mcp?.annotations).toEqual({});
});
