// SPDX-License-Identifier: Apache-2.0
import { decideEgress, isSafeMethod, TUNNEL } from './decide-egress.ts';
import { parseAuthority, parseUrl } from './target.ts';

const url = parseUrl('https://api.example.org/v1');
const grant = (domain: string, ...methods: string[]) => [{ domain, methods }];
const effectOf = (...ask: Parameters<typeof decideEgress>) => decideEgress(...ask).effect;

it('lets a request out that every token of the chain grants', () => {
  expect(effectOf([grant('api.example.org', 'GET'), grant('*.example.org', 'GET', 'POST')], 'GET', url)).toBe('allow');
});

it('refuses what one token of the chain does not grant', () => {
  expect(effectOf([grant('api.example.org', 'POST'), grant('*.example.org', 'GET')], 'POST', url)).toBe('refuse');
  expect(effectOf([grant('api.example.org', 'POST'), []], 'POST', url)).toBe('refuse');
});

it('refuses everything without a chain, and with a grant that names no method', () => {
  expect(effectOf([], 'GET', url)).toBe('refuse');
  expect(effectOf([grant('api.example.org')], 'GET', url)).toBe('refuse');
});

it('names hosts whole: a wildcard is no suffix of letters, and never its own domain', () => {
  expect(effectOf([grant('*.example.org', 'GET')], 'GET', parseUrl('https://example.org/'))).toBe('refuse');
  expect(effectOf([grant('*.example.org', 'GET')], 'GET', parseUrl('https://evilexample.org/'))).toBe('refuse');
  expect(effectOf([grant('example.org', 'GET')], 'GET', parseUrl('https://example.org.evil.net/'))).toBe('refuse');
});

it('lets a tunnel out by its own name alone: what goes through it is not seen', () => {
  const tunnel = parseAuthority('api.example.org:443');
  expect(effectOf([grant('api.example.org', 'GET', 'POST')], TUNNEL, tunnel)).toBe('refuse');
  expect(effectOf([grant('api.example.org', TUNNEL)], TUNNEL, tunnel)).toBe('allow');
  expect(effectOf([grant('api.example.org', TUNNEL)], 'GET', url)).toBe('refuse');
});

it('says what would have been let out, and cuts what was asked for', () => {
  const refused = decideEgress([], 'GET', parseUrl(`https://example.org/${'a'.repeat(500)}`));
  expect(refused).toMatchObject({ code: 'token.scope', hint: expect.stringContaining('grants the method') });
  expect('message' in refused && refused.message.length).toBeLessThan(300);
});

it('counts as safe only what asks a server to change nothing', () => {
  expect(['GET', 'HEAD', 'OPTIONS'].every(isSafeMethod)).toBe(true);
  expect(['POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'TRACE', 'get', 'PROPFIND'].some(isSafeMethod)).toBe(false);
});
