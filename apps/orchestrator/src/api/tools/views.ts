// SPDX-License-Identifier: Apache-2.0
import { CliTool, FunctionMode, FunctionTool, HttpCredential, HttpTool, McpTool } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

const applied = { applied_by: Type.String(), applied_at: Type.Integer() };

export const ToolView = Type.Object(
  {
    tool_id: Type.String(),
    version: Type.Integer(),
    description: Type.String(),
    category: Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('admin')]),
    class: Type.Enum(['inline', 'sandboxed', 'broker', 'function']),
    mutating: Type.Boolean(),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments' }),
    result: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the result' }),
    limits: Type.Record(Type.String(), Type.Integer()),
    definition_digest: Type.String({ description: 'SHA-256 of the definition, as in records' }),
    function: Type.Optional(
      Type.Object(
        { mode: FunctionMode, idempotent: FunctionTool.properties.idempotent, ...applied },
        { ...closed, description: 'of a function that a process of the tenant runs' },
      ),
    ),
    http: Type.Optional(
      Type.Object(
        {
          ...Type.Pick(HttpTool, ['method', 'server', 'path', 'inputs', 'body', 'idempotency_header']).properties,
          credentials: Type.Array(Type.Pick(HttpCredential, ['in', 'name', 'secret'], closed), {
            description: 'where the values of secrets are sent, with the names of the secrets',
          }),
          ...applied,
        },
        { ...closed, description: 'of an operation of an HTTP API' },
      ),
    ),
    mcp: Type.Optional(
      Type.Object(
        {
          ...Type.Pick(McpTool, ['server', 'remote_name', 'remote_digest', 'server_digest']).properties,
          annotations: Type.Record(Type.String(), Type.Unknown(), {
            description: "the server's own hints on what the tool does: nothing relies on them",
          }),
          ...applied,
        },
        { ...closed, description: 'of a tool of an MCP server' },
      ),
    ),
    cli: Type.Optional(
      Type.Object(
        {
          cmd: Type.String(),
          args: Type.Array(Type.String()),
          optional_args: CliTool.properties.optional_args,
          env: Type.Array(Type.Object({ name: Type.String(), secrets: Type.Array(Type.String()) }, closed), {
            description: 'the variables that it declares, by name, with the secrets in them',
          }),
          ...applied,
        },
        closed,
      ),
    ),
  },
  closed,
);
export type ToolView = Static<typeof ToolView>;
export const ToolList = Type.Object({ items: Type.Array(ToolView) }, closed);
