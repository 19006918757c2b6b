// SPDX-License-Identifier: Apache-2.0
import type Docker from 'dockerode';
import { ContainerSandbox, type SandboxEventListener, type WarmPoolConfig } from '@writ/sandbox-host';
import { DockerEngine } from './docker-engine.ts';
import { MADE_BY, ownMark } from './process-mark.ts';

export interface DockerSandboxConfig {
  readonly docker: Docker;
  /** value of the label `writ`: whose containers they are, for whoever cleans up */
  readonly label: string;
  /** this executor; what it left behind in an earlier life is swept at the start */
  readonly owner: string;
  readonly pools: readonly WarmPoolConfig[];
  /** containers that wait with the files of a likely job, beside the pools; absent: none */
  readonly laidOut?: number;
  /** the engine's runtime, `runsc` for example */
  readonly runtime?: string;
  readonly report?: SandboxEventListener;
}

const mark = ownMark();
const MARK: Readonly<Record<string, string>> = mark === null ? {} : { [MADE_BY]: mark };

/** Sandboxes in Docker containers, warm ones first. */
export class DockerSandbox extends ContainerSandbox {
  /**
   * Sweeps what this owner left behind, and what dead processes of this machine did, and begins to fill the pools;
   * doesn't wait for them, nor for an engine that is away.
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
    const sandbox = new DockerSandbox({ ...config, engine, labels: { ...labels, ...MARK }, report });
    await sandbox.begin();
    return sandbox;
  }
}
