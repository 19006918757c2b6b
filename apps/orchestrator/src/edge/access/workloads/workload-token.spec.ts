// SPDX-License-Identifier: Apache-2.0
import { createHmac } from 'node:crypto';
import { createLocalJWKSet, exportSPKI } from 'jose';
import { CLUSTER, projected, testCluster, WORKLOAD } from '../../../specs/test-cluster.ts';
import { RESOURCE, type TestIssuer, type TokenChanges } from '../../../specs/test-issuer.ts';
import { verifyAccessToken } from '../oauth/access-token.ts';
import { IssuerKeys } from '../oauth/issuer-keys.ts';
import { parsePinnedKeys } from './pinned-keys.ts';
import { claimedBy, isServiceAccountSubject, verifyWorkloadToken } from './workload-token.ts';

const NOW = 1_800_000_000_000;
const S = NOW / 1_000;
const refused = { code: 'auth.invalid' };
let cluster: TestIssuer;
beforeAll(async () => {
  cluster = await testCluster();
});

const token = (changes: TokenChanges = {}): Promise<string> => cluster.token(NOW, projected(NOW, changes));
const verify = (text: string, now = NOW) => {
  const keys = createLocalJWKSet({ keys: [cluster.first.jwk] });
  return verifyWorkloadToken(text, { issuer: CLUSTER, audience: RESOURCE, keys, now });
};
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

it('a projected token gives its service account and its end', async () => {
  expect(await verify(await token())).toMatchObject({
    issuer: CLUSTER,
    subject: WORKLOAD,
    expiresAt: (S + 3_600) * 1_000,
  });
  expect(
    await verify(await token({ header: { typ: 'JWT' }, claims: { aud: RESOURCE, jti: undefined } })),
  ).toMatchObject({ jti: '' });
});

const account = (namespace: unknown, name: unknown) => ({ namespace, serviceaccount: { name } });
const WRONG: readonly (readonly [string, TokenChanges])[] = [
  ['another issuer', { claims: { iss: `${CLUSTER}/` } }],
  ['the audience of the cluster itself', { claims: { aud: [CLUSTER] } }],
  ['our audience beside that of the cluster', { claims: { aud: [RESOURCE, CLUSTER] } }],
  ['our audience twice', { claims: { aud: [RESOURCE, RESOURCE] } }],
  ['an audience that only begins like ours', { claims: { aud: [`${RESOURCE}.evil`] } }],
  ['the audience of `/mcp`', { claims: { aud: [`${RESOURCE}/mcp`] } }],
  ['no audience', { claims: { aud: undefined } }],
  ['a life of an hour and a second', { claims: { exp: S + 3_601 } }],
  ['no end', { claims: { exp: undefined } }],
  ['its end in the past', { claims: { iat: S - 100, exp: S - 10 } }],
  ['a beginning in the future', { claims: { nbf: S + 60 } }],
  ['its issue in the future', { claims: { iat: S + 60 } }],
  ['no time of issue', { claims: { iat: undefined } }],
  ['the subject of a person', { claims: { sub: 'ann-1' } }],
  ['a service account without a name', { claims: { sub: 'system:serviceaccount:team-a:' } }],
  ['a service account in capitals', { claims: { sub: 'system:serviceaccount:Team-a:builder' } }],
  ['a service account with a line break', { claims: { sub: `${WORKLOAD}\n` } }],
  ['no claim of Kubernetes', { claims: { 'kubernetes.io': undefined } }],
  ['a claim of Kubernetes that is a text', { claims: { 'kubernetes.io': 'team-a' } }],
  ['a claim with another namespace', { claims: { 'kubernetes.io': account('team-b', 'builder') } }],
  ['a claim with another service account', { claims: { 'kubernetes.io': account('team-a', 'root') } }],
  ['a key that its sender must prove', { claims: { cnf: { jkt: 'x' } } }],
  ['the type of an access token', { header: { typ: 'at+jwt' } }],
  ['the type of a logout token', { header: { typ: 'logout+jwt' } }],
  ['a type in other cases', { header: { typ: 'jwt' } }],
  ['a key that the cluster does not list', { header: { kid: 'k2' } }],
];
it.each(WRONG)('a projected token with %s is refused', async (_what, changes) => {
  await expect(verify(await token(changes))).rejects.toMatchObject(refused);
});

it('a token without a signature, or with one by the public key as a secret, is refused', async () => {
  const [, payload = ''] = (await token()).split('.');
  const unsigned = `${part({ alg: 'none', kid: 'k1' })}.${payload}.`;
  await expect(verify(unsigned)).rejects.toMatchObject(refused);
  const head = `${part({ alg: 'HS256', kid: 'k1' })}.${payload}`;
  const secret = await exportSPKI(cluster.first.pair.publicKey);
  const forged = `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
  await expect(verify(forged)).rejects.toMatchObject(refused);
});

it('keys that a header carries or names are not read', async () => {
  const other = await cluster.newKey('k1');
  for (const header of [{ jwk: other.jwk }, { jku: 'https://evil.example/jwks' }, { x5c: ['x'] }]) {
    const text = await cluster.token(NOW, projected(NOW, { header }), other);
    await expect(verify(text)).rejects.toMatchObject(refused);
  }
});

it('a token whose header has `crit`, or names no key, is refused before anything is verified', () => {
  for (const header of [{ alg: 'RS256' }, { alg: 'RS256', kid: '' }, { alg: 'RS256', kid: 'k', crit: ['b64'] }, 'x'])
    expect(() => claimedBy(`${part(header)}.${part({ sub: WORKLOAD })}.x`)).toThrow(expect.objectContaining(refused));
});

/** Each kind of token, as it is with everything else right. */
const KINDS: Readonly<Record<string, () => TokenChanges>> = {
  access: () => ({}),
  id: () => ({ header: { typ: 'JWT' }, claims: { nonce: 'n', auth_time: S } }),
  'id without a type': () => ({ header: { typ: undefined }, claims: { nonce: 'n', auth_time: S } }),
  logout: () => ({
    header: { typ: 'logout+jwt' },
    claims: { events: { 'http://schemas.openid.net/event/backchannel-logout': {} } },
  }),
  workload: () => projected(NOW),
};
it.each(Object.keys(KINDS))('a token of the kind `%s` passes in its own profile alone', async (kind) => {
  const text = await cluster.token(NOW, KINDS[kind]?.());
  const passes = async (run: () => Promise<unknown>) =>
    await run()
      .then(() => true)
      .catch(() => false);
  const keys = new IssuerKeys(cluster.fetchDocument, () => 1);
  const isAccess = await passes(() => verifyAccessToken(text, CLUSTER, [RESOURCE], keys, NOW));
  expect([isAccess, await passes(() => verify(text))]).toEqual([kind === 'access', kind === 'workload']);
});

it('a workload token stays one whatever it claims beside, and no other token becomes one', async () => {
  const scoped = { claims: { scope: 'writ:admin', client_id: 'cli' } };
  expect(await verify(await token(scoped))).toMatchObject({ subject: WORKLOAD });
  const keys = new IssuerKeys(cluster.fetchDocument, () => 1);
  await expect(verifyAccessToken(await token(scoped), CLUSTER, [RESOURCE], keys, NOW)).rejects.toMatchObject(refused);
});

it('pinned keys are public, of one id each, and hold only what verification needs', async () => {
  const { jwk } = cluster.first;
  const pinned = await parsePinnedKeys([{ ...jwk, x5c: ['x'], use: 'sig' } as never]);
  expect(pinned).toEqual([{ kty: 'RSA', kid: 'k1', alg: 'RS256', n: jwk.n, e: jwk.e }]);
  const bad = { code: 'request.malformed' };
  for (const keys of [
    [{ ...jwk, d: 'x' }],
    [{ kty: 'oct', k: 'x', kid: 'a' }],
    [{ ...jwk, kid: undefined }],
    [{ ...jwk, alg: 'HS256' }],
    [{ ...jwk, use: 'enc' }],
    [{ ...jwk, n: 7 }],
    [{ kty: 'EC', kid: 'e', crv: 'P-256', x: 'AA', y: 'AA' }],
    [jwk, jwk],
  ])
    await expect(parsePinnedKeys(keys as never)).rejects.toMatchObject(bad);
});

it('service accounts are told by their form alone', () => {
  expect(isServiceAccountSubject(`system:serviceaccount:${'a'.repeat(63)}:a.b-c`)).toBe(true);
  for (const text of ['', 'system:node:a', `${WORKLOAD}:x`, `system:serviceaccount:a:${'b'.repeat(254)}`])
    expect(isServiceAccountSubject(text)).toBe(false);
});
