// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { route } from '../requests/route.ts';
import { scopeOf, scopesOf, verifyScope } from './scopes.ts';

const row = (tag: string, method: 'GET' | 'POST' | 'DELETE', more: object = {}) =>
  route({ id: 'x', tag, method, path: '/v1/x', summary: '', allowed: ['admin'], answers: {}, ...more });

it('a route needs the scope of its group, to read or to write', () => {
  expect(['GET', 'POST', 'DELETE'].map((method) => scopeOf({ tag: 'jobs', method: method as 'GET' }))).toEqual([
    'jobs:read',
    'jobs:write',
    'jobs:write',
  ]);
});

it('keys can have the scopes of routes for keys, except those by which keys and ways in are made', () => {
  const rows = [
    row('jobs', 'GET'),
    row('jobs', 'DELETE'),
    row('jobs', 'GET', { query: Type.Object({}) }),
    row('log', 'GET', { allowed: 'public' }),
    row('tenants', 'POST', { allowed: 'platform' }),
    row('own', 'GET', { unscoped: true }),
    row('api-keys', 'GET'),
    row('api-keys', 'POST'),
    row('identity-providers', 'POST'),
  ];
  expect(scopesOf(rows)).toEqual(['api-keys:read', 'jobs:read', 'jobs:write']);
});

it('a key with scopes needs that of the route, and one without needs none', () => {
  const verify = (...scopes: string[]) => verifyScope({ scopes }, row('jobs', 'POST'));
  verify();
  verify('log:read', 'jobs:write');
  expect(() => verify('jobs:read')).toThrow('the key needs the scope `jobs:write`; it has `jobs:read`');
  verifyScope({ scopes: ['log:read'] }, row('jobs', 'POST', { unscoped: true }));
});
