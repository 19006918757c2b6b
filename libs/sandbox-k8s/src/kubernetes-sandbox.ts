// SPDX-License-Identifier: Apache-2.0
import { ContainerSandbox, type SandboxEventListener, type WarmPoolConfig } from '@writ/sandbox-host';
import { Canaries, type HostPort } from './canaries.ts';
import type { ReferenceOf } from './image-reference.ts';
import type { KubeApi } from './kube-api.ts';
import { KubernetesEngine } from './kubernetes-engine.ts';
import { commonLabels, OWNER_LABEL } from './pod-shape.ts';

export interface KubernetesSandboxConfig {
  readonly api: KubeApi;
  /** the pods' namespace, without other content: closed by network policies, without a Secret */
  readonly namespace: string;
  /** value of the label `writ`, by which cleanup finds the pods */
  readonly label: string;
  /** this executor; pods of its earlier processes are swept at the start */
  readonly owner: string;
  readonly pools: readonly WarmPoolConfig[];
  /** how nodes pull the image of a digest */
  readonly referenceOf: ReferenceOf;
  /** addresses that must refuse a pod before a job may run there, in addition to the API server */
  readonly canaries: readonly HostPort[];
  /** pre-populated pods, which wait with the files of a likely job, in addition to the pools; absent: none */
  readonly prePopulated?: number;
  /** a RuntimeClass; absent: the cluster's default runtime */
  readonly runtimeClass?: string;
  /** whether pods share their node's user namespace; false requests a separate one; absent: the cluster's default */
  readonly hostUsers?: boolean;
  /**
   * prefix of the names of agent-sandbox's SandboxWarmPools, whose pods are claimed (see `warmPoolOf`); absent: this
   * executor creates its pods itself
   */
  readonly warmPools?: string;
  readonly report?: SandboxEventListener;
}

/** Sandboxes in pods of a Kubernetes namespace, with warm pools. */
export class KubernetesSandbox extends ContainerSandbox {
  /**
   * Acquires this executor's lease, sweeps pods without an owner and starts to fill the pools. It waits neither for the
   * pools nor for an unreachable API server.
   */
  static async open(config: KubernetesSandboxConfig): Promise<KubernetesSandbox> {
    const {
      api,
      namespace,
      label,
      owner,
      referenceOf,
      runtimeClass,
      hostUsers,
      warmPools,
      report = () => undefined,
      pools,
      prePopulated,
    } = config;
    const common = commonLabels(label);
    const engine = new KubernetesEngine({
      api,
      namespace,
      common,
      owner: [OWNER_LABEL, owner],
      referenceOf,
      report,
      canaries: new Canaries([...config.canaries, api.address]),
      ...(runtimeClass === undefined ? {} : { runtimeClass }),
      ...(hostUsers === undefined ? {} : { hostUsers }),
      ...(warmPools === undefined ? {} : { warmPools }),
    });
    const sandbox = new KubernetesSandbox({
      engine,
      labels: { ...common, [OWNER_LABEL]: owner },
      pools,
      report,
      ...(prePopulated === undefined ? {} : { prePopulated }),
    });
    await sandbox.begin();
    return sandbox;
  }
}
