// SPDX-License-Identifier: Apache-2.0
import type { BoundResource } from '../resources/resource-kinds.ts';
import { argumentFaults, bindTool, definitionForDigest, targetsOf } from './registry.ts';
import { searchUrl, WEB_SEARCH } from './search.ts';

const engineAt = (url = 'https://searx.example.org', digest = 'a'): BoundResource => ({
  resource_id: `res_${'0'.repeat(26)}`,
  kind: 'search_engine',
  name: 'default',
  owner_agent_id: null,
  settings: { kind: 'searxng', url },
  digest: digest.repeat(64),
});
const bound = bindTool(WEB_SEARCH, [engineAt()]);

test('a search without `engine` names the default engine, and says that the arguments imply it', () => {
  expect(targetsOf(WEB_SEARCH, { query: 'x' })).toEqual([
    { kind: 'search_engine', ref: 'default', right: 'use', pointer: '/engine', implied: true },
  ]);
  expect(targetsOf(WEB_SEARCH, { query: 'x', engine: 'papers' })).toEqual([
    { kind: 'search_engine', ref: 'papers', right: 'use', pointer: '/engine' },
  ]);
});

test('a reference that no resource can have becomes one that names none', () => {
  for (const engine of ['a\0b', 'x'.repeat(1_000), 7])
    expect(targetsOf(WEB_SEARCH, { query: 'x', engine })[0]?.ref).toMatch(/^(default)?$/);
});

test('a search is one request to its engine, for any query', () => {
  expect(bound.requests?.({ query: 'a&format=html#x /../é' })).toEqual([
    {
      method: 'GET',
      url: 'https://searx.example.org/search?q=a%26format%3Dhtml%23x%20%2F..%2F%C3%A9&format=json',
      purpose: '',
    },
  ]);
  for (const query of [undefined, 7, '\ud800', '"<>^`{|}\''])
    expect(URL.parse(searchUrl({ url: 'https://searx.example.org' }, { query }))).toMatchObject({
      host: 'searx.example.org',
      pathname: '/search',
      hash: '',
    });
});

test('a query that is too long for a URL is refused at admission', () => {
  expect(argumentFaults(bound, { query: 'x'.repeat(1_024) })).toEqual([]);
  expect(argumentFaults(bound, { query: 'é'.repeat(1_000) })).toMatchObject([{ pointer: '/query' }]);
});

test('the digest of a resource is part of the digest of a tool that is bound to it', () => {
  const meant = (engine: BoundResource) => JSON.stringify(definitionForDigest(bindTool(WEB_SEARCH, [engine])));
  expect(meant(engineAt())).toBe(meant(engineAt()));
  expect(meant(engineAt('https://searx.example.org', 'b'))).not.toBe(meant(engineAt()));
  expect(meant(engineAt())).not.toBe(JSON.stringify(definitionForDigest(WEB_SEARCH)));
});
