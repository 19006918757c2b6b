// SPDX-License-Identifier: Apache-2.0
import { CliTool, FunctionTool } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

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
        {
          ...Type.Pick(FunctionTool, ['mode', 'idempotent']).properties,
          applied_by: Type.String(),
          applied_at: Type.Integer(),
        },
        { ...closed, description: 'of a function that a process of the tenant runs' },
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
          applied_by: Type.String(),
          applied_at: Type.Integer(),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type ToolView = Static<typeof ToolView>;
export const ToolList = Type.Object({ items: Type.Array(ToolView) }, closed);
