// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { ProtectedResource } from '../../edge/access/oauth/protected-resource.ts';
import { areAmbiguous, resourcesOf, type ProviderIdentity } from './identities.ts';

const URL = 'https://writ.example.org';
const audience = fc.array(fc.constantFrom('mcp', 'a'), { maxLength: 3 }).map((parts) => [URL, ...parts].join('/'));
const claim = fc.constantFrom('org', 'team');
const value = fc.constantFrom('x', 'y');
const registration: fc.Arbitrary<Omit<ProviderIdentity, 'issuer'>> = fc.oneof(
  audience.map((each) => ({ audience: each, tenant_claim: null, tenant_value: null })),
  fc.record({ audience, tenant_claim: claim, tenant_value: value }),
);
const resource = new ProtectedResource(URL);

/** As TokenCallers tells whether a token belongs to a registration. */
const fits = (
  { audience: of, tenant_claim, tenant_value }: Omit<ProviderIdentity, 'issuer'>,
  aud: string,
  claims: Readonly<Record<string, string>>,
): boolean =>
  resource.audiencesOf(of, '/mcp').includes(aud) && (tenant_claim === null || claims[tenant_claim] === tenant_value);

it('no token of one resource fits two registrations that may both be made', () => {
  fc.assert(
    fc.property(registration, registration, fc.record({ org: value, team: value }), (a, b, claims) => {
      fc.pre(!areAmbiguous(a, b));
      for (const aud of [...resourcesOf(a.audience), ...resourcesOf(b.audience)])
        expect(fits(a, aud, claims) && fits(b, aud, claims)).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

it('the order of two registrations does not tell whether both may be made', () => {
  fc.assert(fc.property(registration, registration, (a, b) => areAmbiguous(a, b) === areAmbiguous(b, a)));
});

it('a registration for `/mcp` takes no tokens from the one above it', () => {
  const of = (each: string) => ({ audience: each, tenant_claim: null, tenant_value: null });
  expect(areAmbiguous(of(URL), of(`${URL}/mcp`))).toBe(true);
  expect(areAmbiguous(of(URL), of(`${URL}/a`))).toBe(false);
});
