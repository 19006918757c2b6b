// SPDX-License-Identifier: Apache-2.0
import { assert, property, string } from 'fast-check';
import { readReturnTo } from './return-to.ts';

const BASE = 'https://writ.example.org';

it.each(['/sign-in', '/sign-in/device?tenant=ten_1&user_code=BCDF-GHJK', '/docs/', '/docs/how-to/oauth', '/console/x'])(
  'the path %s is where a person goes after a sign-in',
  (path) => expect(readReturnTo(path)).toBe(path),
);

it.each([
  null,
  '',
  '//evil.example',
  '/\\evil.example',
  '/sign-in//evil.example',
  '/docs/%2f%2fevil.example',
  '/docs/../v1/tools',
  '/docs/./x',
  'javascript:alert(1)',
  'https://evil.example/docs',
  '/docs@evil.example',
  '/docs#x',
  '/docs?to=https://evil.example',
  '/v1/tools',
  '/docsy',
  '/sign-in.evil.example',
  `/docs/${'a'.repeat(300)}`,
  '/docs/\n',
])('%j is no place to go after a sign-in', (text) => expect(readReturnTo(text)).toBe('/sign-in'));

it('whatever a request names, the browser stays on this site, below a listed place', () => {
  const isHere = (text: string): boolean => {
    const { origin, pathname } = new URL(`${BASE}${readReturnTo(text)}`);
    return origin === BASE && /^\/(sign-in|docs|console)(\/|$)/.test(pathname);
  };
  assert(property(string({ unit: 'binary' }), isHere));
  assert(property(string({ unit: 'grapheme-ascii' }), (text) => isHere(`/docs/${text}`) && isHere(`/sign-in${text}`)));
});
