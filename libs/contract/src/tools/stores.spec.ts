// SPDX-License-Identifier: Apache-2.0
import type { BoundResource } from '../resources/resource-kinds.ts';
import { bindTool } from './registry.ts';
import { storeSettingsOf, VECDB_DELETE, VECDB_QUERY, VECDB_UPSERT } from './stores.ts';

const TOOLS = [VECDB_QUERY, VECDB_UPSERT, VECDB_DELETE];
const storeWith = (settings: object): BoundResource =>
  ({
    kind: 'info_store',
    name: 'notes',
    settings: { ...storeSettingsOf({}), ...settings },
  }) as unknown as BoundResource;
const CHROMA = { kind: 'chroma', url: 'https://chroma.example', collection: 'a b' };
const SERVICE = { kind: 'openai', url: 'https://models.example/v1', model: 'm', dimensions: 8 };

describe('a call on an information store', () => {
  it.each(TOOLS)('of this machine is inline for policy, and runs in the lane of long calls: $tool_id', (tool) => {
    const bound = bindTool(tool, [storeWith({})]);
    expect([bound.class, bound.lane, bound.requests?.({})]).toEqual(['inline', 'broker', []]);
  });

  it.each([
    ['its documents', { backend: CHROMA }],
    ['its model', { embedding: SERVICE }],
  ])('with %s outside is one that reaches others', (_, settings) => {
    for (const tool of TOOLS) expect(bindTool(tool, [storeWith(settings)])).toMatchObject({ class: 'broker' });
  });

  it.each(TOOLS)('of a Chroma server declares addresses that it sends to, or sends below: $tool_id', (tool) => {
    const collections = 'https://chroma.example/api/v2/tenants/default_tenant/databases/default_database/collections';
    const requests = bindTool(tool, [storeWith({ backend: CHROMA, embedding: SERVICE })]).requests?.({});
    expect(requests?.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://models.example/v1/embeddings',
      `GET ${collections}/a%20b`,
      `POST ${collections}`,
    ]);
  });
});
