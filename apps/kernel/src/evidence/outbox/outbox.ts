// SPDX-License-Identifier: Apache-2.0
import type { SealedRecord } from '../records/index.ts';

/** Where a record goes once it is durable. */
export abstract class Outbox {
  /**
   * Hands records over for sending to the ledger, all that one transaction wrote together. Returns at once and never
   * throws. Callers MUST have committed their rows of kernel.outbox before; the rows, not this call, are what
   * guarantees that they are sent. `mayLinger`: nobody waits for these, so they may wait a moment for company.
   */
  abstract hand(records: readonly SealedRecord[], options?: { readonly mayLinger?: boolean }): void;
}
