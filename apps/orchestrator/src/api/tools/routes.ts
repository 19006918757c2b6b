// SPDX-License-Identifier: Apache-2.0
import { CliToolFile, DECLARED_TOOLS, FunctionToolSource, ToolsApplied } from '@writ/contract';
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { ApiImport, ApiImported } from './import-views.ts';
import { ToolList, ToolView } from './views.ts';

const DryRun = Type.Optional(Type.Boolean({ description: 'only report what would change' }));
const shared = { tag: 'tools', path: '/v1/tools' } as const;
const one = { tag: 'tools', path: '/v1/tools/{tool_id}', params: { tool_id: 'tool' } } as const;

export const TOOL_ROUTES = {
  list: route({
    ...shared,
    id: 'listTools',
    method: 'GET',
    allowed: ROLES,
    summary: "Lists the tools with their parameters: Writ's own and the tenant's",
    answers: { 200: { description: 'All tools', schema: ToolList } },
  }),
  read: route({
    ...one,
    id: 'readTool',
    method: 'GET',
    allowed: ROLES,
    summary: 'Shows one tool',
    answers: { 200: { description: 'The tool', schema: ToolView } },
  }),
  apply: route({
    ...shared,
    id: 'applyTools',
    method: 'PUT',
    allowed: ['admin'],
    summary: 'Registers programs and functions as tools, all of the request or none',
    // Accepts any shape here, so that the answer lists all errors at once.
    body: Type.Object(
      {
        tools: Type.Optional(Type.Array(Type.Unknown())),
        functions: Type.Optional(Type.Array(Type.Unknown())),
        variables: Type.Optional(Type.Unknown()),
        dry_run: DryRun,
      },
      closed,
    ),
    documentedBody: Type.Object(
      {
        tools: Type.Optional(CliToolFile.properties.tools),
        functions: Type.Optional(Type.Array(FunctionToolSource, { maxItems: DECLARED_TOOLS.inOneFile })),
        variables: CliToolFile.properties.variables,
        dry_run: DryRun,
      },
      closed,
    ),
    answers: {
      200: {
        description: 'The result for each tool; or, where `valid` is false, all errors, and nothing has changed',
        schema: ToolsApplied,
      },
    },
    faults: ['conflict', 'limit.exceeded'],
  }),
  importOpenApi: route({
    tag: 'tools',
    path: '/v1/tools/imports/openapi',
    id: 'importOpenApi',
    method: 'POST',
    allowed: ['admin'],
    summary: 'Makes tools of the operations of an OpenAPI document, and registers all of them or none',
    body: ApiImport,
    answers: {
      200: {
        description: 'What became of each operation; where `applied` is null, nothing has changed',
        schema: ApiImported,
      },
    },
    faults: ['conflict', 'limit.exceeded'],
  }),
  remove: route({
    ...one,
    id: 'removeTool',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes a tool of the tenant: admitted calls of it that have not begun do not run',
    answers: {
      200: { description: 'The id of the removed tool', schema: Type.Object({ removed: Type.String() }, closed) },
    },
    faults: ['conflict'],
  }),
};
