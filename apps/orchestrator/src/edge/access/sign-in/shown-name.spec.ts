// SPDX-License-Identifier: Apache-2.0
import { shownNameOf } from './shown-name.ts';

it.each<[string, Record<string, unknown>, string]>([
  ['the address comes first', { email: 'ann@example.org', name: 'Ann', sub: '1' }, 'ann@example.org'],
  [
    'an address that the issuer did not verify is left out',
    { email: 'x@y.z', email_verified: false, name: 'Ann' },
    'Ann',
  ],
  ['without a name there is the subject', { sub: '00u1' }, '00u1'],
  ['characters that nobody sees are left out', { name: 'An\u202En\u200B\u0000\n<b>' }, 'Ann<b>'],
  ['a claim that is no text is left out', { email: ['x'], name: { a: 1 }, sub: 'ann' }, 'ann'],
  ['a name of unseen characters is none', { name: '\u200B\u2060', sub: 'ann' }, 'ann'],
])('%s', (_what, claims, shown) => {
  expect(shownNameOf(claims)).toBe(shown);
});

it('a long name is cut, and not within a character', () => {
  const shown = shownNameOf({ name: '😀'.repeat(500) });
  expect([...shown]).toHaveLength(121);
  expect(shown.endsWith('😀…')).toBe(true);
});
