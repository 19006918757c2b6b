// SPDX-License-Identifier: Apache-2.0
import type { AttemptCredentials } from '../foundation/kernel-client.ts';
import type { Lease } from './lease.ts';

/** The attempts that run in this executor, so that a `stop` event finds their leases. */
export class RunningAttempts {
  readonly #leases = new Map<string, Lease>();

  add(credentials: AttemptCredentials, lease: Lease): void {
    this.#leases.set(keyOf(credentials), lease);
  }

  remove(credentials: AttemptCredentials, lease: Lease): void {
    // A newer attempt of the same operation may have replaced this one.
    if (this.#leases.get(keyOf(credentials)) === lease) this.#leases.delete(keyOf(credentials));
  }

  /** Stops the run of the operation. A preview of the same call has its own lease and continues. */
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
