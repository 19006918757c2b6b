// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerSpec } from '@writ/sandbox-host';
import { isStatus } from './api-error.ts';
import { requestApi, waitForApi, type ApiOperation } from './api-requests.ts';
import { ImageFault } from './image-fault.ts';
import type { ReferenceOf } from './image-reference.ts';
import type { KubeApi } from './kube-api.ts';
import type { PodOwner } from './pod-shape.ts';
import type { PodState } from './pod-state.ts';
import type { PodWatch, Seen } from './pod-watch.ts';

/** The parts of the engine that a source uses. */
export interface PodSourceContext {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly watch: PodWatch;
  readonly referenceOf: ReferenceOf;
  readonly runtimeClass?: string;
  readonly hostUsers?: boolean;
}

/** A request for a pod. */
export interface PodRequest {
  /** a unique name: an object with this name belongs to this request */
  readonly name: string;
  readonly spec: ContainerSpec;
  readonly owner: PodOwner;
  /** `IP:port` of addresses that must refuse it before it says hello */
  readonly refusedAt: readonly string[];
}

/** The source of an engine's pods. */
export interface PodSource {
  /** where the API server lists the objects that this source makes for requests; they are deleted with their owner */
  readonly path: string;
  /** the kind of these objects, for error messages */
  readonly what: 'pods' | 'claims';
  /** whether pods exist before their canaries are known: the agent then receives them later */
  readonly sendsCanaries: boolean;
  /**
   * Starts to watch; resolves when the API server has answered, or is found not to answer. Rejects where the cluster
   * lacks kinds that the source needs; each request checks for them again.
   */
  open(): Promise<void>;
  /**
   * Resolves where the cluster now has the kinds that the source needs; rejects with EngineNotReady that names the
   * remedy.
   */
  verify(signal: AbortSignal): Promise<void>;
  /**
   * Resolves with a running pod in the shape of a sandbox, for this request alone. Rejects as soon as the pod is found
   * to be impossible; the caller removes its remains.
   */
  acquire(request: PodRequest): Promise<PodState>;
  /**
   * Removes the objects of a request, and its pod. Resolves when the pod is gone, also when it was gone before. Rejects
   * when the cluster doesn't remove it.
   */
  remove(name: string): Promise<void>;
  /** The pod of a request; null where it has none yet. */
  podOf(name: string): string | null;
  /** Drops all data about a finished request. */
  forget(name: string): void;
  close(): Promise<void>;
}

export const podsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

/** The state of the pod once its container runs. Rejects as soon as it is found that it won't run. */
export async function untilRunning({ api, watch }: PodSourceContext, name: string): Promise<PodState> {
  const ending = new AbortController();
  const take = (seen: Seen): PodState | null => {
    if (seen === 'gone') throw new Error('the pod was deleted before it ran');
    if (seen.failure !== null) {
      const detail = `the pod doesn't run: ${seen.failure}`;
      throw seen.isImageFailure ? new ImageFault(detail) : new Error(detail);
    }
    return seen.isRunning && seen.imageId !== '' ? seen : null;
  };
  try {
    return await waitForApi(api, 'start a pod', watch.until(name, take, ending.signal));
  } catch (error) {
    throw withReason(error, watch.stateOf(name)?.waitsFor ?? null);
  } finally {
    ending.abort();
  }
}

/** The error, with the reason of the wait. */
export function withReason(error: unknown, waitsFor: string | null): unknown {
  return waitsFor === null || !(error instanceof Error) || error.message.includes(waitsFor)
    ? error
    : new Error(`${error.message} (it waits: ${waitsFor})`, { cause: error });
}

/**
 * Interval of checks whether a pod is gone: a watch doesn't report a pod that came and went while it was interrupted.
 */
const GONE_MS = 5_000;

/** Deletes an object that owns a pod; resolves when the pod is gone, and also when both were gone before. */
export async function deleteWithPod(
  { api, namespace, watch }: PodSourceContext,
  [what, path]: readonly [what: ApiOperation, path: string],
  pod: string,
): Promise<void> {
  const ending = new AbortController();
  const gone = watch.until(pod, (seen) => (seen === 'gone' ? true : null), ending.signal);
  gone.catch(() => undefined);
  try {
    await requestApi(api, what, { method: 'DELETE', path });
    await waitForApi(api, 'see a pod gone', Promise.race([gone, pollUntilGone(api, namespace, pod, ending.signal)]));
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  } finally {
    ending.abort();
  }
}

/** Polls until the API server has no such pod: a watch that has never seen a pod doesn't report its end. */
async function pollUntilGone(api: KubeApi, namespace: string, name: string, signal: AbortSignal): Promise<true> {
  for (;;) {
    await sleep(GONE_MS, undefined, { signal });
    const isGone = await api
      .request('look at a pod', { method: 'GET', path: `${podsOf(namespace)}/${name}`, signal })
      .then(
        () => false,
        (error: unknown) => isStatus(error, 404),
      );
    if (isGone) return true;
  }
}
