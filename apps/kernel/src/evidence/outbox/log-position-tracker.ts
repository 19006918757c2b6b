// SPDX-License-Identifier: Apache-2.0
import type { ReceiptState } from '@writ/contract';
import { runStatement } from '@writ/database';
import { LRUCache } from 'lru-cache';
import { Receipts, type AwaitedRecord } from './receipts.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Records cached after they were logged: those of the last few seconds of a busy replica. Older ones are looked up. */
const REMEMBERED_MAX = 20_000;
/** How often a record that another replica sends is looked for, in milliseconds. */
const POLL_MS = 40;

/** The position of a record in its log. */
export interface LogPosition {
  readonly leaf_index: number;
  readonly tree_size: number;
}

/** Caches the positions of records that this replica has sent, and queries the database for the others. */
export class LogPositionTracker extends Receipts {
  readonly #workers: CrossTenantPool;
  readonly #logged = new LRUCache<string, LogPosition>({ max: REMEMBERED_MAX });
  readonly #waiting = new Map<string, Set<(logged: LogPosition) => void>>();

  constructor(workers: CrossTenantPool) {
    super();
    this.#workers = workers;
  }

  /** The ledger has confirmed the record. */
  noteLogged(recordId: string, logged: LogPosition): void {
    this.#logged.set(recordId, logged);
    for (const notify of this.#waiting.get(recordId) ?? []) notify(logged);
    this.#waiting.delete(recordId);
  }

  override async wait(record: AwaitedRecord, waitMs: number): Promise<ReceiptState> {
    const cached = this.#logged.get(record.record_id);
    if (cached !== undefined) return logged(record, cached);
    const until = performance.now() + waitMs;
    for (;;) {
      const position = await this.#waitUntilLogged(record.record_id, Math.min(POLL_MS, until - performance.now()));
      if (position !== null) return logged(record, position);
      // It queries the database only now: records that this replica sends are mostly logged by then.
      if (!(await this.#isOutstanding(record.record_id)))
        return logged(record, this.#logged.get(record.record_id) ?? null);
      if (performance.now() >= until) return stateOf(record, 'pending', null);
    }
  }

  /** Resolves when this replica has had the record logged, or with null after the time. */
  async #waitUntilLogged(recordId: string, ms: number): Promise<LogPosition | null> {
    if (ms <= 0) return null;
    const listeners = this.#waiting.get(recordId) ?? new Set();
    this.#waiting.set(recordId, listeners);
    return await new Promise((resolve) => {
      const timer = setTimeout(() => {
        listeners.delete(notify);
        if (listeners.size === 0 && this.#waiting.get(recordId) === listeners) this.#waiting.delete(recordId);
        resolve(null);
      }, ms);
      const notify = (position: LogPosition): void => {
        clearTimeout(timer);
        resolve(position);
      };
      listeners.add(notify);
    });
  }

  async #isOutstanding(recordId: string): Promise<boolean> {
    const { rowCount } = await runStatement(this.#workers.pool, {
      name: 'kernel.outstanding',
      text: 'SELECT 1 FROM kernel.outbox WHERE record_id = $1',
      values: [recordId],
    });
    return rowCount !== 0;
  }
}

const logged = (record: AwaitedRecord, position: LogPosition | null): ReceiptState =>
  stateOf(record, 'logged', position);

function stateOf(
  { operation_id, record_id }: AwaitedRecord,
  state: ReceiptState['state'],
  position: LogPosition | null,
): ReceiptState {
  return {
    state,
    record_id,
    href: `/v1/operations/${operation_id}/receipt`,
    leaf_index: position?.leaf_index ?? null,
    tree_size: position?.tree_size ?? null,
  };
}
