// SPDX-License-Identifier: Apache-2.0
// Tokens of a real API server, by the request that a kubelet makes for a projected volume.
import { KubeApi } from '@writ/sandbox-k8s';
import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { DOCUMENT_ACCEPT } from '../../outbound/get-document.ts';
import { RESOURCE } from '../../../specs/test-issuer.ts';
import { parsePinnedKeys } from './pinned-keys.ts';
import { claimedBy, verifyWorkloadToken } from './workload-token.ts';

const KUBECONFIG = process.env['WRIT_CLUSTER_KUBECONFIG'];
const PATH = '/api/v1/namespaces/default/serviceaccounts/default/token';
const SUBJECT = 'system:serviceaccount:default:default';

describe.skipIf(KUBECONFIG === undefined)('tokens of a real cluster', () => {
  let api: KubeApi;
  let issuer: string;
  let keys: JSONWebKeySet;
  const ask = <T>(path: string, body?: object): Promise<T> =>
    api.request<T>(path, {
      ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }),
      path,
      // As documents of issuers are fetched.
      accept: DOCUMENT_ACCEPT,
      signal: AbortSignal.timeout(60_000),
    });
  beforeAll(async () => {
    api = await KubeApi.load({ kubeconfig: KUBECONFIG ?? '' });
    ({ issuer } = await ask<{ issuer: string }>('/.well-known/openid-configuration'));
    keys = await ask('/openid/v1/jwks');
  });
  afterAll(() => api?.close());

  const tokenFor = async (audiences: readonly string[] | null, expirationSeconds: number): Promise<string> => {
    const spec = { expirationSeconds, ...(audiences === null ? {} : { audiences }) };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    return (await ask<{ status: { token: string } }>(PATH, body)).status.token;
  };
  /** With the keys as the operator pins them. */
  const verify = async (text: string) => {
    const pinned = { keys: await parsePinnedKeys(keys.keys as never) } as JSONWebKeySet;
    const now = Date.now();
    return await verifyWorkloadToken(text, { issuer, audience: RESOURCE, keys: createLocalJWKSet(pinned), now });
  };

  test('a token for this deployment gives its service account, by the keys that the cluster publishes', async () => {
    const text = await tokenFor([RESOURCE], 3_600);
    expect(claimedBy(text)).toEqual({ subject: SUBJECT, kid: expect.any(String) });
    expect(await verify(text)).toMatchObject({ issuer, subject: SUBJECT });
  });

  test('a token for the cluster itself, for both, or for a day is refused', async () => {
    for (const text of [
      await tokenFor(null, 3_600),
      await tokenFor([RESOURCE, issuer], 3_600),
      await tokenFor([RESOURCE], 86_400),
    ])
      await expect(verify(text)).rejects.toMatchObject({ code: 'auth.invalid' });
  });
});
