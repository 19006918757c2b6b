// SPDX-License-Identifier: Apache-2.0
import type { ReceiptState } from '@writ/contract';
import { runStatement } from '@writ/database';
import { LRUCache } from 'lru-cache';
import { Receipts, type AwaitedRecord } from './receipts.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';

/** Records cached after they were logged: those of the last few seconds of a busy replica. Older ones are looked up. */
const REMEMBERED_MAX = 20_000;
/** How often a record that another replica sends is looked for, in milliseconds. */
const LOOK_MS = 40;

/** The position of a record in its log. */
export interface Logged {
  readonly leaf_index: number;
  readonly tree_size: number;
}

/** Knows the positions of records that this replica has sent, and asks the database about the others. */
export class LogPositionTracker extends Receipts {
  readonly #workers: CrossTenantPool;
  readonly #logged = new LRUCache<string, Logged>({ max: REMEMBERED_MAX });
  readonly #waiting = new Map<string, Set<(logged: Logged) => void>>();

  constructor(workers: CrossTenantPool) {
    super();
    this.#workers = workers;
  }

  /** The ledger has answered for the record. */
  noteLogged(recordId: string, logged: Logged): void {
    this.#logged.set(recordId, logged);
    for (const tell of this.#waiting.get(recordId) ?? []) tell(logged);
    this.#waiting.delete(recordId);
  }

  override async wait(record: AwaitedRecord, waitMs: number): Promise<ReceiptState> {
    const known = this.#logged.get(record.record_id);
    if (known !== undefined) return logged(record, known);
    const until = performance.now() + waitMs;
    for (;;) {
      const heard = await this.#hear(record.record_id, Math.min(LOOK_MS, until - performance.now()));
      if (heard !== null) return logged(record, heard);
      // The database is asked only now: what this replica sends is mostly logged by then.
      if (!(await this.#isOutstanding(record.record_id)))
        return logged(record, this.#logged.get(record.record_id) ?? null);
      if (performance.now() >= until) return stateOf(record, 'pending', null);
    }
  }

  /** Resolves when the record is logged from here, or with null after the time. */
  async #hear(recordId: string, ms: number): Promise<Logged | null> {
    if (ms <= 0) return null;
    const tellers = this.#waiting.get(recordId) ?? new Set();
    this.#waiting.set(recordId, tellers);
    return await new Promise((resolve) => {
      const timer = setTimeout(() => {
        tellers.delete(tell);
        if (tellers.size === 0 && this.#waiting.get(recordId) === tellers) this.#waiting.delete(recordId);
        resolve(null);
      }, ms);
      const tell = (heard: Logged): void => {
        clearTimeout(timer);
        resolve(heard);
      };
      tellers.add(tell);
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

const logged = (record: AwaitedRecord, where: Logged | null): ReceiptState => stateOf(record, 'logged', where);

function stateOf(
  { operation_id, record_id }: AwaitedRecord,
  state: ReceiptState['state'],
  where: Logged | null,
): ReceiptState {
  return {
    state,
    record_id,
    href: `/v1/operations/${operation_id}/receipt`,
    leaf_index: where?.leaf_index ?? null,
    tree_size: where?.tree_size ?? null,
  };
}
