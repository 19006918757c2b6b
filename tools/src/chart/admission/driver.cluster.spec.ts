// SPDX-License-Identifier: Apache-2.0
// The driver itself, with the executor's token, in a namespace as the chart makes it: what its policies refuse fails
// here. WRIT_CLUSTER_SANDBOX_IMAGE and WRIT_CLUSTER_SANDBOX_DIGEST name the sandbox image as nodes have it.
import { SANDBOX_LIMITS } from '@writ/contract';
import type { SandboxEvent } from '@writ/sandbox-host';
import { KubeApi, KubernetesSandbox, referencesFrom } from '@writ/sandbox-k8s';
import { DIGEST, REFERENCE } from '@writ/sandbox-k8s/contract';
import { describeCluster, MIB, ReleaseOnCluster } from './release.contract.ts';

const SIZE = { cpus: 1, memoryBytes: SANDBOX_LIMITS.memory_bytes, pids: 256, tmpfsBytes: 512 * MIB };
const release = new ReleaseOnCluster();

describeCluster('the driver in the namespace that the chart makes', () => {
  let sandbox: KubernetesSandbox | undefined;
  const events: SandboxEvent[] = [];

  beforeAll(async () => {
    if (REFERENCE === '' || DIGEST === '')
      throw new Error('name the sandbox image: set WRIT_CLUSTER_SANDBOX_IMAGE and WRIT_CLUSTER_SANDBOX_DIGEST');
    await release.install({ sandbox: { admissionPolicy: { images: [REFERENCE] } } });
    sandbox = await KubernetesSandbox.open({
      api: await KubeApi.load({ kubeconfig: release.executorConfig }),
      namespace: release.sandboxes,
      label: release.name,
      owner: 'exe_01m8k1ce1jepkv3200psvtvr36',
      pools: [{ image: DIGEST, size: SIZE, count: 1 }],
      referenceOf: referencesFrom(REFERENCE, DIGEST),
      canaries: [],
      report: (event) => events.push(event),
    });
  });
  afterAll(async () => {
    await sandbox?.close();
    release.remove();
  });

  test('runs jobs in a pod that waits and in one that it makes for the call, and is refused nothing', async () => {
    await sandbox?.warm();
    for (const memoryBytes of [SIZE.memoryBytes, 128 * MIB]) {
      const limits = {
        ...SIZE,
        memoryBytes,
        wallMs: 60_000,
        cpuMs: 60_000,
        outputBytes: 1_000,
        deltaBytes: MIB,
        deltaFiles: 10,
      };
      const labels = { 'writ.operation': 'op_1' };
      const job = { image: DIGEST, files: [], command: 'echo a', cwd: '', env: {}, labels, limits };
      const result = await sandbox?.run(job, new AbortController().signal);
      expect(result?.output.map(({ bytes }) => Buffer.from(bytes).toString()).join('')).toBe('a\n');
    }
    expect(events.filter(({ type }) => type === 'engine.refused')).toEqual([]);
  });
});
