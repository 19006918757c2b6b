// SPDX-License-Identifier: Apache-2.0
// Runs once in the main process, before the specs of the suite `cluster`: starts a node with the images of this
// checkout, whose addresses the spec processes inherit.
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { downNode, findNode, upNode } from '../cluster/node.ts';
import { defaultStateDir, makeSetup } from '../setup.ts';
import { runPlan, throttle } from '../steps.ts';
import type { ReleaseImages } from './images.ts';
import { preparePlan, type ReleaseMade } from './install-steps.ts';

/** Data for specs that install the chart. */
export interface ClusterDescription {
  /** The state directory of the node. */
  readonly stateDir: string;
  readonly helm: string;
  readonly images: ReleaseImages;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent where WRIT_CLUSTER_KUBECONFIG names a cluster other than this checkout's. */
    cluster?: ClusterDescription;
  }
}

const LINE_MS = 5_000;

/**
 * Called by Vitest, which calls the result after all specs. A cluster in WRIT_CLUSTER_KUBECONFIG is used unchanged; a
 * running node is used and keeps running.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (process.env['WRIT_CLUSTER_KUBECONFIG'] !== undefined) return () => Promise.resolve();
  const root = defaultStateDir(process.env);
  const report = throttle(
    (line) => process.stdout.write(`  ${line}\n`),
    LINE_MS,
    () => performance.now(),
  );
  const cluster = makeSetup(join(root, 'cluster'), join(root, 'cache'), process.env, report);
  const wasUp = (await findNode(cluster)) !== undefined;
  const node = await upNode(cluster, runPlan);
  const made: ReleaseMade = {};
  await runPlan(cluster, preparePlan(cluster, node, made));
  const { images, helm } = made as Required<ReleaseMade>;
  project.provide('cluster', { stateDir: cluster.stateDir, helm, images });
  Object.assign(process.env, {
    WRIT_CLUSTER_KUBECONFIG: node.kubeconfig,
    WRIT_CLUSTER_SANDBOX_IMAGE: images.sandbox.ref,
    WRIT_CLUSTER_SANDBOX_DIGEST: images.sandbox.id,
    PATH: [join(node.kubectl, '..'), join(helm, '..'), process.env['PATH']].join(':'),
  });
  return async () => {
    if (!wasUp) await downNode(cluster);
  };
}
