// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHostMessage } from '@writ/sandbox';
import { AgentContainer, type ContainerSpec } from '@writ/sandbox-host';
import { isStatus } from './api-error.ts';
import { askApi, waitForApi } from './api-requests.ts';
import type { Canaries } from './canaries.ts';
import { isImage, type ReferenceOf } from './image-reference.ts';
import type { KubeApi } from './kube-api.ts';
import type { OwnerLease } from './owner-lease.ts';
import { PodMeter } from './pod-meter.ts';
import { podOf } from './pod-shape.ts';
import type { PodState } from './pod-state.ts';
import type { PodWatch, Seen } from './pod-watch.ts';
import { PodWire } from './pod-wire.ts';

/** What a start needs of its engine. */
export interface PodContext {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly watch: PodWatch;
  readonly lease: OwnerLease;
  readonly canaries: Canaries;
  readonly referenceOf: ReferenceOf;
  readonly runtimeClass?: string;
  readonly hostUsers?: boolean;
}

/**
 * Makes a pod, attaches to it and resolves when it is ready for a job: its image is the one that is asked for, its
 * agent has said hello, and the canaries have refused it. Rejects when the cluster can't; nothing of the pod is left
 * then.
 */
export async function startPod(context: PodContext, spec: ContainerSpec, name: string): Promise<AgentContainer> {
  const { api, namespace, watch } = context;
  const refusedAt = await context.canaries.standing();
  const owner = await context.lease.owner();
  const { image: digest, size, labels } = spec;
  const { runtimeClass, hostUsers } = context;
  const pod = podOf({
    name,
    namespace,
    image: context.referenceOf(digest),
    size,
    labels,
    owner,
    refusedAt,
    ...(runtimeClass === undefined ? {} : { runtimeClass }),
    ...(hostUsers === undefined ? {} : { hostUsers }),
  });
  try {
    await askApi(api, 'make a pod', { method: 'POST', path: podsOf(namespace), body: pod }).catch((error: unknown) => {
      // A name is made up once: the pod is ours, and only the answer to an earlier try was lost.
      if (!isStatus(error, 409)) throw error;
    });
    const { imageId } = await running(context, name);
    if (!isImage(imageId, digest))
      throw new Error(
        `the node runs the image \`${imageId}\` as \`${pod.spec?.containers[0]?.image}\`, ` +
          `and permits name \`${digest}\`: ` +
          'set WRIT_SANDBOX_IMAGE_DIGEST to its digest in kernels and executors, or load the right image',
      );
    const meter = new PodMeter(size);
    const wire = await PodWire.attach(api, namespace, name);
    const container = new AgentContainer({
      id: name,
      wire,
      remove: () => removePod(api, namespace, watch, name),
      usage: (told) => meter.tell(told),
    });
    container.measureBy(meter);
    await greet(api, container, wire.key, refusedAt);
    return container;
  } catch (error) {
    await removePod(api, namespace, watch, name).catch(() => undefined);
    throw error;
  }
}

/** Deletes a pod; resolves when it is gone, and also when it was before. Rejects when the cluster doesn't see to it. */
export async function removePod(api: KubeApi, namespace: string, watch: PodWatch, name: string): Promise<void> {
  const ending = new AbortController();
  const gone = watch.until(name, (seen) => (seen === 'gone' ? true : null), ending.signal);
  gone.catch(() => undefined);
  try {
    await askApi(api, 'delete a pod', { method: 'DELETE', path: `${podsOf(namespace)}/${name}` });
    await waitForApi(api, 'see a pod gone', Promise.race([gone, askedGone(api, namespace, name, ending.signal)]));
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  } finally {
    ending.abort();
  }
}

/** Between two questions whether a pod is gone: only one that came and went while nobody watched isn't news by then. */
const GONE_MS = 5_000;

/**
 * Resolves when the API server knows of no such pod, by asking: a pod that a watch has never seen is no news to it when
 * it goes.
 */
async function askedGone(api: KubeApi, namespace: string, name: string, signal: AbortSignal): Promise<true> {
  for (;;) {
    await sleep(GONE_MS, undefined, { signal });
    const isGone = await api.ask('look at a pod', { method: 'GET', path: `${podsOf(namespace)}/${name}`, signal }).then(
      () => false,
      (error: unknown) => isStatus(error, 404),
    );
    if (isGone) return true;
  }
}

/** How the pod stands once its container runs. Rejects as soon as it is known that it won't. */
async function running({ api, watch }: PodContext, name: string): Promise<PodState> {
  const ending = new AbortController();
  const take = (seen: Seen): PodState | null => {
    if (seen === 'gone') throw new Error('the pod was deleted before it ran');
    if (seen.failure !== null) throw new Error(`the pod doesn't run: ${seen.failure}`);
    return seen.isRunning && seen.imageId !== '' ? seen : null;
  };
  try {
    return await waitForApi(api, 'start a pod', watch.until(name, take, ending.signal));
  } catch (error) {
    const waitsFor = watch.stateOf(name)?.waitsFor;
    throw waitsFor === undefined || waitsFor === null || !(error instanceof Error)
      ? error
      : new Error(`${error.message} (it waits: ${waitsFor})`, { cause: error });
  } finally {
    ending.abort();
  }
}

/**
 * Resolves when the agent answers, and says that every canary has refused it: one of an earlier image knows of none.
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

export const podsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
