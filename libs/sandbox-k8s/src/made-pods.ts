// SPDX-License-Identifier: Apache-2.0
import { isStatus } from './api-error.ts';
import { requestApi } from './api-requests.ts';
import { podOf } from './pod-shape.ts';
import {
  deleteWithPod,
  podsOf,
  untilRunning,
  type PodRequest,
  type PodSource,
  type PodSourceContext,
} from './pod-source.ts';
import type { PodState } from './pod-state.ts';

/** Pods that this executor creates itself. */
export class MadePods implements PodSource {
  readonly what = 'pods';
  readonly sendsCanaries = false;
  readonly path: string;
  readonly #context: PodSourceContext;

  constructor(context: PodSourceContext) {
    this.#context = context;
    this.path = podsOf(context.namespace);
  }

  async open(): Promise<void> {
    // The engine itself watches pods.
  }

  async verify(): Promise<void> {
    // Every cluster has pods.
  }

  async acquire({ name, spec, owner, refusedAt }: PodRequest): Promise<PodState> {
    const { api, namespace, referenceOf, runtimeClass, hostUsers } = this.#context;
    const { image, size, labels } = spec;
    const pod = podOf({
      name,
      namespace,
      image: referenceOf(image),
      size,
      labels,
      owner,
      refusedAt,
      ...(runtimeClass === undefined ? {} : { runtimeClass }),
      ...(hostUsers === undefined ? {} : { hostUsers }),
    });
    await requestApi(api, 'make a pod', { method: 'POST', path: this.path, body: pod }).catch((error: unknown) => {
      // Names are unique, so the pod is ours: an earlier try created it, and only its answer was lost.
      if (!isStatus(error, 409)) throw error;
    });
    return await untilRunning(this.#context, name);
  }

  async remove(name: string): Promise<void> {
    await deleteWithPod(this.#context, ['delete a pod', `${this.path}/${name}`], name);
  }

  podOf(name: string): string {
    return name;
  }

  forget(): void {
    // The watch forgets a pod when it is gone.
  }

  async close(): Promise<void> {
    // There is nothing to release.
  }
}
