// SPDX-License-Identifier: Apache-2.0
import { newId } from '@writ/nest-kit';
import { SiteCookies } from '../../pages/cookies.ts';
import { KeySessions } from './key-sessions.ts';
import { SessionCookie } from './session-cookie.ts';
import { SessionTexts } from './sign-in-texts.ts';

const URL_OF_WRIT = 'https://writ.example.org';
const texts = new SessionTexts(Buffer.alloc(32, 1));
const keys = new KeySessions({ isOn: true, key: Buffer.alloc(32, 1), maxMs: 43_200_000, now: () => 0 });
const cookie = new SessionCookie(new SiteCookies(URL_OF_WRIT), texts, keys, URL_OF_WRIT, 43_200_000);
const byKey = keys.begin('writ_key_of_a_spec', null).text;
const text = texts.format(texts.newText(newId('tenant'), newId('signIn')));
const request = (headers: Record<string, string>, method = 'GET') => ({ headers, method }) as never;

it('on HTTPS the cookie is for this host alone, for no script, and for no request of another site', () => {
  expect(cookie.set(text)).toBe(
    `__Host-writ_session=${text}; Max-Age=43200; Path=/; HttpOnly; Secure; SameSite=Strict`,
  );
  expect(cookie.remove()).toMatch(/^__Host-writ_session=; Max-Age=0; .*; Secure; SameSite=Strict$/);
});

it('on HTTPS a cookie without the prefix, which another host of the domain could set, counts for nothing', () => {
  expect(cookie.presentedBy(request({ cookie: `writ_session=${text}` }), '/v1/tools')).toBeUndefined();
  expect(cookie.presentedBy(request({ cookie: `a=b; __Host-writ_session=${text}` }), '/v1/tools')).toBe(text);
});

it('a cookie beside a key is refused, except where no cookie counts', () => {
  const both = request({ cookie: `__Host-writ_session=${text}`, authorization: 'Bearer x' });
  expect(() => cookie.presentedBy(both, '/v1/tools')).toThrow(expect.objectContaining({ code: 'request.malformed' }));
  for (const path of ['/mcp', '/mcp/{capability_token_id}']) expect(cookie.presentedBy(both, path)).toBeUndefined();
});

it('a request of another method than GET and HEAD needs the origin and the token, whatever it says of its site', () => {
  const site = { 'sec-fetch-site': 'same-origin' };
  for (const each of [text, byKey]) {
    for (const method of ['GET', 'HEAD'])
      expect(() => cookie.verifyOwnRequest(request(site, method), each)).not.toThrow();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      for (const headers of [site, { ...site, origin: URL_OF_WRIT }, { origin: `${URL_OF_WRIT}.evil.example` }])
        expect(() => cookie.verifyOwnRequest(request(headers as never, method), each)).toThrow(
          expect.objectContaining({ code: 'auth.csrf' }),
        );
  }
});
