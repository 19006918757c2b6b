// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { RESOURCE, testIssuer, type TestIssuer, type TokenChanges } from './test-issuer.ts';

export const CLUSTER = 'https://kubernetes.default.svc.cluster.local';
export const WORKLOAD = 'system:serviceaccount:team-a:builder';

/** What changes a token of a service account into what a cluster writes: its header has no `typ`. */
export function projected(now: number, { header = {}, claims = {} }: TokenChanges = {}): TokenChanges {
  const [namespace, name] = ['team-a', 'builder'];
  return {
    header: { typ: undefined, ...header },
    claims: {
      aud: [RESOURCE],
      sub: WORKLOAD,
      client_id: undefined,
      scope: undefined,
      nbf: Math.floor(now / 1_000),
      exp: Math.floor(now / 1_000) + 3_600,
      'kubernetes.io': {
        namespace,
        node: { name: 'node-1', uid: randomUUID() },
        pod: { name: 'builder-5d8', uid: randomUUID() },
        serviceaccount: { name, uid: randomUUID() },
        warnafter: Math.floor(now / 1_000) + 3_007,
      },
      ...claims,
    },
  };
}

/** A cluster, which signs as Kubernetes does. */
export const testCluster = (issuer = CLUSTER): Promise<TestIssuer> => testIssuer(issuer, 'RS256');
