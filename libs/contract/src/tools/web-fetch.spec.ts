// SPDX-License-Identifier: Apache-2.0
import type { BoundResource } from '../resources/resource-kinds.ts';
import { pageUrlOf, WEB_FETCH } from './egress.ts';
import { argumentFaults, bindTool, targetsOf } from './registry.ts';

const site = (url: string): BoundResource => ({
  resource_id: `res_${'0'.repeat(26)}`,
  kind: 'website',
  name: 'docs',
  owner_agent_id: null,
  settings: { url },
  digest: 'a'.repeat(64),
});
const docs = site('https://docs.example.org/guide/start.html');

test.each([
  [undefined, 'https://docs.example.org/guide/start.html'],
  ['install.html', 'https://docs.example.org/guide/install.html'],
  ['/guide/a/b', 'https://docs.example.org/guide/a/b'],
  ['https://docs.example.org/guide/', 'https://docs.example.org/guide/'],
  ['?page=2', 'https://docs.example.org/guide/start.html?page=2'],
  ['../admin', null],
  ['/guide/../admin', null],
  ['/guide%2f../x', null],
  ['//evil.example.org/guide/', null],
  ['https://docs.example.org:8443/guide/', null],
  ['http://docs.example.org/guide/', null],
  ['https://docs.example.org@evil.example.org/guide/', null],
])('the page `%s` of a website is %s', (url, page) => {
  expect(pageUrlOf(url === undefined ? {} : { url }, docs)).toBe(page);
});

test('a page outside of its website is refused by its arguments', () => {
  const bound = bindTool(WEB_FETCH, [docs]);
  expect(argumentFaults(bound, { site: 'docs', url: 'install.html' })).toEqual([]);
  expect(argumentFaults(bound, { site: 'docs', url: '/admin' })).toMatchObject([{ pointer: '/url' }]);
  expect(bound.requests?.({ site: 'docs' })).toMatchObject([{ url: 'https://docs.example.org/guide/start.html' }]);
});

test('a fetch without `url` and without `site` says what it lacks', () => {
  expect(argumentFaults(WEB_FETCH, {})).toMatchObject([
    { pointer: '/url', message: expect.stringContaining('required') },
  ]);
});

test('a fetch of a plain address names no registered resource', () => {
  expect(targetsOf(WEB_FETCH, { url: 'https://a.example.org/' })).toEqual([]);
});

test('a fetch from a website that was not found names no request, so that the website is what is refused', () => {
  expect(WEB_FETCH.requests?.({ site: 'nope' })).toEqual([]);
  expect(argumentFaults(WEB_FETCH, { site: 'nope' })).toEqual([]);
});
