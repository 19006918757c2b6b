// SPDX-License-Identifier: Apache-2.0
// The driver with the executor's token, in the chart's namespace of sandboxes, and jobs for it.
import { SANDBOX_LIMITS } from '@writ/contract';
import { KubeApi, KubernetesSandbox, referencesFrom, type KubernetesSandboxConfig } from '@writ/sandbox-k8s';
import { DIGEST, REFERENCE } from '@writ/sandbox-k8s/contract';
import { MIB, type ReleaseOnCluster } from './release.contract.ts';

type Job = Parameters<KubernetesSandbox['run']>[0];

/** The largest sandbox. */
export const SIZE = { cpus: 1, memoryBytes: SANDBOX_LIMITS.memory_bytes, pids: 256, tmpfsBytes: 512 * MIB };

/** Opens the driver of an installed release. */
export const openDriver = async (
  release: ReleaseOnCluster,
  config: Partial<KubernetesSandboxConfig>,
): Promise<KubernetesSandbox> =>
  KubernetesSandbox.open({
    api: await KubeApi.load({ kubeconfig: release.executorConfig }),
    namespace: release.sandboxes,
    label: release.name,
    owner: 'exe_01m8k1ce1jepkv3200psvtvr36',
    pools: [],
    referenceOf: referencesFrom(REFERENCE, DIGEST),
    canaries: [],
    ...config,
  });

/** A job that prints a word. */
export const jobOf = (word: string, memoryBytes = SIZE.memoryBytes): Job => ({
  image: DIGEST,
  files: [],
  command: `echo ${word}`,
  cwd: '',
  env: {},
  labels: { 'writ.operation': 'op_1' },
  limits: { ...SIZE, memoryBytes, wallMs: 60_000, cpuMs: 60_000, outputBytes: 1_000, deltaBytes: MIB, deltaFiles: 10 },
});

/** The output of a job. */
export const printed = ({ output }: Awaited<ReturnType<KubernetesSandbox['run']>>): string =>
  output.map(({ bytes }) => Buffer.from(bytes).toString()).join('');
