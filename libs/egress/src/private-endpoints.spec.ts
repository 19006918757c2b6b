// SPDX-License-Identifier: Apache-2.0
import { isPrivateEndpoint, parsePrivateEndpoints } from './private-endpoints.ts';
import { parseAuthority, parseRaw, parseUrl } from './target.ts';

describe('the list of private endpoints', () => {
  it('is empty where the text is', () => {
    expect(parsePrivateEndpoints('')).toEqual([]);
  });

  it('names hosts and ports', () => {
    expect(parsePrivateEndpoints('searx.lan,10.0.0.7:993,localhost:5232')).toEqual([
      { host: 'searx.lan', port: null },
      { host: '10.0.0.7', port: 993 },
      { host: 'localhost', port: 5232 },
    ]);
  });

  it.each([
    ',',
    'a,',
    'a,,b',
    'a b',
    'A.lan',
    'a.lan.',
    '.lan',
    '*.lan',
    '127.1',
    '0x7f000001',
    'a:',
    'a:0',
    'a:080',
    'a:65536',
    'a:99999',
    'a:1:2',
    ':993',
    '[::1]:993',
    'https://a.lan',
    'a.lan/path',
  ])('with `%s` throws an error that names the entry', (text) => {
    expect(() => parsePrivateEndpoints(text)).toThrow(/^`[^`]*` is neither a host nor `host:port`/);
  });
});

describe('a private endpoint', () => {
  const named = (text: string, target: Parameters<typeof isPrivateEndpoint>[1]): boolean =>
    isPrivateEndpoint(parsePrivateEndpoints(text), target);

  it('without a port is the web server of the host alone', () => {
    expect(named('a.lan', parseUrl('http://a.lan/'))).toBe(true);
    expect(named('a.lan', parseUrl('https://a.lan/'))).toBe(true);
    for (const target of [
      parseUrl('https://a.lan:8443/'),
      parseUrl('http://b.a.lan/'),
      parseAuthority('a.lan:22'),
      parseRaw('tls://a.lan:443'),
      parseRaw('tcp://a.lan:80'),
    ])
      expect(named('a.lan', target)).toBe(false);
  });

  it('with a port is that port, whatever is spoken there, and no other', () => {
    for (const target of [parseUrl('https://a.lan:993/'), parseRaw('tls://a.lan:993'), parseRaw('tcp://a.lan:993')])
      expect(named('b.lan,a.lan:993', target)).toBe(true);
    for (const target of [
      parseUrl('https://a.lan/'),
      parseUrl('http://a.lan/'),
      parseRaw('tls://a.lan:995'),
      parseRaw('tls://b.lan:993'),
    ])
      expect(named('b.lan,a.lan:993', target)).toBe(false);
  });
});
