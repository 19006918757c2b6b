// SPDX-License-Identifier: Apache-2.0
import { SANDBOX_LIMITS, type SandboxImages } from '@writ/contract';
import { DockerSandbox } from '@writ/sandbox-docker';
import type { ContainerSandbox, SandboxEventListener, WarmPoolConfig } from '@writ/sandbox-host';
import { KubeApi, KubernetesSandbox, parseHostPort, referencesFrom } from '@writ/sandbox-k8s';
import type { ExecutorConfig } from '../config.env.ts';
import { dockerOf } from '../foundation/docker-of.ts';
import { sandboxSettings } from '../foundation/sandbox-settings.ts';
import { CONTAINER_TMPFS_BYTES } from './container-capacity.ts';

/** Sandboxes of the driver that is configured. Doesn't wait for its engine. */
export async function openSandbox(
  config: ExecutorConfig,
  owner: string,
  images: SandboxImages,
  report: SandboxEventListener,
): Promise<ContainerSandbox> {
  const settings = sandboxSettings(config);
  const common = {
    label: config.WRIT_SANDBOX_LABEL,
    owner,
    pools: poolsOf(config, images),
    prePopulated: config.WRIT_POOL_PREPOPULATED,
    report,
  };
  if (settings.driver === 'docker') {
    return await DockerSandbox.open({
      ...common,
      docker: dockerOf(settings.host),
      ...(settings.runtime === undefined ? {} : { runtime: settings.runtime }),
    });
  }
  const { namespace, image, canary, runtimeClass, hostUsers, warmPools, kubeconfig } = settings;
  return await KubernetesSandbox.open({
    ...common,
    namespace,
    ...(runtimeClass === undefined ? {} : { runtimeClass }),
    ...(hostUsers === undefined ? {} : { hostUsers }),
    ...(warmPools === undefined ? {} : { warmPools }),
    referenceOf: referencesFrom(image, config.WRIT_SANDBOX_IMAGE_DIGEST),
    canaries: [parseHostPort(canary)],
    api: await KubeApi.load(kubeconfig === undefined ? {} : { kubeconfig }),
  });
}

/** Images by digest alone: a tag may point to another image by the time that a container starts. */
function poolsOf(
  config: Pick<ExecutorConfig, 'WRIT_SANDBOX_IMAGE_DIGEST' | 'WRIT_POOL_SIZE'>,
  { images }: SandboxImages,
): WarmPoolConfig[] {
  const rows = [{ digest: config.WRIT_SANDBOX_IMAGE_DIGEST, pools: [{ count: config.WRIT_POOL_SIZE }] }, ...images];
  const sizeOf = ({ memory_bytes, pids }: { readonly memory_bytes?: number; readonly pids?: number }) => ({
    memoryBytes: memory_bytes ?? SANDBOX_LIMITS.memory_bytes,
    cpus: 1,
    pids: pids ?? SANDBOX_LIMITS.pids,
    tmpfsBytes: CONTAINER_TMPFS_BYTES,
  });
  return rows.flatMap(({ digest, pools = [] }) =>
    pools.map((pool) => ({ image: digest, size: sizeOf(pool), count: pool.count })),
  );
}
