// SPDX-License-Identifier: Apache-2.0
// The driver itself, with the executor's token, in the chart's namespace of sandboxes: it fails here if the policies
// refuse it. WRIT_CLUSTER_SANDBOX_IMAGE and WRIT_CLUSTER_SANDBOX_DIGEST name the sandbox image on the nodes.
import type { SandboxEvent } from '@writ/sandbox-host';
import type { KubernetesSandbox } from '@writ/sandbox-k8s';
import { DIGEST, REFERENCE } from '@writ/sandbox-k8s/contract';
import { jobOf, openDriver, printed, SIZE } from './driver.contract.ts';
import { describeCluster, MIB, ReleaseOnCluster } from './release.contract.ts';

const release = new ReleaseOnCluster();

describeCluster('the driver in the namespace that the chart makes', () => {
  let sandbox: KubernetesSandbox;
  const events: SandboxEvent[] = [];

  beforeAll(async () => {
    if (REFERENCE === '' || DIGEST === '')
      throw new Error('name the sandbox image: set WRIT_CLUSTER_SANDBOX_IMAGE and WRIT_CLUSTER_SANDBOX_DIGEST');
    await release.install({ sandbox: { admissionPolicy: { images: [REFERENCE] } } });
    sandbox = await openDriver(release, {
      pools: [{ image: DIGEST, size: SIZE, count: 1 }],
      report: (event) => events.push(event),
    });
  });
  afterAll(async () => {
    await (sandbox as KubernetesSandbox | undefined)?.close();
    release.remove();
  });

  test('runs jobs in a waiting pod and in a new one, and no request is refused', async () => {
    await sandbox.warm();
    for (const memoryBytes of [SIZE.memoryBytes, 128 * MIB])
      expect(printed(await sandbox.run(jobOf('a', memoryBytes), new AbortController().signal))).toBe('a\n');
    expect(events.filter(({ type }) => type === 'engine.refused')).toEqual([]);
  });
});
