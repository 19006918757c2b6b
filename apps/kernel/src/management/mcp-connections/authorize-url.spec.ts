// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { authorizeUrl } from './authorize-url.ts';

const client = {
  client_id: 'writ',
  client_secret: 'SECRET_NAME',
  issuer: 'https://login.example',
  authorization_endpoint: 'https://login.example/authorize?tenant=a&state=fixed',
  resource: 'https://mcp.example/mcp',
  names_issuer: true,
};
const request = { redirect_uri: 'https://writ.example/connect/done', scopes: [], state: 's', verifier: 'v' };

describe('the address of an authorization server', () => {
  it('has the parameters of OAuth 2.1 with PKCE once each, and keeps those of its endpoint', () => {
    // RFC 7636, appendix B.
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    const { searchParams } = new URL(authorizeUrl(client, { ...request, scopes: ['a', 'b'], verifier }));
    expect([...searchParams]).toEqual([
      ['tenant', 'a'],
      ['state', 's'],
      ['response_type', 'code'],
      ['client_id', 'writ'],
      ['redirect_uri', 'https://writ.example/connect/done'],
      ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
      ['code_challenge_method', 'S256'],
      ['resource', 'https://mcp.example/mcp'],
      ['scope', 'a b'],
    ]);
  });

  it('asks for consent where a refresh token of OpenID Connect is wanted', () => {
    const { searchParams } = new URL(authorizeUrl(client, { ...request, scopes: ['openid', 'offline_access'] }));
    expect(searchParams.get('prompt')).toBe('consent');
    expect(new URL(authorizeUrl(client, request)).searchParams.has('prompt')).toBe(false);
  });

  it('holds any value as it is, and never the verifier or the name of the secret', () => {
    fc.assert(
      fc.property(
        fc.record({ client_id: fc.string({ unit: 'grapheme' }), resource: fc.webUrl(), state: fc.base64String() }),
        ({ client_id, resource, state }) => {
          const verifier = 'verifier-that-stays';
          const url = authorizeUrl({ ...client, client_id, resource }, { ...request, state, verifier });
          const { searchParams, host } = new URL(url);
          expect(host).toBe('login.example');
          expect(searchParams.getAll('state')).toEqual([state]);
          expect(searchParams.getAll('client_id')).toEqual([client_id.toWellFormed()]);
          expect(searchParams.getAll('resource')).toEqual([resource]);
          expect(url).not.toContain(verifier);
          expect(url).not.toContain('SECRET_NAME');
        },
      ),
    );
  });
});
