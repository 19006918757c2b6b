// SPDX-License-Identifier: Apache-2.0
//
// Searching the web. It is no tool until a tenant has an engine to ask: the tool is made of the provider that its
// administrator named, which is part of what its digest covers.
import { Type, type Static } from 'typebox';
import { EGRESS_LIMITS, type ToolDefinition } from './definition.ts';
import { STRANGERS } from './egress.ts';
import { NOT_AVAILABLE } from './not-available.ts';
import { SearchProvider } from './search-provider.ts';

const closed = { additionalProperties: false } as const;

/** Results of one search: what a model still reads through. */
export const SEARCH_RESULTS_MAX = 50;
/** As much of a URL as servers and proxies take. */
const URL_CHARS_MAX = 2_048;

/** The tool as it is stored, hashed and handed to executors. */
export const SearchTool = Type.Object(
  {
    v: Type.Literal(1),
    tool_id: Type.Literal(NOT_AVAILABLE.searchWeb),
    version: Type.Integer({ minimum: 1 }),
    provider: SearchProvider,
  },
  closed,
);
export type SearchTool = Static<typeof SearchTool>;

/** The one request of a search. Total and pure: what is no text becomes an empty one. */
export function searchUrl({ url }: SearchProvider, args: Readonly<Record<string, unknown>>): string {
  const query = typeof args['query'] === 'string' ? args['query'].toWellFormed() : '';
  return `${url}/search?q=${encodeURIComponent(query)}&format=json`;
}

/** The definition of `web.search` for a tenant's provider: the same one gives the same digest on every replica. */
export function searchTool({ tool_id, version, provider }: SearchTool): ToolDefinition {
  return {
    tool_id,
    version,
    provider,
    description:
      'Searches the web. Answers with titles, addresses and what stands there in a few words; read a page with `web.fetch`.',
    category: 'read',
    class: 'broker',
    mutating: false,
    accepts_secrets: [],
    labels: STRANGERS,
    limits: EGRESS_LIMITS,
    parameters: Type.Object(
      {
        query: Type.String({ minLength: 1, maxLength: 1_024, description: 'what to search for' }),
        max_results: Type.Optional(
          Type.Integer({ minimum: 1, maximum: SEARCH_RESULTS_MAX, description: 'results to return; 10 unless said' }),
        ),
      },
      closed,
    ),
    result: Type.Object(
      {
        results: Type.Array(Type.Object({ title: Type.String(), url: Type.String(), snippet: Type.String() }, closed)),
        truncated: Type.Boolean({ description: 'whether the provider had more' }),
      },
      closed,
    ),
    resources: () => [],
    requests: (args) => [{ method: 'GET', url: searchUrl(provider, args), purpose: '' }],
    faults: (args) =>
      searchUrl(provider, args).length > URL_CHARS_MAX
        ? [{ pointer: '/query', message: 'is too long once it stands in a URL: search for less' }]
        : [],
  };
}
