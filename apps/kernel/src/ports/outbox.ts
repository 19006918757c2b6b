// SPDX-License-Identifier: Apache-2.0
import type { SealedRecord } from '../records/index.ts';

/** Where a record goes once it is durable. */
export abstract class Outbox {
  /**
   * Hands a record over for sending to the ledger. Returns at once and never throws. Callers MUST have committed the row of
   * kernel.outbox before; the row, not this call, is what guarantees that the record is sent. `mayLinger`: nobody waits for this one, so it may wait a
   * moment for company.
   */
  abstract hand(record: SealedRecord, options?: { readonly mayLinger?: boolean }): void;
}
