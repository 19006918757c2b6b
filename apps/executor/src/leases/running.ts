// SPDX-License-Identifier: Apache-2.0
import type { Speaker } from '../support/kernel-client.ts';
import type { Lease } from './lease.ts';

/** The attempts that run here, so that a `stop` event finds its lease. */
export class Running {
  readonly #leases = new Map<string, Lease>();

  add(speaker: Speaker, lease: Lease): void {
    this.#leases.set(speaker.operation_id, lease);
  }

  remove(speaker: Speaker, lease: Lease): void {
    // A newer attempt of the same operation may have taken the place.
    if (this.#leases.get(speaker.operation_id) === lease) this.#leases.delete(speaker.operation_id);
  }

  stop(operationId: string): void {
    this.#leases.get(operationId)?.stop('the call was cancelled or its token revoked');
  }

  stopAll(): void {
    for (const lease of this.#leases.values()) lease.stop('the executor stops');
  }
}
