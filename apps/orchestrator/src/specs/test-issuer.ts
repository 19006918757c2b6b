// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';

export const RESOURCE = 'https://writ.example.org';

/** The changes of a token from a valid one: a value of undefined removes the member. */
export interface TokenChanges {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** An issuer with a key, which serves its documents from memory. */
export async function testIssuer(issuer = 'https://login.example.org', alg = 'ES256') {
  const key = async (kid: string) => {
    const pair = await generateKeyPair(alg, { extractable: true });
    return { kid, pair, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg, use: 'sig' } as JWK };
  };
  const first = await key('k1');
  let keys: JWK[] = [first.jwk];
  const requested: string[] = [];
  const documents = new Map<string, string>([
    [
      `${new URL(issuer).origin}/.well-known/oauth-authorization-server${new URL(issuer).pathname === '/' ? '' : new URL(issuer).pathname}`,
      JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` }),
    ],
  ]);
  let isDown = false;

  const fetchDocument = async (url: string): Promise<string> => {
    requested.push(url);
    if (isDown) throw new Error('down');
    if (url === `${issuer}/jwks`) return JSON.stringify({ keys });
    const text = documents.get(url);
    if (text === undefined) throw new Error(`nothing at ${url}`);
    return text;
  };

  const claimsAt = (now: number): Record<string, unknown> => ({
    iss: issuer,
    aud: RESOURCE,
    sub: 'ann-1',
    client_id: 'cli',
    jti: randomUUID(),
    iat: Math.floor(now / 1_000),
    exp: Math.floor(now / 1_000) + 600,
    scope: 'writ:operator',
  });
  const without = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

  return {
    issuer,
    first,
    requested,
    documents,
    fetchDocument,
    claimsAt,
    newKey: key,
    setKeys: (list: JWK[]): void => {
      keys = list;
    },
    setDown: (down: boolean): void => {
      isDown = down;
    },
    /** Signs a token that is valid at `now` but for the changes. */
    token: async (now: number, { header = {}, claims = {} }: TokenChanges = {}, signer = first): Promise<string> =>
      await new SignJWT(without({ ...claimsAt(now), ...claims }))
        .setProtectedHeader(without({ alg, typ: 'at+jwt', kid: signer.kid, ...header }) as { alg: string })
        .sign(signer.pair.privateKey),
  };
}
export type TestIssuer = Awaited<ReturnType<typeof testIssuer>>;
