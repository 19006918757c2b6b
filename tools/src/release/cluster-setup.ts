// SPDX-License-Identifier: Apache-2.0
// Runs once in the main process, before the specs of the suite `cluster`: a node with the images of this checkout,
// whose addresses their processes inherit.
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { downNode, findNode, upNode } from '../cluster/node.ts';
import { defaultStateDir, makeSetup } from '../setup.ts';
import { runPlan, throttle } from '../steps.ts';
import type { ReleaseImages } from './images.ts';
import { preparePlan, type ReleaseMade } from './up.ts';

/** What specs need to install the chart. */
export interface ClusterDescription {
  /** The state directory of the node. */
  readonly stateDir: string;
  readonly helm: string;
  readonly images: ReleaseImages;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Absent where WRIT_CLUSTER_KUBECONFIG names a cluster that isn't this checkout's. */
    cluster?: ClusterDescription;
  }
}

const LINE_MS = 5_000;

/**
 * Called by Vitest, which calls the result when all specs have ended. A cluster that WRIT_CLUSTER_KUBECONFIG names is
 * taken as it is; a node that is up is used and stays up.
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
