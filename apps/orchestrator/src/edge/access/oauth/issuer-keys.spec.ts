// SPDX-License-Identifier: Apache-2.0
import { exportJWK, generateKeyPair } from 'jose';
import { testIssuer, type TestIssuer } from '../../../specs/test-issuer.ts';
import { IssuerKeys } from './issuer-keys.ts';
import { metadataUrlsOf } from './issuer-metadata.ts';

const unavailable = { code: 'auth.issuer_unavailable' };
let issuer: TestIssuer;
let keys: IssuerKeys;
let now: number;
beforeEach(async () => {
  issuer = await testIssuer();
  now = 10_000_000;
  keys = new IssuerKeys(issuer.fetchDocument, () => now);
});
const keysOf = (kid = 'k1') => keys.keysOf(issuer.issuer, kid);
const fetches = (): number => issuer.requested.filter((url) => url.endsWith('/jwks')).length;

it('the metadata of an issuer are searched where RFC 8414 and OpenID Connect have them', () => {
  expect(metadataUrlsOf('https://a.example/t')).toEqual([
    'https://a.example/.well-known/oauth-authorization-server/t',
    'https://a.example/t/.well-known/openid-configuration',
  ]);
  expect(metadataUrlsOf('https://a.example/')[0]).toBe('https://a.example/.well-known/oauth-authorization-server');
});

it('keys are fetched once for requests that arrive together, and cached', async () => {
  await Promise.all(Array.from({ length: 50 }, () => keysOf()));
  now += 299_000;
  await keysOf();
  expect(fetches()).toBe(1);
});

it('keys are fetched anew in the background, and are not used beyond their greatest age', async () => {
  await keysOf();
  now += 301_000;
  await keysOf();
  await new Promise(setImmediate);
  expect(fetches()).toBe(2);
  issuer.setDown(true);
  now += 599_000;
  await keysOf();
  now += 10_000;
  await expect(keysOf()).rejects.toMatchObject(unavailable);
});

it('an unknown key is searched once a minute at most, whoever invents ids', async () => {
  await keysOf();
  for (let n = 0; n < 20; n++) await keysOf(`invented-${n}`);
  expect(fetches()).toBe(2);
  now += 60_001;
  const added = await issuer.newKey('k2');
  issuer.setKeys([issuer.first.jwk, added.jwk]);
  await keysOf('k2');
  expect(fetches()).toBe(3);
});

it('an issuer that is down lets nobody in, and is not asked again for some seconds', async () => {
  issuer.setDown(true);
  await expect(keysOf()).rejects.toMatchObject(unavailable);
  const asked = issuer.requested.length;
  await expect(keysOf()).rejects.toMatchObject(unavailable);
  expect(issuer.requested).toHaveLength(asked);
  issuer.setDown(false);
  now += 5_001;
  await expect(keysOf()).resolves.toBeDefined();
});

it('requests beyond a number are not kept waiting for a slow issuer', async () => {
  let answer: () => void = () => undefined;
  const slow = new IssuerKeys(
    async (url) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return await issuer.fetchDocument(url);
    },
    () => now,
  );
  const asked = Array.from({ length: 100 }, () =>
    slow.keysOf(issuer.issuer, 'k1').then(
      () => 'keys',
      () => 'refused',
    ),
  );
  // The first document, then the second.
  for (let n = 0; n < 2; n++) {
    await new Promise(setImmediate);
    answer();
  }
  const ends = await Promise.all(asked);
  expect([ends.filter((end) => end === 'keys').length, ends.filter((end) => end === 'refused').length]).toEqual([
    64, 36,
  ]);
});

it('keys that are too long to be verified with at little cost are left out', async () => {
  const { publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  issuer.setKeys([
    { ...jwk, kid: 'long', n: 'A'.repeat(20_000) },
    { ...jwk, kid: 'slow', e: 'A'.repeat(64) },
    { ...jwk, kid: 'usual' },
  ]);
  const jwks = (await keysOf('usual')).jwks();
  expect(jwks.keys.map(({ kid }) => kid)).toEqual(['usual']);
});

it('a list of more keys than an issuer has is refused', async () => {
  issuer.setKeys(Array.from({ length: 101 }, (_, n) => ({ ...issuer.first.jwk, kid: `k${n}` })));
  await expect(keysOf()).rejects.toMatchObject(unavailable);
});

it.each([
  [
    'metadata of another issuer',
    JSON.stringify({ issuer: 'https://evil.example', jwks_uri: 'https://login.example.org/jwks' }),
  ],
  ['metadata without keys', JSON.stringify({ issuer: 'https://login.example.org' })],
  ['metadata that are no object', '[]'],
  [
    'metadata that name the issuer twice',
    '{"issuer":"https://evil.example","issuer":"https://login.example.org","jwks_uri":"https://login.example.org/jwks"}',
  ],
])('%s are refused', async (_what, text) => {
  for (const url of metadataUrlsOf(issuer.issuer)) issuer.documents.set(url, text);
  await expect(keysOf()).rejects.toMatchObject(unavailable);
});
