// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import type { ProviderMapping } from '../../../store/identities/identities.ts';
import { groupsOf, leastRoleOf, mappedOf, rolesOf } from './roles.ts';

const MAPPING = {
  scopes: [{ scope: 'use', role: 'agent' }],
  groups: [
    { group: 'writ-operators', role: 'operator' },
    { group: 'Writ Admins', role: 'admin' },
  ],
  groups_claim: 'groups',
} as const satisfies Partial<ProviderMapping>;
const rolesFor = (claims: Record<string, unknown>, groups_claim: string | null = 'groups'): string[] => [
  ...rolesOf({ scopes: [], groups: groupsOf(claims, { groups_claim }) }, MAPPING),
];

it('a mapped group gives its role, whatever groups are beside it', () => {
  expect(rolesFor({ groups: ['everyone', 'writ-operators'] })).toEqual(['operator']);
  expect(rolesFor({ groups: ['Writ Admins', 'writ-operators', 'writ-operators'] }).sort()).toEqual([
    'admin',
    'operator',
  ]);
  expect(rolesFor({ 'https://x.example/groups': ['Writ Admins'] }, 'https://x.example/groups')).toEqual(['admin']);
});

it.each([
  ['a text', 'Writ Admins'],
  ['a text that lists several', 'Writ Admins,writ-operators'],
  ['an object', { 0: 'Writ Admins', length: 1 }],
  ['a list with something else in it', ['Writ Admins', 7]],
  ['a list of lists', [['Writ Admins']]],
  ['a list with an empty text', ['Writ Admins', '']],
  ['a list with a text of 257 characters', ['Writ Admins', 'x'.repeat(257)]],
  ['a list of 201', ['Writ Admins', ...Array.from({ length: 200 }, (_, at) => `g${at}`)]],
  ['true', true],
  ['null', null],
])('a claim that is %s gives no role', (_what, groups) => {
  expect(rolesFor({ groups })).toEqual([]);
});

it('a list of 200 groups is read', () => {
  expect(rolesFor({ groups: ['Writ Admins', ...Array.from({ length: 199 }, (_, at) => `g${at}`)] })).toEqual(['admin']);
});

it.each([
  'writ admins',
  'Writ Admins ',
  'Writ\u00a0Admins',
  'Writ\u200bAdmins',
  'W\u0433it Admins',
  'admin',
  'writ-operators\u0000',
  '__proto__',
])('the group %j is no mapped group', (group) => {
  expect(rolesFor({ groups: [group] })).toEqual([]);
});

it('groups that are elsewhere, or in another claim, give no role', () => {
  const groups = ['Writ Admins'];
  expect(rolesFor({ groups, _claim_names: { groups: 'src1' } })).toEqual([]);
  expect(rolesFor({ roles: groups, 'groups.0': 'Writ Admins', realm_access: { groups } })).toEqual([]);
  expect(rolesFor({ groups }, null)).toEqual([]);
  expect(rolesFor({ nested: { groups } }, 'nested.groups')).toEqual([]);
  for (const claim of ['__proto__', 'constructor', 'toString']) expect(rolesFor({ groups }, claim)).toEqual([]);
});

const role = fc.constantFrom('admin', 'operator', 'agent', 'auditor');
const name = fc.constantFrom('a', 'b', 'c', 'd');
const mapping = fc.record({
  scopes: fc.array(fc.record({ scope: name, role }), { maxLength: 4 }),
  groups: fc.array(fc.record({ group: name, role }), { maxLength: 4 }),
});
const vouched = fc.record({ scopes: fc.uniqueArray(name), groups: fc.uniqueArray(name) });

it('each role has a mapped scope or group, and what is kept of a sign-in gives the same roles', () => {
  fc.assert(
    fc.property(mapping, vouched, (registered, given) => {
      const roles = rolesOf(given, registered);
      for (const each of roles)
        expect(
          registered.scopes.some(({ scope, role: of }) => of === each && given.scopes.includes(scope)) ||
            registered.groups.some(({ group, role: of }) => of === each && given.groups.includes(group)),
        ).toBe(true);
      expect(rolesOf(mappedOf(given, registered), registered)).toEqual(roles);
      const least = leastRoleOf(roles, ['admin']);
      expect(least).toBe(roles.has('admin') ? 'admin' : undefined);
    }),
  );
});
