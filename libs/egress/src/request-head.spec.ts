// SPDX-License-Identifier: Apache-2.0
import { redirectOf } from './redirect.ts';
import { parseRequestHead } from './request-head.ts';
import { parseUrl, TargetError } from './target.ts';

const head = (rawHeaders: string[], url = 'http://example.org/a', method = 'GET') =>
  parseRequestHead({ method, url, rawHeaders });

it('forwards headers of the request, and none of the connection', () => {
  const { headers, target, method } = head([
    'Host',
    'Example.org',
    'Accept',
    '*/*',
    'Connection',
    'close, X-Hop',
    'X-Hop',
    '1',
    'Proxy-Authorization',
    'Basic x',
    'Proxy-Connection',
    'keep-alive',
    'Upgrade',
    'h2c',
    'HTTP2-Settings',
    'AAA',
    'TE',
    'trailers',
    'Cookie',
    'a=b',
    'Expect',
    '100-continue',
  ]);
  expect(headers).toEqual([
    ['accept', '*/*'],
    ['cookie', 'a=b'],
  ]);
  expect([method, target.host, target.path]).toEqual(['GET', 'example.org', '/a']);
});

it('accepts the port of the scheme in `Host`', () => {
  expect(head(['Host', 'example.org:80']).target.host).toBe('example.org');
});

it('requires another port in `Host`, as in the URL', () => {
  const at = (written: string) => () => head(['Host', written], 'http://example.org:8080/');
  expect(at('example.org:8080')().target).toEqual({ scheme: 'http', host: 'example.org', port: 8080, path: '/' });
  expect(at('example.org')).toThrow(TargetError);
  expect(at('example.org:80')).toThrow(TargetError);
});

it.each([
  ['no `Host`', []],
  ['two of them', ['Host', 'example.org', 'Host', 'evil.org']],
  ['two that are alike', ['Host', 'example.org', 'host', 'example.org']],
  ['that of another place', ['Host', 'evil.org']],
  ['that of another port', ['Host', 'example.org:443']],
  ['two lengths', ['Host', 'example.org', 'Content-Length', '1', 'Content-Length', '2']],
  ['a length and a coding', ['Host', 'example.org', 'Content-Length', '1', 'Transfer-Encoding', 'chunked']],
  ['a length that is a list', ['Host', 'example.org', 'Content-Length', '1, 1']],
  ['a length with a sign', ['Host', 'example.org', 'Content-Length', '+1']],
  ['a coding that hides another', ['Host', 'example.org', 'Transfer-Encoding', 'chunked, identity']],
  ['a coding in disguise', ['Host', 'example.org', 'Transfer-Encoding', 'xchunked']],
  ['a length that `Connection` names', ['Host', 'example.org', 'Content-Length', '1', 'Connection', 'content-length']],
  ['a line break in a value', ['Host', 'example.org', 'A', 'b\r\nHost: evil.org']],
  ['a line break in a name', ['Host', 'example.org', 'A\r\nB', 'c']],
  ['a name with a space before its colon', ['Host', 'example.org', 'Content-Length ', '3']],
  ['a NUL', ['Host', 'example.org', 'A', 'b\0']],
  ['too many headers', ['Host', 'example.org', ...Array.from({ length: 200 }, () => 'a')]],
])('refuses a head with %s', (_, rawHeaders) => {
  expect(() => head(rawHeaders)).toThrow(TargetError);
});

it.each([
  '/a',
  '*',
  'example.org:443',
  'ftp://example.org/',
  'http://example.org:443/',
  'http://user@example.org/',
  'https://169.254.169.254.:443/',
])('refuses the request for %j', (url) => {
  expect(() => head(['Host', 'example.org'], url)).toThrow(TargetError);
});

it.each(['TRACE', 'CONNECT', 'TCP', 'TLS', 'get', 'G', 'GET '])('refuses the method %j', (method) => {
  expect(() => head(['Host', 'example.org'], undefined, method)).toThrow(TargetError);
});

describe('a redirect', () => {
  const from = parseUrl('https://example.org/a/b');
  it('is resolved against the URL of the request', () => {
    expect(redirectOf(from, 302, '../c#part')).toEqual(parseUrl('https://example.org/c'));
    expect(redirectOf(from, 308, 'https://other.net/')).toEqual(parseUrl('https://other.net/'));
    expect(redirectOf(from, 307, '//other.net/x')).toEqual(parseUrl('https://other.net/x'));
  });
  it('is one of few status codes with a `Location`', () => {
    expect(redirectOf(from, 200, '/c')).toBeNull();
    expect(redirectOf(from, 304, '/c')).toBeNull();
    expect(redirectOf(from, 302, undefined)).toBeNull();
  });
  it.each([
    'http://example.org/c',
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'https://user@evil.org/',
    'https://[::1]/',
    'https://example.org:80/',
    'https://example.org:65536/',
    'gopher://x/',
    'https://',
  ])('to %j is refused', (location) => {
    expect(() => redirectOf(from, 302, location)).toThrow(TargetError);
  });
});
