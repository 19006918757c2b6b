// SPDX-License-Identifier: Apache-2.0
import { CliTool } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';

export const ToolView = Type.Object(
  {
    tool_id: Type.String(),
    version: Type.Integer(),
    description: Type.String(),
    category: Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('admin')]),
    class: Type.Union([Type.Literal('inline'), Type.Literal('sandboxed'), Type.Literal('broker')]),
    mutating: Type.Boolean(),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the arguments' }),
    result: Type.Record(Type.String(), Type.Unknown(), { description: 'JSON Schema of the result' }),
    limits: Type.Record(Type.String(), Type.Integer()),
    definition_digest: Type.String({ description: 'SHA-256 of the definition, as in records' }),
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
