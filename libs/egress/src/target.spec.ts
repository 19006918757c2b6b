// SPDX-License-Identifier: Apache-2.0
import { parseTarget } from './decide-egress.ts';
import { authorityOf, parseAuthority, parseRaw, parseUrl, TargetError, urlOf } from './target.ts';

test.each([
  ['http://example.org', { scheme: 'http', host: 'example.org', port: 80, path: '/' }],
  ['https://Example.ORG:443/a/../b?q=1', { scheme: 'https', host: 'example.org', port: 443, path: '/b?q=1' }],
  ['https://example.org?q', { scheme: 'https', host: 'example.org', port: 443, path: '/?q' }],
  ['https://xn--bcher-kva.example/', { scheme: 'https', host: 'xn--bcher-kva.example', port: 443, path: '/' }],
  ['https://cal.example.org:8443/dav', { scheme: 'https', host: 'cal.example.org', port: 8443, path: '/dav' }],
  ['https://93.184.216.34/', { scheme: 'https', host: '93.184.216.34', port: 443, path: '/' }],
])('%s has one reading', (text, target) => {
  expect(parseUrl(text)).toEqual(target);
  expect(parseUrl(urlOf(parseUrl(text)))).toEqual(parseUrl(text));
});

test.each([
  ['another scheme', 'ftp://example.org/'],
  ['a file', 'file:///etc/passwd'],
  ['no scheme', '//example.org/'],
  ['a scheme in capitals', 'HTTP://example.org/'],
  ['a user', 'https://user@example.org/'],
  ['a user that looks like a host', 'https://good.org:443@evil.org/'],
  ['an encoded user', 'https://good.org%40evil.org/'],
  ['a backslash', 'https://good.org\\@evil.org/'],
  ['a backslash in the path', 'https://good.org/\\evil.org'],
  ['a fragment', 'https://good.org/#@evil.org'],
  ['a tab', 'https://good\t.org/'],
  ['a line break', 'https://good.org/\r\nHost: evil.org'],
  ['a space', 'https://good.org/ HTTP/1.1'],
  ['a leading space', ' https://good.org/'],
  ['a trailing dot', 'https://good.org./'],
  ['an empty label', 'https://good..org/'],
  ['a label that begins with a hyphen', 'https://-good.org/'],
  ['an encoded letter', 'https://g%6fod.org/'],
  ['letters of another script', 'https://gооd.org/'],
  ['full-width dots', 'https://good。org/'],
  ['a soft hyphen', 'https://go\u00ADod.org/'],
  ['a decimal number', 'http://2130706433/'],
  ['an octal number', 'http://0177.0.0.1/'],
  ['a hexadecimal number', 'http://0x7f000001/'],
  ['a hexadecimal part', 'http://0x7f.0.0.1/'],
  ['a short address', 'http://127.1/'],
  ['a number at the end', 'http://good.org.1/'],
  ['an address with a leading zero', 'http://127.0.0.01/'],
  ['five parts', 'http://1.2.3.4.5/'],
  ['a part above 255', 'http://1.2.3.256/'],
  ['an IPv6 address', 'http://[::1]/'],
  ['an IPv4-mapped address', 'http://[::ffff:127.0.0.1]/'],
  ['a zone', 'http://[fe80::1%25eth0]/'],
  ['https on the port of http', 'https://good.org:80/'],
  ['a port with a leading zero', 'https://good.org:0443/'],
  ['http on the port of https', 'http://good.org:443/'],
  ['a port of zero', 'http://good.org:0/'],
  ['a port beyond all', 'http://good.org:65616/'],
  ['no port after the colon', 'http://good.org:/'],
  ['nothing', ''],
  ['no host', 'http:///'],
  ['a long URL', `https://good.org/${'a'.repeat(2_048)}`],
  ['a long host', `https://${'a.'.repeat(130)}org/`],
])('a URL with %s is refused', (_, text) => {
  expect(() => parseUrl(text)).toThrow(TargetError);
});

test('a tunnel leads to a host and a port', () => {
  expect(parseAuthority('Example.org:443')).toEqual({ scheme: 'https', host: 'example.org', port: 443, path: '' });
  expect(parseAuthority('example.org:993')).toEqual({ scheme: 'https', host: 'example.org', port: 993, path: '' });
});

test.each([
  'example.org',
  'example.org:0',
  'example.org:0443',
  'example.org:65536',
  'user@example.org:443',
  'https://example.org:443',
  '[::1]:443',
  'example.org.:443',
  '2130706433:443',
  '127.1:443',
  'example.org:443/',
  'example.org:443\r\n',
  '',
])('a tunnel to %j is refused', (text) => {
  expect(() => parseAuthority(text)).toThrow(TargetError);
});

test('a raw connection leads to a host and a port, by the scheme of its method', () => {
  expect(parseTarget('TLS', 'tls://Mail.example.org:993')).toEqual({
    scheme: 'tls',
    host: 'mail.example.org',
    port: 993,
    path: '',
  });
  expect(parseTarget('TCP', 'tcp://93.184.216.34:143').port).toBe(143);
  expect(parseTarget('CONNECT', 'example.org:80').port).toBe(80);
  expect(parseTarget('CONNECT', 'https://example.org/a').path).toBe('/a');
  expect(urlOf(parseRaw('tcp://example.org:80'))).toBe('tcp://example.org:80');
});

test.each([
  ['TLS', 'tcp://example.org:993'],
  ['TCP', 'tls://example.org:993'],
  ['TCP', 'https://example.org:993/'],
  ['GET', 'tcp://example.org:993'],
  ['GET', 'example.org:443'],
  ['CONNECT', 'example.org'],
  ['TCP', 'tcp://example.org'],
  ['TCP', 'tcp://example.org:0'],
  ['TCP', 'tcp://example.org:65536'],
  ['TCP', 'tcp://user@example.org:143'],
  ['TCP', 'tcp://example.org:143/'],
  ['TCP', 'tcp://127.1:143'],
  ['TCP', 'tcp://[::1]:143'],
])('the target of %s is refused: %s', (method, url) => {
  expect(() => parseTarget(method, url)).toThrow(TargetError);
});

test('a target is written with its port where the scheme does not imply it', () => {
  expect(
    ['https://a.org/', 'https://a.org:8443/', 'http://a.org:80/'].map((url) => authorityOf(parseUrl(url))),
  ).toEqual(['a.org', 'a.org:8443', 'a.org']);
});
