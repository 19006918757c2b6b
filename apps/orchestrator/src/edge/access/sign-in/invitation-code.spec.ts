// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { assert, constantFrom, property, string } from 'fast-check';
import { invitationIn, invitationPath, newInvitationCode, readInvitationCode } from './invitation-code.ts';
import { readReturnTo } from './return-to.ts';
import { verifiedAddressOf } from './verified-address.ts';

it('a code says its tenant, and survives the way through a sign-in', () => {
  const [tenant, code] = [newId('tenant'), newInvitationCode(newId('tenant'))];
  expect(newInvitationCode(tenant).tenantId).toBe(tenant);
  expect(readInvitationCode(code.text)).toEqual(code);
  expect(invitationIn(readReturnTo(invitationPath(code)))).toEqual(code);
  expect(newInvitationCode(tenant).text).not.toBe(newInvitationCode(tenant).text);
});

it('no other text is a code, and no other page accepts one', () => {
  const { text } = newInvitationCode(newId('tenant'));
  for (const wrong of [null, '', `${text}x`, ` ${text}`, `${text}\n`, text.replace('writ_i_', 'writ_'), text.slice(1)])
    expect(readInvitationCode(wrong)).toBeNull();
  for (const path of ['/sign-in', `/sign-in?code=${text}`, `/sign-in/device?code=${text}`, '/sign-in/invitation'])
    expect(invitationIn(path)).toBeNull();
  assert(property(string(), (any) => readInvitationCode(any) === null));
});

it('only an address that the issuer says it has verified counts, in ASCII and in one case', () => {
  expect(verifiedAddressOf({ email: 'Ann@Example.org', email_verified: true })).toBe('ann@example.org');
  expect(verifiedAddressOf({ email: 'ann@example.org', email_verified: 'true' })).toBe('ann@example.org');
  for (const email_verified of [undefined, false, 'false', 1, null, 'yes'])
    expect(verifiedAddressOf({ email: 'ann@example.org', email_verified })).toBeNull();
  for (const email of [undefined, 7, '', 'ann', 'a@b@c', 'ann@exämple.org', 'ann@example.org\n', 'a b@c', ['a@b']])
    expect(verifiedAddressOf({ email, email_verified: true })).toBeNull();
  // The Kelvin sign, whose lower case is a plain `k`, and a dotless i.
  assert(
    property(constantFrom('\u212A', '\u0131', '\u0130', '\uFF41'), (letter) => {
      expect(verifiedAddressOf({ email: `${letter}@example.org`, email_verified: true })).toBeNull();
    }),
  );
});
