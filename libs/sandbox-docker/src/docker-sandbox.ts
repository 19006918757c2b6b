// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { ContainerSandbox, type SandboxEventListener, type WarmPoolConfig } from '@writ/sandbox-host';
import { DockerEngine } from './docker-engine.ts';
import { OWN_MARK } from './process-mark.ts';

export interface DockerSandboxConfig {
  readonly docker: Docker;
  /** value of the label `writ`, by which cleanup finds the containers */
  readonly label: string;
  /** this executor; containers of its earlier processes are swept at the start */
  readonly owner: string;
  readonly pools: readonly WarmPoolConfig[];
  /** pre-populated containers, which wait with the files of a likely job, in addition to the pools; absent: none */
  readonly prePopulated?: number;
  /** the engine's runtime, for example `runsc` */
  readonly runtime?: string;
  readonly report?: SandboxEventListener;
}

/** Sandboxes in Docker containers, with warm pools. */
export class DockerSandbox extends ContainerSandbox {
  /**
   * Sweeps containers that this owner's earlier processes or dead processes of this machine left, and starts to fill
   * the pools. It waits neither for the pools nor for an unreachable engine.
   */
  static async open({
    docker,
    label,
    owner,
    runtime,
    report = () => undefined,
    ...config
  }: DockerSandboxConfig): Promise<DockerSandbox> {
    const labels = { writ: label, 'writ.role': 'sandbox', 'writ.owner': owner };
    const engine = new DockerEngine({ docker, labels, report, ...(runtime === undefined ? {} : { runtime }) });
    const sandbox = new DockerSandbox({ ...config, engine, labels: { ...labels, ...OWN_MARK }, report });
    await sandbox.begin();
    return sandbox;
  }
}
