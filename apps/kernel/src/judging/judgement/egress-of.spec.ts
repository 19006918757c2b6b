// SPDX-License-Identifier: Apache-2.0
import { reachable } from './egress-of.ts';

const outlets = (...domains: string[]) => domains.map((domain) => ({ domain, methods: ['GET', 'POST', 'CONNECT'] }));
const granted = (...domains: string[]) => domains.map((domain) => ({ domain, methods: ['GET', 'PUT'] }));
const domains = (found: ReturnType<typeof reachable>) => found.map(({ domain }) => domain);

test.each<[string, string[], string[], string[]]>([
  ['a host of the token below a pattern of the settings', ['*.com'], ['evil.com'], ['evil.com']],
  ['a host of the settings below a pattern of the token', ['api.example.com'], ['*.com'], ['api.example.com']],
  ['the narrower of two patterns', ['*.com'], ['*.example.com'], ['*.example.com']],
  ['a host that both name', ['a.example'], ['b.example', 'a.example'], ['a.example']],
  ['nothing, where they have no host in common', ['a.example'], ['b.example', '*.a.example'], []],
  ['nothing, where the token grants nothing', ['*.com'], [], []],
  ['each host once', ['*.com', '*.example.com'], ['api.example.com'], ['api.example.com']],
])('policy judges of a program %s', (_what, own, token, expected) => {
  expect(domains(reachable(outlets(...own), granted(...token)))).toEqual(expected);
});

test('policy judges of a program the methods that both grant', () => {
  expect(reachable(outlets('a.example'), granted('a.example'))).toEqual([{ domain: 'a.example', methods: ['GET'] }]);
  expect(reachable(outlets('a.example'), [{ domain: 'a.example', methods: ['PUT'] }])).toEqual([]);
});
