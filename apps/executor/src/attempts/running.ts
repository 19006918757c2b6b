// SPDX-License-Identifier: Apache-2.0
import type { AttemptCredentials } from '../foundation/kernel-client.ts';
import type { Lease } from './lease.ts';

/** The attempts that run here, so that a `stop` event finds its lease. */
export class Running {
  readonly #leases = new Map<string, Lease>();

  add(speaker: AttemptCredentials, lease: Lease): void {
    this.#leases.set(keyOf(speaker), lease);
  }

  remove(speaker: AttemptCredentials, lease: Lease): void {
    // A newer attempt of the same operation may have taken the place.
    if (this.#leases.get(keyOf(speaker)) === lease) this.#leases.delete(keyOf(speaker));
  }

  /** A preview of the same call is fenced by its own lease: what is said of the run isn't said of it. */
  stop(operationId: string): void {
    this.#leases
      .get(keyOf({ operation_id: operationId, mode: 'run' }))
      ?.stop('the call was cancelled or its token revoked', 'stopped');
  }

  stopAll(): void {
    for (const lease of this.#leases.values()) lease.stop('the executor stops', 'stopping');
  }
}

const keyOf = ({ operation_id, mode }: Pick<AttemptCredentials, 'operation_id' | 'mode'>): string =>
  `${operation_id} ${mode}`;
