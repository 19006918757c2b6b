// SPDX-License-Identifier: Apache-2.0
import { ContainerSandbox, type SandboxEventListener, type WarmPoolConfig } from '@writ/sandbox-host';
import { Canaries, type HostPort } from './canaries.ts';
import type { ReferenceOf } from './image-reference.ts';
import type { KubeApi } from './kube-api.ts';
import { KubernetesEngine } from './kubernetes-engine.ts';
import { commonLabels, OWNER_LABEL } from './pod-shape.ts';

export interface KubernetesSandboxConfig {
  readonly api: KubeApi;
  /** where pods live, and nothing else: closed by network policies, without a Secret */
  readonly namespace: string;
  /** value of the label `writ`: whose pods they are, for whoever cleans up */
  readonly label: string;
  /** this executor; what it left behind in an earlier life is swept at the start */
  readonly owner: string;
  readonly pools: readonly WarmPoolConfig[];
  /** how nodes pull the image of a digest */
  readonly referenceOf: ReferenceOf;
  /** what a pod must be refused at before a job may run there, beside the API server */
  readonly canaries: readonly HostPort[];
  /** pods that wait with the files of a likely job, beside the pools; absent: none */
  readonly laidOut?: number;
  /** a RuntimeClass; absent: the cluster's default runtime */
  readonly runtimeClass?: string;
  /** whether pods have the users of their node: false asks for a user namespace; absent: as the cluster has it */
  readonly hostUsers?: boolean;
  /**
   * what the names of agent-sandbox's SandboxWarmPools begin with, whose pods are claimed (see `warmPoolOf`); absent:
   * this executor makes its pods itself
   */
  readonly warmPools?: string;
  readonly report?: SandboxEventListener;
}

/** Sandboxes in pods of a Kubernetes namespace, warm ones first. */
export class KubernetesSandbox extends ContainerSandbox {
  /**
   * Takes this executor's lease, sweeps what nobody owns and begins to fill the pools; doesn't wait for them, nor for
   * an API server that is away.
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
      laidOut,
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
      ...(laidOut === undefined ? {} : { laidOut }),
    });
    await sandbox.begin();
    return sandbox;
  }
}
