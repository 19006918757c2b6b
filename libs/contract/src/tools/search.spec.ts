// SPDX-License-Identifier: Apache-2.0
import { argumentFaults, definitionForDigest, TOOLS } from './registry.ts';
import { searchTool, searchUrl } from './search.ts';

const stored = (url = 'https://searx.example.org', version = 1) =>
  ({ v: 1, tool_id: 'web.search', version, provider: { kind: 'searxng', url } }) as const;
const tool = searchTool(stored());

test('there is no search of the web before a provider is set', () => {
  expect(TOOLS.has('web.search')).toBe(false);
});

test('a search is one request to the provider, whatever is searched for', () => {
  expect(tool.requests?.({ query: 'a&format=html#x /../é' })).toEqual([
    {
      method: 'GET',
      url: 'https://searx.example.org/search?q=a%26format%3Dhtml%23x%20%2F..%2F%C3%A9&format=json',
      purpose: '',
    },
  ]);
  for (const query of [undefined, 7, '\ud800', '"<>^`{|}\''])
    expect(URL.parse(searchUrl(stored().provider, { query }))).toMatchObject({
      host: 'searx.example.org',
      pathname: '/search',
      hash: '',
    });
});

test('a search for more than a URL holds is refused where it is asked for', () => {
  expect(argumentFaults(tool, { query: 'x'.repeat(1_024) })).toEqual([]);
  expect(argumentFaults(tool, { query: 'é'.repeat(1_000) })).toMatchObject([{ pointer: '/query' }]);
});

test('the provider is part of what the tool means', () => {
  const meant = (of: ReturnType<typeof stored>) => JSON.stringify(definitionForDigest(searchTool(of)));
  expect(meant(stored('https://other.example.org'))).not.toBe(meant(stored()));
  expect(meant(stored())).toBe(meant(stored()));
});
