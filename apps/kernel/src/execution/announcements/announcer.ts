// SPDX-License-Identifier: Apache-2.0
import { isFinal } from '@writ/contract';
import type { WakeUp } from './wake-up.ts';
import type { Events, OperationChange } from './events.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import type { SealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** Is notified of every new head that this replica has committed. */
export interface HeadListener {
  moved(tenantId: string, workspaceId: string, head: string): void;
}

/**
 * Notifies waiting callers of what a COMMIT changed. Every notification may be lost: sweepers and polls find the same
 * in the database.
 */
export class Announcer {
  readonly #outbox: Outbox;
  readonly #wakeUp: WakeUp;
  readonly #events: Events;
  readonly #heads: HeadListener;

  constructor(outbox: Outbox, wakeUp: WakeUp, events: Events, heads: HeadListener) {
    this.#outbox = outbox;
    this.#wakeUp = wakeUp;
    this.#events = events;
    this.#heads = heads;
  }

  /** Callers MUST have committed the row and its records. `isAssigned`: an admitted call waits in no lane. */
  announce(
    row: OperationRow,
    sealed: readonly SealedRecord[],
    { isAssigned = false }: { readonly isAssigned?: boolean } = {},
  ): void {
    const isAdmitted = row.state === 'admitted';
    // The proposer has the decision in the reply, and waits for the position of the outcome in the log, not of the
    // decision. So an outcome's record is sent before any notification.
    this.#outbox.enqueue(sealed, { mayLinger: isAdmitted });
    if (row.lane !== null && isAdmitted && !isAssigned) this.#wakeUp.wake(row.lane);
    else if (row.lane !== null && isFinal(row.state)) this.#wakeUp.slotFreed(row.lane, row.executor_id);
    if (row.workspace_id !== null && row.new_snapshot_id !== null)
      this.#heads.moved(row.tenant_id, row.workspace_id, row.new_snapshot_id);
    if (!isAdmitted || row.approval_id !== null) this.#events.operationChanged(changeOf(row));
  }

  /** Tells the executor of a call under way to kill it. */
  stop(row: OperationRow): void {
    this.#events.stop(row.tenant_id, row.operation_id, row.attempt);
  }
}

function changeOf({
  tenant_id,
  operation_id,
  state,
  agent_id,
  tool_id,
  approval_id,
  fault_code,
  resolution,
  updated_at,
}: OperationRow): OperationChange {
  return { tenant_id, operation_id, state, agent_id, tool_id, approval_id, fault_code, resolution, at: updated_at };
}
