// SPDX-License-Identifier: Apache-2.0
// The part of the API of kubernetes-sigs/agent-sandbox that an executor uses: it creates claims, reads their state, and
// deletes them. Pools and their templates come from the chart, or from another administrator.
import { EngineNotReady, type SandboxSize } from '@writ/sandbox-host';
import { isStatus } from './api-error.ts';
import type { KubeApi } from './kube-api.ts';
import { LIFE_S, type PodOwner } from './pod-shape.ts';

const GROUP = 'extensions.agents.x-k8s.io';
/**
 * The version of both API groups since agent-sandbox 0.5. In earlier ones a claim names a template instead of a pool.
 */
export const SANDBOX_VERSION = 'v1beta1';
const VERSION = SANDBOX_VERSION;
const CLAIMS = 'sandboxclaims';
/** The group of the Sandbox that a claim is bound to, and that owns its pod. */
export const SANDBOX_GROUP = 'agents.x-k8s.io';

export const claimsOf = (namespace: string): string => `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/${CLAIMS}`;

/** Enough of a digest to distinguish the images of a cluster. */
const DIGEST_HEX = 12;

/**
 * The SandboxWarmPool whose pods have that image and size, by the chart's naming of pools. Memory is the only part of a
 * size that differs between pods: a pod can't bound processes, and has one processor.
 */
export const warmPoolOf = (prefix: string, image: string, { memoryBytes }: SandboxSize): string =>
  [prefix, image.replace(/^sha256:/, '').slice(0, DIGEST_HEX), memoryBytes].join('-');

export interface ClaimOptions {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: PodOwner;
  readonly warmPool: string;
  readonly now: Date;
}

/** A claim that is deleted with its owner's lease, and expires when no call can need its pod any more. */
export function claimOf({ name, namespace, labels, owner, warmPool, now }: ClaimOptions): object {
  const shutdownTime = `${new Date(now.getTime() + LIFE_S * 1000).toISOString().slice(0, 19)}Z`;
  return {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'SandboxClaim',
    metadata: {
      name,
      namespace,
      labels: { ...labels },
      ownerReferences: [
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          name: owner.name,
          uid: owner.uid,
          controller: true,
          blockOwnerDeletion: false,
        },
      ],
    },
    spec: { warmPoolRef: { name: warmPool }, lifecycle: { shutdownTime, shutdownPolicy: 'Delete' } },
  };
}

/**
 * Resolves where the API server serves claims of the supported version. Rejects with EngineNotReady that says what to
 * install, or with the server's error.
 */
export async function assertClaims(api: KubeApi, signal: AbortSignal): Promise<void> {
  const find = async <T>(path: string): Promise<T | null> =>
    await api.request<T>('find the API of claims', { method: 'GET', path, signal }).catch((error: unknown) => {
      if (isStatus(error, 404)) return null;
      throw error;
    });
  const served = await find<{ readonly resources?: readonly { readonly name: string }[] }>(`/apis/${GROUP}/${VERSION}`);
  if (served?.resources?.some(({ name }) => name === CLAIMS)) return;
  const group = await find<{ readonly versions?: readonly { readonly version: string }[] }>(`/apis/${GROUP}`);
  const others = (group?.versions ?? []).map(({ version }) => version).filter((version) => version !== VERSION);
  throw new EngineNotReady(
    'missing',
    others.length === 0
      ? `the cluster has no CRD \`${CLAIMS}.${GROUP}\` of kubernetes-sigs/agent-sandbox: ` +
          'install its CRDs and its controller with `--extensions`, or unset WRIT_SANDBOX_CLAIMS'
      : `the cluster serves \`${CLAIMS}.${GROUP}\` as ${others.join(' and ')}, and this executor needs ${VERSION}: ` +
          'install agent-sandbox 0.5 or later, or unset WRIT_SANDBOX_CLAIMS',
  );
}
