// SPDX-License-Identifier: Apache-2.0
import { isFinal } from '@writ/contract';
import type { WakeUp } from './wake-up.ts';
import type { Events, OperationChange } from './events.ts';
import type { Outbox } from '../../evidence/outbox/outbox.ts';
import type { SealedRecord } from '../../evidence/records/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';

/** Told of every new head that this replica has committed. */
export interface HeadsKnown {
  moved(tenantId: string, workspaceId: string, head: string): void;
}

/**
 * Tells whoever waits what a COMMIT made true. All of it may be lost: sweepers and polls find the same in the database.
 */
export class Announcer {
  readonly #outbox: Outbox;
  readonly #bell: WakeUp;
  readonly #events: Events;
  readonly #heads: HeadsKnown;

  constructor(outbox: Outbox, bell: WakeUp, events: Events, heads: HeadsKnown) {
    this.#outbox = outbox;
    this.#bell = bell;
    this.#events = events;
    this.#heads = heads;
  }

  /** Callers MUST have committed the row and its records. `isAssigned`: a call that was admitted waits for no turn. */
  announce(
    row: OperationRow,
    sealed: readonly SealedRecord[],
    { isAssigned = false }: { readonly isAssigned?: boolean } = {},
  ): void {
    const isAdmitted = row.state === 'admitted';
    // Whoever proposed has the decision in the reply, and waits for the outcome's place in the log, not for this one's.
    // So an outcome's goes before anybody is told.
    this.#outbox.hand(sealed, { mayLinger: isAdmitted });
    if (row.lane !== null && isAdmitted && !isAssigned) this.#bell.wake(row.lane);
    else if (row.lane !== null && isFinal(row.state)) this.#bell.freed(row.lane, row.executor_id);
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
