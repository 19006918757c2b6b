// SPDX-License-Identifier: Apache-2.0
import type { ReceiptState } from '@writ/contract';

/** The record that a caller waits for. */
export interface AwaitedRecord {
  readonly tenant_id: string;
  readonly operation_id: string;
  readonly record_id: string;
}

/** The state of records on their way to the log. */
export abstract class Receipts {
  /**
   * Resolves when the ledger has answered for the record, or after `waitMs` with `pending`; never rejects for lateness.
   * Callers MUST have read the record's id from the database: a record without a row waiting counts as logged.
   * `leaf_index` and `tree_size` are null where another replica sent it.
   */
  abstract wait(record: AwaitedRecord, waitMs: number): Promise<ReceiptState>;
}
