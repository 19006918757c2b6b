// SPDX-License-Identifier: Apache-2.0
// Pod metrics on a running node, for `kubectl top` and autoscalers. A node has them only on request: the build takes as
// long as CoreDNS' does.
import { ensureGoTool } from '../go-tools/ensure.ts';
import { MARK } from '../process/marked.ts';
import type { Setup } from '../setup.ts';
import { ensureMetricsImage, METRICS_IMAGE } from './images.ts';
import {
  METRICS_API,
  METRICS_NAMESPACE,
  METRICS_SERVER,
  METRICS_SERVER_NAME,
  metricsManifest,
} from './metrics-manifest.ts';
import { loadImages, type ClusterNode } from './node.ts';
import { newServerCertificate } from './pki.ts';

/** It is ready after two measurements; a busy machine gets more time. */
const READY = '--timeout=180s';

/** Whether a node runs this version of it, and its API answers. */
const hasMetrics = async (node: ClusterNode): Promise<boolean> => {
  const find = (...what: string[]): Promise<string> => node.run(['get', ...what, '--ignore-not-found']);
  const image = '-o=jsonpath={.spec.template.spec.containers[0].image}';
  const available = '-o=jsonpath={.status.conditions[?(@.type=="Available")].status}';
  return (
    (await find('--namespace', METRICS_NAMESPACE, METRICS_SERVER, image)) === METRICS_IMAGE &&
    (await find('apiservice', METRICS_API, available)) === 'True'
  );
};

/**
 * Adds metrics-server to a running node: builds it if needed, loads it, starts it, and resolves when it has measured.
 * Does nothing where the node has it.
 *
 * @param setup that of the node
 * @throws SetupError where the build fails, or it isn't ready in time
 */
export const addMetrics = async (setup: Setup, node: ClusterNode): Promise<void> => {
  if (await hasMetrics(node)) return;
  const { cacheDir, report } = setup;
  // Marked, so that the end of the node finds running compilers.
  const env = { ...setup.env, [MARK]: setup.stateId };
  const program = await ensureGoTool('metrics-server', { cacheDir, report, env });
  const { reference, path } = await ensureMetricsImage(cacheDir, program);
  if (!(await node.references()).includes(reference)) await loadImages(node, [path], report);
  report('starting metrics-server');
  await node.run(['apply', '-f', '-'], metricsManifest(await newServerCertificate(METRICS_SERVER_NAME, new Date())));
  await node.run(['rollout', 'status', METRICS_SERVER, `--namespace=${METRICS_NAMESPACE}`, READY]);
  await node.run(['wait', '--for=condition=Available', `apiservice/${METRICS_API}`, READY]);
};
