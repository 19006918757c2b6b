// SPDX-License-Identifier: Apache-2.0
export { SANDBOX_GROUP, SANDBOX_VERSION, warmPoolOf } from './agent-sandbox.ts';
export { parseHostPort, type HostPort } from './canaries.ts';
export { referencesFrom, type ReferenceOf } from './image-reference.ts';
export { KubeApi, type KubeApiSource } from './kube-api.ts';
export { leaseOf, type LeaseShape } from './lease-shape.ts';
export { KubernetesSandbox, type KubernetesSandboxConfig } from './kubernetes-sandbox.ts';
export { commonLabels, OWNER_LABEL, podOf, specOf, type PodOptions } from './pod-shape.ts';
