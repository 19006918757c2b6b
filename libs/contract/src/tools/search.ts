// SPDX-License-Identifier: Apache-2.0
//
// Web search, at a search engine that an administrator registered as a resource. Its settings are part of the digest of
// a call, so that a decided search goes to no other engine.
import { Type } from 'typebox';
import type { BoundResource } from '../resources/resource-kinds.ts';
import type { SearchEngineSettings } from '../resources/resource-settings.ts';
import { EGRESS_LIMITS, type ToolDefinition } from './definition.ts';
import { UNTRUSTED_CONTENT_LABELS } from './egress.ts';

const closed = { additionalProperties: false } as const;

/** Results of one search: as many as a model still reads. */
export const SEARCH_RESULTS_MAX = 50;
/** The name of the engine that searches without `engine` go to. */
export const DEFAULT_SEARCH_ENGINE = 'default';
/** The length of a URL that servers and proxies accept. */
const URL_CHARS_MAX = 2_048;

/** The request of a search. Total and pure: a query that is no text becomes an empty one. */
export function searchUrl({ url }: Pick<SearchEngineSettings, 'url'>, args: Readonly<Record<string, unknown>>): string {
  const query = typeof args['query'] === 'string' ? args['query'].toWellFormed() : '';
  return `${url}/search?q=${encodeURIComponent(query)}&format=json`;
}

export const WEB_SEARCH: ToolDefinition = {
  tool_id: 'web.search',
  version: 1,
  description:
    'Searches the web. Answers with titles, addresses and what stands there in a few words; read a page with `web.fetch`.',
  category: 'read',
  class: 'broker',
  mutating: false,
  accepts_secrets: [],
  labels: UNTRUSTED_CONTENT_LABELS,
  limits: EGRESS_LIMITS,
  parameters: Type.Object(
    {
      query: Type.String({ minLength: 1, maxLength: 1_024, description: 'what to search for' }),
      engine: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: `the search engine, by name or id; \`${DEFAULT_SEARCH_ENGINE}\` by default`,
        }),
      ),
      max_results: Type.Optional(
        Type.Integer({ minimum: 1, maximum: SEARCH_RESULTS_MAX, description: 'results to return; 10 by default' }),
      ),
    },
    closed,
  ),
  result: Type.Object(
    {
      results: Type.Array(Type.Object({ title: Type.String(), url: Type.String(), snippet: Type.String() }, closed)),
      truncated: Type.Boolean({ description: 'whether the engine had more' }),
    },
    closed,
  ),
  resources: () => [],
  needs: 'search_engine',
  targets: ({ engine }) => [
    {
      kind: 'search_engine',
      ref: typeof engine === 'string' ? engine : DEFAULT_SEARCH_ENGINE,
      right: 'use',
      pointer: '/engine',
      ...(engine === undefined ? { implied: true as const } : {}),
    },
  ],
  bind: ([engine]) => ({ ...WEB_SEARCH, ...searchAt(engine) }),
};

/** The requests of a search depend on its engine, and so does the length of a query that fits into a URL. */
function searchAt(engine: BoundResource | undefined): Pick<ToolDefinition, 'requests' | 'faults'> {
  const { url } = engine?.settings as SearchEngineSettings;
  return {
    requests: (args) => [{ method: 'GET', url: searchUrl({ url }, args), purpose: '' }],
    faults: (args) =>
      searchUrl({ url }, args).length > URL_CHARS_MAX
        ? [{ pointer: '/query', message: 'is too long once it stands in a URL: search for less' }]
        : [],
  };
}
