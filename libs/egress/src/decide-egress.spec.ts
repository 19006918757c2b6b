// SPDX-License-Identifier: Apache-2.0
import { TUNNEL } from '@writ/contract';
import { decideEgress, decideResolution, isSafeMethod } from './decide-egress.ts';
import { parseAuthority, parseRaw, parseUrl } from './target.ts';

const url = parseUrl('https://api.example.org/v1');
const grant = (domain: string, ...methods: string[]) => [{ domain, methods }];
const effectOf = (...ask: Parameters<typeof decideEgress>) => decideEgress(...ask).effect;

it('allows a request that every token of the chain grants', () => {
  expect(effectOf([grant('api.example.org', 'GET'), grant('*.example.org', 'GET', 'POST')], 'GET', url)).toBe('allow');
});

it('refuses what one token of the chain does not grant', () => {
  expect(effectOf([grant('api.example.org', 'POST'), grant('*.example.org', 'GET')], 'POST', url)).toBe('refuse');
  expect(effectOf([grant('api.example.org', 'POST'), []], 'POST', url)).toBe('refuse');
});

it('refuses everything without a chain, and with a grant without methods', () => {
  expect(effectOf([], 'GET', url)).toBe('refuse');
  expect(effectOf([grant('api.example.org')], 'GET', url)).toBe('refuse');
});

it('matches hosts by label: a wildcard is no suffix of letters, and never its own domain', () => {
  expect(effectOf([grant('*.example.org', 'GET')], 'GET', parseUrl('https://example.org/'))).toBe('refuse');
  expect(effectOf([grant('*.example.org', 'GET')], 'GET', parseUrl('https://evilexample.org/'))).toBe('refuse');
  expect(effectOf([grant('example.org', 'GET')], 'GET', parseUrl('https://example.org.evil.net/'))).toBe('refuse');
});

it('allows a tunnel only with `CONNECT`, since its requests are not visible', () => {
  const tunnel = parseAuthority('api.example.org:443');
  expect(effectOf([grant('api.example.org', 'GET', 'POST')], TUNNEL, tunnel)).toBe('refuse');
  expect(effectOf([grant('api.example.org', TUNNEL)], TUNNEL, tunnel)).toBe('allow');
  expect(effectOf([grant('api.example.org', TUNNEL)], 'GET', url)).toBe('refuse');
});

describe('a port', () => {
  const on = (ports: number[] | undefined, ...methods: string[]) => [
    { domain: 'a.example.org', methods, ...(ports === undefined ? {} : { ports }) },
  ];
  const [web, dav, mail] = [
    parseUrl('https://a.example.org/'),
    parseUrl('https://a.example.org:8443/'),
    parseRaw('tls://a.example.org:993'),
  ];

  it('is 80 or 443 for a request and 443 for a tunnel where the grant names none', () => {
    expect(effectOf([on(undefined, 'GET')], 'GET', web)).toBe('allow');
    expect(effectOf([on(undefined, 'GET')], 'GET', parseUrl('http://a.example.org/'))).toBe('allow');
    expect(effectOf([on(undefined, 'GET')], 'GET', dav)).toBe('refuse');
    for (const port of [80, 22, 993, 8443])
      expect(effectOf([on(undefined, TUNNEL)], TUNNEL, parseAuthority(`a.example.org:${port}`))).toBe('refuse');
  });

  it('that a grant names is the only one that it grants', () => {
    expect(effectOf([on([8443], 'GET')], 'GET', dav)).toBe('allow');
    expect(effectOf([on([8443], 'GET')], 'GET', web)).toBe('refuse');
    expect(effectOf([on([993], TUNNEL)], TUNNEL, parseAuthority('a.example.org:993'))).toBe('allow');
    expect(effectOf([on([993], TUNNEL)], TUNNEL, parseAuthority('a.example.org:443'))).toBe('refuse');
  });

  it('must be granted by every token of the chain', () => {
    expect(effectOf([on([993], 'TLS'), on([143, 993], 'TLS')], 'TLS', mail)).toBe('allow');
    expect(effectOf([on([993], 'TLS'), on([143], 'TLS')], 'TLS', mail)).toBe('refuse');
  });

  it('of a raw connection must be named, and its method is no other one', () => {
    expect(effectOf([on(undefined, 'TLS')], 'TLS', parseRaw('tls://a.example.org:443'))).toBe('refuse');
    for (const method of ['TCP', TUNNEL, 'GET']) expect(effectOf([on([993], method)], 'TLS', mail)).toBe('refuse');
    // What is granted for requests is never dialled as a raw connection, nor the other way round.
    expect(effectOf([on([993], 'GET')], 'GET', mail)).toBe('refuse');
    expect(effectOf([on([8443], 'TLS')], 'TLS', dav)).toBe('refuse');
  });

  it('is named in the message and in the hint', () => {
    expect(decideEgress([], 'TLS', mail)).toMatchObject({
      message: 'the capability token does not let `TLS` to `a.example.org:993` out',
      hint: 'a token that grants `TLS` and port 993 for the domain would do',
    });
    expect(decideEgress([], 'GET', dav)).toMatchObject({ hint: expect.stringContaining('and port 8443') });
  });
});

it('lets a name be resolved to which every token grants some connection', () => {
  const resolution = (...chain: Parameters<typeof decideResolution>[0][number][]) =>
    decideResolution(chain, 'a.example.org').effect;
  expect(resolution(grant('*.example.org', 'GET'), grant('a.example.org', TUNNEL))).toBe('allow');
  expect(resolution(grant('*.example.org', 'GET'), [])).toBe('refuse');
  expect(resolution(grant('b.example.org', 'GET'))).toBe('refuse');
  expect(resolution(grant('a.example.org'))).toBe('refuse');
  expect(resolution(grant('a.example.org', 'TCP'))).toBe('refuse');
  expect(resolution()).toBe('refuse');
});

it('names what a token would need, and truncates the request', () => {
  const refused = decideEgress([], 'GET', parseUrl(`https://example.org/${'a'.repeat(500)}`));
  expect(refused).toMatchObject({ code: 'token.scope', hint: expect.stringContaining('grants the method') });
  expect('message' in refused && refused.message.length).toBeLessThan(300);
});

it('counts only read-only methods as safe', () => {
  expect(['GET', 'HEAD', 'OPTIONS'].every(isSafeMethod)).toBe(true);
  expect(['POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'TRACE', 'get', 'PROPFIND'].some(isSafeMethod)).toBe(false);
});
