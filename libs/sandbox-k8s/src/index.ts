// SPDX-License-Identifier: Apache-2.0
export { parseHostPort, type HostPort } from './canaries.ts';
export { referencesFrom, type ReferenceOf } from './image-reference.ts';
export { KubeApi, type KubeApiSource } from './kube-api.ts';
export { KubernetesSandbox, type KubernetesSandboxConfig } from './kubernetes-sandbox.ts';
