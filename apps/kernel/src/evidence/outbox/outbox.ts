// SPDX-License-Identifier: Apache-2.0
import type { SealedRecord } from '../records/index.ts';

/** Receives records once they are durable, and sends them to the ledger. */
export abstract class Outbox {
  /**
   * Hands records over for sending to the ledger, all that one transaction wrote together. Returns at once and never
   * throws. Callers MUST have committed their rows of kernel.outbox before; the rows, not this call, are what
   * guarantees that they are sent. `mayLinger`: no caller waits for these records, so they may wait a moment for others
   * to form a batch.
   */
  abstract enqueue(records: readonly SealedRecord[], options?: { readonly mayLinger?: boolean }): void;
}
