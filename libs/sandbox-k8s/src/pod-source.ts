// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerSpec } from '@writ/sandbox-host';
import { isStatus } from './api-error.ts';
import { askApi, waitForApi, type ApiQuestion } from './api-requests.ts';
import { ImageFault } from './image-fault.ts';
import type { ReferenceOf } from './image-reference.ts';
import type { KubeApi } from './kube-api.ts';
import type { PodOwner } from './pod-shape.ts';
import type { PodState } from './pod-state.ts';
import type { PodWatch, Seen } from './pod-watch.ts';

/** What a source needs of its engine. */
export interface PodSourceContext {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly watch: PodWatch;
  readonly referenceOf: ReferenceOf;
  readonly runtimeClass?: string;
  readonly hostUsers?: boolean;
}

/** A pod that is asked for. */
export interface PodRequest {
  /** made up once: whatever has it is this request's */
  readonly name: string;
  readonly spec: ContainerSpec;
  readonly owner: PodOwner;
  /** `IP:port` of what must refuse it before it says hello */
  readonly refusedAt: readonly string[];
}

/** Where the pods of an engine come from. */
export interface PodSource {
  /** where the API server lists what this source makes for a request, which goes with its owner */
  readonly path: string;
  /** what that is, as questions call it */
  readonly what: 'pods' | 'claims';
  /** whether pods are there before it is known what must refuse them: the agent is told then */
  readonly tellsCanaries: boolean;
  /**
   * Begins to watch; resolves when the API server answered, or when it is known that it doesn't. Rejects where the
   * cluster lacks what the source needs, which it looks for again at each request.
   */
  open(): Promise<void>;
  /**
   * Resolves where the cluster has what the source needs, as of now; rejects with EngineNotReady that says what to do.
   */
  verify(signal: AbortSignal): Promise<void>;
  /**
   * Resolves with a pod in the shape of a sandbox whose container runs, and that is this request's alone. Rejects as
   * soon as it is known that there won't be one; the caller removes what may be left.
   */
  acquire(request: PodRequest): Promise<PodState>;
  /**
   * Removes what was made for a request, and its pod; resolves when the pod is gone, also when it was before. Rejects
   * when the cluster doesn't see to it.
   */
  remove(name: string): Promise<void>;
  /** The pod of a request; null where it has none yet. */
  podOf(name: string): string | null;
  /** That request is over: nothing is asked of it any more. */
  forget(name: string): void;
  close(): Promise<void>;
}

export const podsOf = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

/** How the pod stands once its container runs. Rejects as soon as it is known that it won't. */
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

/** An error, with what was waited for in vain. */
export function withReason(error: unknown, waitsFor: string | null): unknown {
  return waitsFor === null || !(error instanceof Error) || error.message.includes(waitsFor)
    ? error
    : new Error(`${error.message} (it waits: ${waitsFor})`, { cause: error });
}

/** Between two questions whether a pod is gone: only one that came and went while nobody watched isn't news by then. */
const GONE_MS = 5_000;

/** Deletes something with which a pod goes; resolves when the pod is gone, and also when all was gone before. */
export async function deleteWithPod(
  { api, namespace, watch }: PodSourceContext,
  [what, path]: readonly [what: ApiQuestion, path: string],
  pod: string,
): Promise<void> {
  const ending = new AbortController();
  const gone = watch.until(pod, (seen) => (seen === 'gone' ? true : null), ending.signal);
  gone.catch(() => undefined);
  try {
    await askApi(api, what, { method: 'DELETE', path });
    await waitForApi(api, 'see a pod gone', Promise.race([gone, askedGone(api, namespace, pod, ending.signal)]));
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  } finally {
    ending.abort();
  }
}

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
