// SPDX-License-Identifier: Apache-2.0
import { CliToolFile, SearchProvider, SearchProviderView, ToolsApplied } from '@writ/contract';
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { ToolList, ToolView } from './views.ts';

const DryRun = Type.Optional(Type.Boolean({ description: 'only say what would become of them' }));
const shared = { tag: 'tools', path: '/v1/tools' } as const;
const one = { tag: 'tools', path: '/v1/tools/{tool_id}', params: { tool_id: 'tool' } } as const;

export const TOOL_ROUTES = {
  list: route({
    ...shared,
    id: 'listTools',
    method: 'GET',
    allowed: ROLES,
    summary: "Lists the tools with their parameters: Writ's own and the tenant's",
    answers: { 200: { says: 'All tools', schema: ToolList } },
  }),
  read: route({
    ...one,
    id: 'readTool',
    method: 'GET',
    allowed: ROLES,
    summary: 'Shows one tool',
    answers: { 200: { says: 'The tool', schema: ToolView } },
  }),
  apply: route({
    ...shared,
    id: 'applyTools',
    method: 'PUT',
    allowed: ['admin'],
    summary: 'Registers programs as tools: all that are sent, or none',
    // Whatever the tools look like, all that is wrong with them is told at once.
    body: Type.Object(
      { tools: Type.Array(Type.Unknown()), variables: Type.Optional(Type.Unknown()), dry_run: DryRun },
      closed,
    ),
    documentedBody: Type.Object({ ...CliToolFile.properties, dry_run: DryRun }, closed),
    answers: {
      200: {
        says: 'What became of each; or, where `valid` is false, everything that is wrong with them, and nothing has changed',
        schema: ToolsApplied,
      },
    },
    faults: ['conflict'],
  }),
  remove: route({
    ...one,
    id: 'removeTool',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Takes back a tool of the tenant: what was decided on it and has not begun does not run',
    answers: { 200: { says: 'It is gone', schema: Type.Object({ removed: Type.String() }, closed) } },
  }),
};

const search = { tag: 'tools', path: '/v1/search-provider' } as const;

/** What answers `web.search`: there is no such tool until one is set. */
export const SEARCH_PROVIDER = {
  read: route({
    ...search,
    id: 'readSearchProvider',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Shows what answers searches of the web',
    answers: { 200: { says: 'The provider', schema: SearchProviderView } },
    faults: ['not_found'],
  }),
  set: route({
    ...search,
    id: 'setSearchProvider',
    method: 'PUT',
    allowed: ['admin'],
    summary: 'Sets what answers searches of the web: from then on there is the tool `web.search`',
    body: SearchProvider,
    answers: { 200: { says: 'The provider', schema: SearchProviderView } },
  }),
  remove: route({
    ...search,
    id: 'removeSearchProvider',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Takes the provider back, and `web.search` with it',
    answers: { 200: { says: 'What it was', schema: SearchProviderView } },
    faults: ['not_found'],
  }),
};
