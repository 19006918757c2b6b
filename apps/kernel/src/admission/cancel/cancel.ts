// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Caller, type KernelRequest, type OperationView } from '@writ/contract';
import type { Announcer } from '../../execution/announcements/index.ts';
import { outcomeFault, unreportedOutcome, type OutcomeWriter } from '../../execution/outcomes/index.ts';
import { HeldCalls } from '../../execution/held/index.ts';
import { postable } from '../../judging/judgement/index.ts';
import { composeRecord, traceIdsOf, type RecordSealer } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { OperationViews } from '../../execution/operation-views/operation-views.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeenOperation } from '../../foundation/rows/attempt-rows.ts';

/** Maximum number of tries of one cancellation, each because the call has changed its state meanwhile. */
const TRIES_MAX = 8;
const RECEIPT_WAIT_MS = 250;

/**
 * Cancels a call for a caller who may propose it. A waiting call ends at once. A running call is asked to stop, and
 * ends when its executor reports or its lease expires.
 */
export class Cancel {
  readonly #tenants: TenantPool;
  readonly #sealer: RecordSealer;
  readonly #held: HeldCalls;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #announcer: Announcer;
  readonly #views: OperationViews;

  constructor(
    tenants: TenantPool,
    sealer: RecordSealer,
    held: HeldCalls,
    outcomeWriter: OutcomeWriter,
    announcer: Announcer,
    views: OperationViews,
  ) {
    this.#tenants = tenants;
    this.#sealer = sealer;
    this.#held = held;
    this.#outcomeWriter = outcomeWriter;
    this.#announcer = announcer;
    this.#views = views;
  }

  /** @throws Fault `not_found`, `auth.role`, `conflict` for a call that has ended */
  async run({ caller, operation_id }: KernelRequest<'operation.cancel'>): Promise<OperationView> {
    if (caller.role === 'auditor') throw new Fault('auth.role');
    for (let times = 0; times < TRIES_MAX; times++) {
      const seen = await this.#find(caller, operation_id);
      if (isFinal(seen.operation.state))
        throw new Fault('conflict', `the operation has ended as \`${seen.operation.state}\``);
      const row = await this.#cancel(seen, caller);
      if (row !== null) return await this.#views.of(row, { waitMs: RECEIPT_WAIT_MS });
    }
    throw new Fault('overloaded', 'the operation kept changing its state');
  }

  async #find(caller: Caller, operationId: string): Promise<SeenOperation> {
    const seen = await kernelSql.attemptFacts(this.#tenants.pool, { tenant: caller.tenant_id, operation: operationId });
    // An agent's key has access to its own calls only. Other calls are reported as `not_found`.
    const isTheirs = caller.role !== 'agent' || seen?.operation.agent_id === caller.agent_id;
    if (seen === null || !isTheirs) throw new Fault('not_found');
    return seen;
  }

  /** Null when the state of the call has changed and it must be read again. */
  async #cancel(seen: SeenOperation, caller: Caller): Promise<OperationRow | null> {
    const { operation } = seen;
    switch (operation.state) {
      case 'held':
        return await this.#cancelHeld(operation, caller);
      case 'admitted':
      case 'dispatched': {
        const { verdict } = await this.#outcomeWriter.end(seen, {
          ...unreportedOutcome(operation, outcomeFault('cancelled')),
          actor: caller.api_key_id,
        });
        return verdict === 'done' ? (await this.#find(caller, operation.operation_id)).operation : null;
      }
      default:
        return await this.#requestStop(seen, caller);
    }
  }

  async #requestStop({ now, operation }: SeenOperation, caller: Caller): Promise<OperationRow | null> {
    const { tenant_id, operation_id, agent_id, workspace_id, provenance, traceparent } = operation;
    const record = this.#sealer.seal(
      composeRecord({
        kind: 'change',
        tenant_id,
        recorded_at: now,
        operation_id,
        agent_id,
        workspace_id,
        provenance,
        actor: caller.api_key_id,
        change: { verb: 'cancel_requested', subject: operation_id, digest: null },
        ...traceIdsOf(traceparent),
      }),
      { actionDigest: operation.action_digest, newRoot: null },
    );
    const requested = await kernelSql.requestCancel(this.#tenants.pool, {
      tenant: tenant_id,
      operation: operation_id,
      records: [postable(record)],
    });
    if (requested === null) return null;
    if (requested.recorded) this.#announcer.announce(requested.operation, [record]);
    this.#announcer.stop(requested.operation);
    return requested.operation;
  }

  async #cancelHeld(operation: OperationRow, caller: Caller): Promise<OperationRow | null> {
    if (operation.approval_id === null)
      throw new Error(`operation \`${operation.operation_id}\` is held without an approval`);
    const held = await this.#held.find(operation.tenant_id, operation.approval_id);
    const message = 'the call was cancelled';
    return await this.#held.end(
      held,
      { state: 'cancelled', actor: caller.api_key_id, comment: null },
      { code: 'cancelled', message, hint: null, reasons: [...operation.reasons, { code: 'cancelled', message }] },
    );
  }
}
