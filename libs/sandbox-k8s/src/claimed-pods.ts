// SPDX-License-Identifier: Apache-2.0
/**
 * Pods that the controller of kubernetes-sigs/agent-sandbox makes and keeps warm; a SandboxClaim obtains each.
 *
 * INVARIANT (one claim, one call): a claim is made for one container and deleted with it. The controller never gives
 * the Sandbox of a claim to another one, and deletes its pod.
 * INVARIANT (shape): no byte is sent to a pod unless it equals the pod that this driver would have made, whatever a
 * template contains.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1Pod, V1PodSpec } from '@kubernetes/client-node';
import type { SandboxEventListener } from '@writ/sandbox-host';
import { assertClaims, claimOf, claimsOf, warmPoolOf } from './agent-sandbox.ts';
import { ApiError, isStatus } from './api-error.ts';
import { requestApi, waitForApi } from './api-requests.ts';
import { claimStateOf, type ClaimState, type SandboxClaim } from './claim-state.ts';
import { podFault } from './pod-fault.ts';
import { specOf } from './pod-shape.ts';
import {
  deleteWithPod,
  podsOf,
  untilRunning,
  withReason,
  type PodRequest,
  type PodSource,
  type PodSourceContext,
} from './pod-source.ts';
import type { PodState } from './pod-state.ts';
import { ObjectWatch, type Seen } from './pod-watch.ts';

/** Longer than any server takes to list its APIs. */
const VERIFY_MS_MAX = 10_000;
/** Pause between two looks for a pod that doesn't exist yet, in milliseconds, and the time limit of looking. */
const FOUND_MS = 100;
const FOUND_MS_MAX = 10_000;

export interface ClaimedPodsOptions extends PodSourceContext {
  /** prefix of the names of SandboxWarmPools */
  readonly warmPools: string;
  /** labels of every sandbox's pod in the namespace, of any owner; templates contain them */
  readonly common: Readonly<Record<string, string>>;
  /** labels of this executor's claims */
  readonly selector: string;
  readonly report: SandboxEventListener;
}

export class ClaimedPods implements PodSource {
  readonly what = 'claims';
  readonly sendsCanaries = true;
  readonly path: string;
  readonly #options: ClaimedPodsOptions;
  readonly #claims: ObjectWatch<SandboxClaim, ClaimState>;
  /** pods by their claims */
  readonly #pods = new Map<string, string>();
  #isVerified = false;

  constructor(options: ClaimedPodsOptions) {
    this.#options = options;
    this.path = claimsOf(options.namespace);
    this.#claims = new ObjectWatch({
      api: options.api,
      what: 'claims',
      path: this.path,
      selector: options.selector,
      stateOf: claimStateOf,
      // The watch of pods reports an unreachable server, and `verify` reports missing CRDs.
      report: (event) => {
        if (event.type !== 'engine.lost' || !(event.error instanceof ApiError) || event.error.status === 404) return;
        options.report({ type: 'engine.refused', error: event.error });
      },
      back: () => undefined,
    });
  }

  async open(): Promise<void> {
    await this.#claims.start();
    await this.verify(AbortSignal.timeout(VERIFY_MS_MAX));
  }

  async verify(signal: AbortSignal): Promise<void> {
    await assertClaims(this.#options.api, signal);
    this.#isVerified = true;
  }

  async acquire(request: PodRequest): Promise<PodState> {
    if (!this.#isVerified) await this.verify(AbortSignal.timeout(VERIFY_MS_MAX));
    const expected = this.#specOf(request);
    const sandbox = await this.#claim(request);
    // The controller gives a pod the name of its Sandbox.
    this.#pods.set(request.name, sandbox);
    await this.#examine(sandbox, expected);
    return await untilRunning(this.#options, sandbox);
  }

  async remove(name: string): Promise<void> {
    const claim = ['delete a claim', `${this.path}/${name}`] as const;
    const pod = this.podOf(name) ?? this.#claims.stateOf(name)?.sandbox ?? null;
    if (pod !== null) return await deleteWithPod(this.#options, claim, pod);
    await requestApi(this.#options.api, claim[0], { method: 'DELETE', path: claim[1] }).catch((error: unknown) => {
      if (!isStatus(error, 404)) throw error;
    });
  }

  podOf(name: string): string | null {
    return this.#pods.get(name) ?? null;
  }

  forget(name: string): void {
    this.#pods.delete(name);
  }

  async close(): Promise<void> {
    await this.#claims.close();
  }

  /** Creates a claim; resolves with the name of the Sandbox that it is bound to. */
  async #claim({ name, spec: { image, size, labels }, owner }: PodRequest): Promise<string> {
    const { api, namespace, warmPools } = this.#options;
    const warmPool = warmPoolOf(warmPools, image, size);
    const body = claimOf({ name, namespace, labels, owner, warmPool, now: new Date() });
    await requestApi(api, 'make a claim', { method: 'POST', path: this.path, body }).catch((error: unknown) => {
      // Names are unique, so the claim is ours: an earlier try created it, and only its answer was lost.
      if (!isStatus(error, 409)) throw error;
    });
    const ending = new AbortController();
    const take = (seen: Seen<ClaimState>): string | null => {
      if (seen === 'gone') throw new Error('the claim was deleted before it had a sandbox');
      if (seen.failure === null) return seen.sandbox;
      const of = `${size.memoryBytes} bytes of memory and \`${image}\``;
      const hint = `it takes a SandboxWarmPool \`${warmPool}\` for ${of}`;
      throw new Error(`the claim gets no sandbox: ${seen.failure} (${hint})`);
    };
    try {
      return await waitForApi(api, 'bind a claim to a sandbox', this.#claims.until(name, take, ending.signal));
    } catch (error) {
      throw withReason(error, this.#claims.stateOf(name)?.waitsFor ?? null);
    } finally {
      ending.abort();
    }
  }

  /** The pod spec that this executor would have used. Throws an Error where it runs no such image. */
  #specOf({ spec: { image, size } }: PodRequest): V1PodSpec {
    const { referenceOf, runtimeClass, hostUsers } = this.#options;
    return specOf({
      image: referenceOf(image),
      size,
      refusedAt: [],
      ...(runtimeClass === undefined ? {} : { runtimeClass }),
      ...(hostUsers === undefined ? {} : { hostUsers }),
    });
  }

  /** Rejects where the pod of a Sandbox differs from the one that this executor would have made. */
  async #examine(sandbox: string, spec: V1PodSpec): Promise<void> {
    const fault = podFault(await this.#find(sandbox), { spec, labels: this.#options.common, sandbox });
    if (fault !== null)
      throw new Error(
        `the pod \`${sandbox}\` of the claim isn't a sandbox as this executor makes them: ${fault}; ` +
          'mend its SandboxTemplate, or find out what changes pods on their way',
      );
  }
  /** The pod of a Sandbox: one that isn't warm is created a moment after the Sandbox. */
  async #find(sandbox: string): Promise<V1Pod> {
    const { api, namespace } = this.#options;
    const path = `${podsOf(namespace)}/${sandbox}`;
    const end = performance.now() + FOUND_MS_MAX;
    for (;;) {
      try {
        return await requestApi<V1Pod>(api, 'look at a pod', { method: 'GET', path });
      } catch (error) {
        if (!isStatus(error, 404) || performance.now() > end) throw error;
        await sleep(FOUND_MS);
      }
    }
  }
}
