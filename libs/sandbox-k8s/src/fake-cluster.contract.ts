// SPDX-License-Identifier: Apache-2.0
import { FakeApi } from './fake-api.contract.ts';
import { referencesFrom } from './image-reference.ts';
import { KubeApi } from './kube-api.ts';
import { KubernetesSandbox, type KubernetesSandboxConfig } from './kubernetes-sandbox.ts';

export const IMAGE = `sha256:${'a'.repeat(64)}`;
export const REFERENCE = 'registry.example/writ-sandbox';

/** A sandbox on a fake API server, which is also its canary. */
export async function openOn(api: FakeApi, config: Partial<KubernetesSandboxConfig> = {}): Promise<KubernetesSandbox> {
  return await KubernetesSandbox.open({
    api: await KubeApi.load({ kubeconfig: api.kubeconfig }),
    namespace: 'sandboxes',
    label: 'test',
    owner: 'exe_test',
    pools: [],
    referenceOf: referencesFrom(`${REFERENCE}@${IMAGE}`, IMAGE),
    canaries: [],
    ...config,
  });
}
