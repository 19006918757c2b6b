// SPDX-License-Identifier: Apache-2.0
import { resourceDigest } from './resource-digest.ts';

const engine = { kind: 'search_engine', name: 'default', settings: { kind: 'searxng', url: 'https://a.example.org' } };

test('a resource digest depends on kind, name and settings, and on nothing else', () => {
  const other = { resource_id: 'res_1', ...engine };
  expect(resourceDigest(other)).toBe(resourceDigest(engine));
  for (const changed of [
    { ...engine, kind: 'website' },
    { ...engine, name: 'other' },
    { ...engine, settings: { ...engine.settings, url: 'https://b.example.org' } },
  ])
    expect(resourceDigest(changed)).not.toBe(resourceDigest(engine));
});

test('the order of members in settings does not change a resource digest', () => {
  const { kind, url } = engine.settings;
  expect(resourceDigest({ ...engine, settings: { url, kind } })).toBe(resourceDigest(engine));
});
