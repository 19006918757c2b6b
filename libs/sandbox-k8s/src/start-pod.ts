// SPDX-License-Identifier: Apache-2.0
import { encodeHostMessage } from '@writ/sandbox';
import { AgentContainer, type ContainerSpec } from '@writ/sandbox-host';
import { waitForApi } from './api-requests.ts';
import type { Canaries } from './canaries.ts';
import { ImageFault } from './image-fault.ts';
import { isImage, type ReferenceOf } from './image-reference.ts';
import type { KubeApi } from './kube-api.ts';
import type { OwnerLease } from './owner-lease.ts';
import { PodMeter } from './pod-meter.ts';
import type { PodSource } from './pod-source.ts';
import { PodWire } from './pod-wire.ts';

/** The parts of the engine that a start uses. */
export interface PodContext {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly source: PodSource;
  readonly lease: OwnerLease;
  readonly canaries: Canaries;
  readonly referenceOf: ReferenceOf;
}

/**
 * Acquires a pod and attaches to it. Resolves when it is ready for a job: it runs the requested image, its agent has
 * said hello, and the canaries have refused it. Rejects when the cluster fails; the pod is removed then.
 */
export async function startPod(context: PodContext, spec: ContainerSpec, name: string): Promise<AgentContainer> {
  const { api, namespace, source } = context;
  const refusedAt = await context.canaries.reachableAddresses();
  const owner = await context.lease.owner();
  const { image: digest, size } = spec;
  try {
    const { name: pod, imageId } = await source.acquire({ name, spec, owner, refusedAt });
    if (!isImage(imageId, digest))
      throw new ImageFault(
        `the node runs the image \`${imageId}\` as \`${context.referenceOf(digest)}\`, ` +
          `and permits name \`${digest}\``,
      );
    const meter = new PodMeter(size);
    const wire = await PodWire.attach(api, namespace, pod);
    const container = new AgentContainer({
      id: name,
      wire,
      remove: () => source.remove(name),
      usage: (reported) => meter.report(reported),
    });
    container.measureBy(meter);
    if (source.sendsCanaries) container.post(encodeHostMessage({ type: 'canaries', refusedAt }));
    await greet(api, container, wire.key, refusedAt);
    return container;
  } catch (error) {
    await source.remove(name).catch(() => undefined);
    source.forget(name);
    throw error;
  }
}

/**
 * Resolves when the agent answers and reports that every canary refused it. Rejects where the agent's image is too old
 * to support canaries.
 */
async function greet(
  api: KubeApi,
  container: AgentContainer,
  key: Buffer,
  refusedAt: readonly string[],
): Promise<void> {
  const hello = container.hello();
  container.post(encodeHostMessage({ type: 'greet', key }));
  const { refusedAt: told = [] } = await waitForApi(api, 'get an answer from an agent', hello);
  const open = refusedAt.filter((address) => !told.includes(address));
  if (open.length > 0)
    throw new Error(
      `the agent doesn't say that ${open.join(' and ')} refused it: build the sandbox image of this version`,
    );
}
