// SPDX-License-Identifier: Apache-2.0
import type { V1Lease, V1LeaseList, V1ObjectMeta } from '@kubernetes/client-node';
import { isStatus } from './api-error.ts';
import { requestApi, type ApiOperation } from './api-requests.ts';
import type { KubeApi } from './kube-api.ts';
import { LEASE_S } from './lease-shape.ts';
import { leasesOf } from './owner-lease.ts';
import type { PodSource } from './pod-source.ts';

/** A lease without a renewal for this long, by our own clock, belongs to a dead executor: twice its duration. */
const DEAD_MS = 2 * LEASE_S * 1000;
/** A lease whose own timestamp is this old expired before we started, whatever the difference of the clocks. */
const LONG_DEAD_MS = 60 * 60 * 1000;

/** Pods or claims. */
interface Listed {
  readonly items: readonly { readonly metadata?: V1ObjectMeta }[];
}

export interface SweepOptions {
  readonly api: KubeApi;
  /** the objects that create or own pods */
  readonly source: Pick<PodSource, 'path' | 'what'>;
  readonly namespace: string;
  /** labels of all these objects and of leases, of any owner */
  readonly selector: string;
  /** the label that names an owner, with this executor's value */
  readonly owner: readonly [name: string, value: string];
}

/** Removes pods or claims without an owner, and the leases of dead executors. Every executor does so for all. */
export class Sweep {
  readonly #options: SweepOptions;
  /** leases by name, with the time at which their present version was first seen */
  readonly #seen = new Map<string, { readonly version: string; readonly at: number }>();

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  /** Returns the number of removed objects. Rejects where the API server doesn't answer. */
  async sweep(isOurs: (name: string) => boolean): Promise<number> {
    const {
      api,
      source: { path, what },
      namespace,
      selector,
      owner: [ownerLabel, ownerValue],
    } = this.#options;
    // In this order: a lease exists before the first pod or claim that it owns.
    const found = await requestApi<Listed>(api, `list ${what}`, {
      method: 'GET',
      path,
      query: { labelSelector: selector },
    });
    const { items } = await requestApi<V1LeaseList>(api, 'list leases', {
      method: 'GET',
      path: leasesOf(namespace),
      query: { labelSelector: selector },
    });
    const dead = new Set(items.filter((lease) => this.#isDead(lease)).map(({ metadata }) => metadata?.uid));
    const owners = new Set(items.map(({ metadata }) => metadata?.uid).filter((uid) => !dead.has(uid)));
    const left = found.items.filter(({ metadata }) => {
      if (metadata?.labels?.[ownerLabel] === ownerValue) return !isOurs(metadata.name ?? '');
      return !(metadata?.ownerReferences ?? []).some(({ uid }) => owners.has(uid));
    });
    for (const lease of items) if (dead.has(lease.metadata?.uid)) await this.#end(lease);
    const question = what === 'pods' ? 'delete a pod' : 'delete a claim';
    await Promise.all(left.map(({ metadata }) => this.#delete(question, `${path}/${metadata?.name}`)));
    return left.length;
  }

  #isDead({ metadata, spec }: V1Lease): boolean {
    const [ownerLabel, ownerValue] = this.#options.owner;
    // Our own lease, even if its renewal is late: this process is alive.
    if (metadata?.labels?.[ownerLabel] === ownerValue) return false;
    const [name, version, now] = [metadata?.name ?? '', metadata?.resourceVersion ?? '', performance.now()];
    const seen = this.#seen.get(name);
    if (seen?.version !== version) this.#seen.set(name, { version, at: now });
    else if (now - seen.at > DEAD_MS) return true;
    return Date.now() - Date.parse(String(spec?.renewTime ?? '')) > LONG_DEAD_MS;
  }

  /** Unless it was renewed meanwhile. */
  async #end({ metadata }: V1Lease): Promise<void> {
    const preconditions = { uid: metadata?.uid, resourceVersion: metadata?.resourceVersion };
    await this.#delete('delete a lease', `${leasesOf(this.#options.namespace)}/${metadata?.name}`, {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
    });
    this.#seen.delete(metadata?.name ?? '');
  }

  /** 404 and 409 are fine: the object is gone, or its owner renewed it. */
  async #delete(question: ApiOperation, path: string, body?: object): Promise<void> {
    try {
      await requestApi(this.#options.api, question, { method: 'DELETE', path, body });
    } catch (error) {
      if (!isStatus(error, 404) && !isStatus(error, 409)) throw error;
    }
  }
}
