// SPDX-License-Identifier: Apache-2.0
import type { V1Lease } from '@kubernetes/client-node';
import { ApiError, isStatus } from './api-error.ts';
import { requestApi } from './api-requests.ts';
import type { KubeApi } from './kube-api.ts';
import { LEASE_S, leaseOf } from './lease-shape.ts';
import type { PodOwner } from './pod-shape.ts';

/** Interval of renewals, in milliseconds: three may fail before the executor counts as dead. */
const RENEW_MS = 10_000;
/** Pause before a retry of a failed renewal. */
const RETRY_MS = 2_000;

export interface OwnerLeaseOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** its holder, shown to operators */
  readonly holder: string;
  /** receives the reason of a failed renewal, once until one succeeds */
  readonly failed: (error: ApiError) => void;
}

/**
 * The Lease that owns the pods of this executor. The cluster collects a pod whose owner is deleted, even if no executor
 * runs. The Lease is in the pods' own namespace, as Kubernetes requires of an owner.
 */
export class OwnerLease {
  readonly #options: OwnerLeaseOptions;
  readonly #path: string;
  #lease: V1Lease | null = null;
  #renewedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #closed = false;
  #isReported = false;

  constructor(options: OwnerLeaseOptions) {
    this.#options = options;
    this.#path = leasesOf(options.namespace);
  }

  /**
   * The owner reference for a new pod. Rejects where the lease isn't held, and can't be now: such a pod would be swept.
   */
  async owner(): Promise<PodOwner> {
    if (performance.now() - this.#renewedAt > LEASE_S * 1000) await this.#renew();
    return { name: this.#options.name, uid: this.#lease?.metadata?.uid ?? '' };
  }

  /**
   * Acquires the lease and keeps renewing it; resolves at the first answer, or when the server is found not to answer.
   */
  async hold(): Promise<void> {
    this.#renewing = this.#renew().then(
      () => this.#renewAfter(RENEW_MS),
      (error: unknown) => {
        // The watch reports an unreachable server.
        if (error instanceof ApiError && !this.#isReported) this.#options.failed(error);
        this.#isReported = true;
        this.#renewAfter(RETRY_MS);
      },
    );
    await this.#renewing;
  }

  /** Deletes the lease, and with it everything that it still owns. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    if (this.#lease === null) return;
    // A lease that can't be deleted expires, and other executors sweep its pods.
    await requestApi(this.#options.api, 'delete a lease', {
      method: 'DELETE',
      path: `${this.#path}/${this.#options.name}`,
    }).catch(() => undefined);
  }

  #renewAfter(ms: number): void {
    if (this.#closed) return;
    // Jitter: executors that were started together don't renew together.
    this.#timer = setTimeout(() => void this.hold(), ms * (0.9 + Math.random() / 5)).unref();
  }

  async #renew(): Promise<void> {
    for (;;) {
      const at = performance.now();
      try {
        this.#lease = await this.#put();
        this.#renewedAt = at;
        this.#isReported = false;
        return;
      } catch (error) {
        // Another request was faster, or has deleted it: look again.
        if (!isStatus(error, 409) && !isStatus(error, 404)) throw error;
        this.#lease = await this.#find();
      }
    }
  }

  #put(): Promise<V1Lease> {
    const { api, name } = this.#options;
    const resourceVersion = this.#lease?.metadata?.resourceVersion;
    if (resourceVersion === undefined)
      return requestApi(api, 'hold its lease', { method: 'POST', path: this.#path, body: this.#body() });
    return requestApi(api, 'hold its lease', {
      method: 'PUT',
      path: `${this.#path}/${name}`,
      body: this.#body(resourceVersion),
    });
  }

  async #find(): Promise<V1Lease | null> {
    const { api, name } = this.#options;
    try {
      return await requestApi<V1Lease>(api, 'hold its lease', { method: 'GET', path: `${this.#path}/${name}` });
    } catch (error) {
      if (isStatus(error, 404)) return null;
      throw error;
    }
  }

  #body(resourceVersion?: string): V1Lease {
    const { name, namespace, labels, holder } = this.#options;
    const lease = leaseOf({ name, namespace, labels, holder, now: new Date() });
    return resourceVersion === undefined ? lease : { ...lease, metadata: { ...lease.metadata, resourceVersion } };
  }
}

export const leasesOf = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
