// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { Fault } from '@writ/contract';
import fc from 'fast-check';
import { exportSPKI } from 'jose';
import { RESOURCE, testIssuer, type TestIssuer, type TokenChanges } from '../../../specs/test-issuer.ts';
import { claimedIssuerOf, isJwtText, TOKEN_CHARS_MAX, verifyAccessToken } from './access-token.ts';
import { IssuerKeys } from './issuer-keys.ts';

const NOW = 1_800_000_000_000;
const S = Math.floor(NOW / 1_000);
let issuer: TestIssuer;
let keys: IssuerKeys;
beforeEach(async () => {
  issuer = await testIssuer();
  keys = new IssuerKeys(issuer.fetchDocument, () => 1);
});
const verify = (token: string, audiences = [RESOURCE], now = NOW) =>
  verifyAccessToken(token, issuer.issuer, audiences, keys, now);
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const refused = { code: 'auth.invalid' };

it('a valid access token gives its subject, scopes and times', async () => {
  const claims = { aud: ['https://other.example', RESOURCE], scope: 'writ:agent  mail' };
  expect(await verify(await issuer.token(NOW, { claims }))).toMatchObject({
    issuer: issuer.issuer,
    subject: 'ann-1',
    clientId: 'cli',
    audiences: claims.aud,
    scopes: ['writ:agent', 'mail'],
    expiresAt: (S + 600) * 1_000,
  });
  expect(await verify(await issuer.token(NOW, { header: { typ: 'application/at+jwt' } }))).toMatchObject({
    subject: 'ann-1',
  });
  expect((await verify(await issuer.token(NOW, { claims: { scope: undefined } }))).scopes).toEqual([]);
});

const WRONG: readonly (readonly [string, TokenChanges])[] = [
  ['another issuer', { claims: { iss: 'https://login.example.org/' } }],
  ['no issuer', { claims: { iss: undefined } }],
  ['another audience', { claims: { aud: 'https://other.example' } }],
  ['an audience that only begins like ours', { claims: { aud: `${RESOURCE}.evil.example` } }],
  ['an audience with a slash more', { claims: { aud: `${RESOURCE}/` } }],
  ['no audience', { claims: { aud: undefined } }],
  ['an empty list of audiences', { claims: { aud: [] } }],
  ['its end in the past', { claims: { exp: S - 10 } }],
  ['no end', { claims: { exp: undefined } }],
  ['an end that is a text', { claims: { exp: String(S + 600) } }],
  ['a beginning in the future', { claims: { nbf: S + 60 } }],
  ['its issue in the future', { claims: { iat: S + 60 } }],
  ['no time of issue', { claims: { iat: undefined } }],
  ['no subject', { claims: { sub: undefined } }],
  ['an empty subject', { claims: { sub: '' } }],
  ['a subject that is a number', { claims: { sub: 7 } }],
  ['a subject that is too long', { claims: { sub: 'a'.repeat(256) } }],
  ['no client', { claims: { client_id: undefined } }],
  ['no id', { claims: { jti: undefined } }],
  ['a list of scopes', { claims: { scope: ['writ:admin'] } }],
  ['a key that its sender must prove', { claims: { cnf: { jkt: 'x' } } }],
  ['the type of an id token', { header: { typ: 'JWT' } }],
  ['no type', { header: { typ: undefined } }],
  ['no key id', { header: { kid: undefined } }],
  ['an unknown key id', { header: { kid: 'k2' } }],
];
it('the refusal of another type says which type is needed', async () => {
  const detail = expect.stringContaining('`at+jwt`') as string;
  await expect(verify(await issuer.token(NOW, { header: { typ: 'JWT' } }))).rejects.toMatchObject({ detail });
});
it.each(WRONG)('an access token with %s is refused', async (_what, changes) => {
  await expect(verify(await issuer.token(NOW, changes))).rejects.toMatchObject(refused);
});

it.each([
  ['jku', { jku: 'https://evil.example/jwks' }],
  ['x5u', { x5u: 'https://evil.example/cert.pem' }],
])(
  'a token whose header names its own keys (`%s`) is verified with the keys of its issuer alone',
  async (_what, header) => {
    const stranger = await issuer.newKey('k1');
    await expect(verify(await issuer.token(NOW, { header }, stranger))).rejects.toMatchObject(refused);
    expect(issuer.requested.filter((url) => url.includes('evil'))).toEqual([]);
    // The header is not followed, so that it does no harm beside a good signature.
    expect(await verify(await issuer.token(NOW, { header }))).toMatchObject({ subject: 'ann-1' });
  },
);

it('a token that carries its own key (`jwk`, `x5c`) is verified with the keys of its issuer alone', async () => {
  const stranger = await issuer.newKey('k1');
  for (const header of [{ jwk: stranger.jwk }, { x5c: ['MIIB'] }, { jwk: stranger.jwk, kid: 'k9' }])
    await expect(verify(await issuer.token(NOW, { header }, stranger))).rejects.toMatchObject(refused);
});

it.each([
  ['../../../../dev/null'],
  ["k1' OR '1'='1"],
  ['k1\0'],
  ['__proto__'],
  ['constructor'],
  ['K1'],
  ['k1 '],
  ['\u212a1'],
  ['k'.repeat(5_000)],
  [7],
  [['k1']],
  [{ toString: 'k1' }],
])('the key id %j leads to no key', async (kid) => {
  const token = await issuer.token(NOW, { header: { kid } });
  await expect(verify(token)).rejects.toMatchObject(refused);
});

it('an unknown extension that the header calls critical is refused', async () => {
  const head = { alg: 'ES256', typ: 'at+jwt', kid: 'k1', crit: ['b64'], b64: false };
  const token = await issuer.token(NOW);
  const [, payload = '', signature = ''] = token.split('.');
  await expect(verify(`${part(head)}.${payload}.${signature}`)).rejects.toMatchObject(refused);
});

it('clocks may differ by five seconds, and by no more', async () => {
  for (const claims of [{ exp: S - 4 }, { nbf: S + 5 }, { iat: S + 5 }])
    expect(await verify(await issuer.token(NOW, { claims }))).toMatchObject({ subject: 'ann-1' });
  for (const claims of [{ exp: S - 5 }, { nbf: S + 6 }, { iat: S + 6 }])
    await expect(verify(await issuer.token(NOW, { claims }))).rejects.toMatchObject(refused);
});

it('a token of another key under the id of a listed one is refused', async () => {
  const other = await issuer.newKey('k1');
  await expect(verify(await issuer.token(NOW, {}, other))).rejects.toMatchObject(refused);
});

it.each(['none', 'HS256', 'HS384', 'HS512', 'RS256', 'ES384'])(
  'a token that names the algorithm %s instead of that of the key is refused',
  async (alg) => {
    const head = `${part({ alg, typ: 'at+jwt', kid: 'k1' })}.${part(issuer.claimsAt(NOW))}`;
    // The classic confusion: the public key, which everybody knows, as the shared secret.
    const secret = await exportSPKI(issuer.first.pair.publicKey);
    const mac = createHmac(`sha${alg.startsWith('HS') ? alg.slice(2) : '256'}`, secret)
      .update(head)
      .digest('base64url');
    for (const signature of [mac, 'AAAA']) await expect(verify(`${head}.${signature}`)).rejects.toMatchObject(refused);
    expect(isJwtText(`${head}.`)).toBe(false);
  },
);

it('keys that are symmetric, private or for encryption are never used', async () => {
  const secret = Buffer.alloc(32, 7);
  const { d } = await import('jose').then(({ exportJWK }) => exportJWK(issuer.first.pair.privateKey));
  issuer.setKeys([
    { kty: 'oct', k: secret.toString('base64url'), kid: 'k1' },
    { ...issuer.first.jwk, d: d as string },
    { ...issuer.first.jwk, use: 'enc' },
  ]);
  await expect(verify(await issuer.token(NOW))).rejects.toMatchObject(refused);
  const head = `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'k1' })}.${part(issuer.claimsAt(NOW))}`;
  const mac = createHmac('sha256', secret).update(head).digest('base64url');
  await expect(verify(`${head}.${mac}`)).rejects.toMatchObject(refused);
});

it('texts that are longer than a token, or none, are not parsed', async () => {
  const token = await issuer.token(NOW, { claims: { pad: 'a'.repeat(TOKEN_CHARS_MAX) } });
  expect([isJwtText(token), isJwtText('a.b'), isJwtText('a.b.c.d.e'), isJwtText('writ_x')]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(isJwtText(await issuer.token(NOW))).toBe(true);
  for (const text of ['a.b.c', `${part({})}.${part([])}.x`, `${part({})}.${part({ iss: 7 })}.x`])
    expect(() => claimedIssuerOf(text)).toThrow(expect.objectContaining(refused));
});

it('no single changed character of a token passes', async () => {
  const token = await issuer.token(NOW);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const bytesOf = (text: string): string =>
    text
      .split('.')
      .map((each) => Buffer.from(each, 'base64url').toString('hex'))
      .join('.');
  await fc.assert(
    fc.asyncProperty(fc.nat(token.length - 1), fc.nat(63), async (at, pick) => {
      const changed = `${token.slice(0, at)}${alphabet.charAt(pick)}${token.slice(at + 1)}`;
      // The last characters of a part have bits that no decoder reads.
      fc.pre(token.charAt(at) !== '.' && bytesOf(changed) !== bytesOf(token));
      await expect(verify(changed)).rejects.toBeInstanceOf(Fault);
    }),
    { numRuns: 300 },
  );
});

it('no claim of the checked ones passes with any other value', async () => {
  const other = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.object(),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('iss', 'aud', 'sub', 'jti', 'client_id'), other, async (claim, value) => {
      const isText = typeof value === 'string' && value !== '' && value.length <= 255;
      fc.pre(!(['sub', 'jti', 'client_id'].includes(claim) && isText));
      fc.pre(!(claim === 'aud' && Array.isArray(value) && value.includes(RESOURCE)));
      await expect(verify(await issuer.token(NOW, { claims: { [claim]: value } }))).rejects.toMatchObject(refused);
    }),
    { numRuns: 200 },
  );
});
