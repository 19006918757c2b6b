// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal } from '@writ/contract';
import { inTenant } from '@writ/database';
import type { Announcer } from '../../execution/announcements/index.ts';
import { keyRevokedFault, unreportedOutcome, type OutcomeWriter } from '../../execution/outcomes/index.ts';
import { HeldCalls } from '../../execution/held/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import type { CallRef, SeenOperation } from '../../foundation/rows/attempt-rows.ts';

/** Maximum number of tries for one call, each because its state has changed meanwhile. */
const TRIES_MAX = 8;
/** Calls that are ended in parallel: half of the connections that a tenant's transactions share. */
const PARALLEL_CALLS = 8;
/** Calls that one sweep ends. A sweep stays short, and the next one continues. */
const ROWS_MAX = 200;
/** How long a sweep leaves a marked call to the kernel that marked it, in milliseconds. */
const MARK_AGE_MIN_MS = 1_000;

/**
 * Ends calls whose API key was revoked. A waiting call ends at once, with its record. The executor of a running call is
 * asked to stop, and the call ends at its report or when its lease expires. Each of these calls is marked, so none
 * commits meanwhile. Safe with any number of replicas, since each end is one conditional transaction.
 */
export class EndCalls {
  readonly #tenants: TenantPool;
  readonly #workers: CrossTenantPool;
  readonly #held: HeldCalls;
  readonly #outcomeWriter: OutcomeWriter;
  readonly #announcer: Announcer;
  readonly #reportError: (error: unknown) => void;

  /** @param reportError receives the error of a call that could not be ended; the sweep tries again */
  constructor(
    tenants: TenantPool,
    workers: CrossTenantPool,
    held: HeldCalls,
    outcomeWriter: OutcomeWriter,
    announcer: Announcer,
    reportError: (error: unknown) => void,
  ) {
    this.#tenants = tenants;
    this.#workers = workers;
    this.#held = held;
    this.#outcomeWriter = outcomeWriter;
    this.#announcer = announcer;
    this.#reportError = reportError;
  }

  /** Ends these calls. Resolves when each was tried. A call that can't be ended doesn't block the others. */
  async run(tenantId: string, operationIds: readonly string[], revokedBy: string): Promise<void> {
    await this.#endAll(
      operationIds.map((operation_id) => ({ tenant_id: tenantId, operation_id })),
      revokedBy,
    );
  }

  /**
   * Ends the calls that were left by a kernel that stopped during a revocation. Resolves with the number of checked
   * calls.
   */
  async sweep(): Promise<number> {
    const rows = await kernelSql.callsOfRevokedKeys(this.#workers.pool, { older_ms: MARK_AGE_MIN_MS, rows: ROWS_MAX });
    await this.#endAll(rows, null);
    return rows.length;
  }

  /** @param revokedBy null: the revoker that is stored in the database */
  async #endAll(calls: readonly CallRef[], revokedBy: string | null): Promise<void> {
    for (let at = 0; at < calls.length; at += PARALLEL_CALLS) {
      await Promise.all(
        calls.slice(at, at + PARALLEL_CALLS).map((call) => this.#endOne(call, revokedBy).catch(this.#reportError)),
      );
    }
  }

  async #endOne({ tenant_id, operation_id }: CallRef, revokedBy: string | null): Promise<void> {
    for (let times = 0; times < TRIES_MAX; times++) {
      const seen = await kernelSql.attemptFacts(this.#tenants.pool, { tenant: tenant_id, operation: operation_id });
      if (seen === null || isFinal(seen.operation.state)) return;
      if (await this.#end(seen, revokedBy ?? (await this.#revokerOf(seen.operation)))) return;
    }
    throw new Fault('overloaded', `the operation \`${operation_id}\` kept changing its state`);
  }

  async #revokerOf({ tenant_id, proposed_by }: OperationRow): Promise<string> {
    return await inTenant(
      this.#tenants.pool,
      tenant_id,
      async (client) => {
        const {
          rows: [row],
        } = await client.query<{ revoked_by: string }>(
          'SELECT revoked_by FROM kernel.revoked_key WHERE tenant_id = $1 AND api_key_id = $2',
          [tenant_id, proposed_by],
        );
        if (row === undefined) throw new Error(`the calls of \`${proposed_by}\` are marked, and the key is not`);
        return row.revoked_by;
      },
      { readOnly: true },
    );
  }

  /** False where the state of the call has changed and it must be read again. */
  async #end(seen: SeenOperation, actor: string): Promise<boolean> {
    const { operation } = seen;
    switch (operation.state) {
      case 'held':
        return await this.#endHeld(operation, actor);
      case 'admitted':
      case 'dispatched': {
        const { verdict } = await this.#outcomeWriter.end(seen, {
          ...unreportedOutcome(operation, keyRevokedFault()),
          actor,
        });
        return verdict === 'done';
      }
      default:
        this.#announcer.stop(operation);
        return true;
    }
  }

  async #endHeld(operation: OperationRow, actor: string): Promise<boolean> {
    const { operation_id, approval_id, tenant_id } = operation;
    if (approval_id === null) throw new Error(`operation \`${operation_id}\` is held without an approval`);
    const held = await this.#held.find(tenant_id, approval_id);
    const { code, message, hint } = keyRevokedFault();
    const reasons = [...operation.reasons, { code, message }];
    const ended = await this.#held.end(
      held,
      { state: 'cancelled', actor, comment: null },
      { code, message, hint, reasons },
    );
    return ended !== null;
  }
}
