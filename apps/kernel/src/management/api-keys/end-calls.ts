// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal } from '@writ/contract';
import { inTenant } from '@writ/database';
import type { Announcer } from '../../execution/announcements/index.ts';
import { keyRevokedFault, unreportedEnding, type OutcomeWriter } from '../../execution/outcomes/index.ts';
import { HeldCalls } from '../../execution/held/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool, CrossTenantPool } from '../../foundation/database/pools.ts';
import type { CallRef, SeenOperation } from '../../foundation/rows/attempt-rows.ts';

/** Times that one call is looked at which moves on meanwhile. */
const TRIES_MAX = 8;
/** Calls ended at the same time: half of the connections that a tenant's transactions share. */
const AT_ONCE = 8;
/** Calls that one sweep ends: it stays short, and the next one goes on. */
const ROWS_MAX = 200;
/** A marked call is left for so long to the kernel that marked it. */
const OLDER_MS = 1_000;

/**
 * Ends calls whose API key was revoked. One that waits ends at once, with its record; the executor of one that runs is
 * told to stop, and the call ends when it reports or when its lease does. A mark is on each of them, so none commits
 * meanwhile. Safe with any number of replicas: each end is one conditional transaction.
 */
export class EndCalls {
  readonly #tenants: TenantPool;
  readonly #workers: CrossTenantPool;
  readonly #held: HeldCalls;
  readonly #endings: OutcomeWriter;
  readonly #announcer: Announcer;
  readonly #failed: (error: unknown) => void;

  /** @param failed hears of a call that could not be ended: the sweep tries again */
  constructor(
    tenants: TenantPool,
    workers: CrossTenantPool,
    held: HeldCalls,
    endings: OutcomeWriter,
    announcer: Announcer,
    failed: (error: unknown) => void,
  ) {
    this.#tenants = tenants;
    this.#workers = workers;
    this.#held = held;
    this.#endings = endings;
    this.#announcer = announcer;
    this.#failed = failed;
  }

  /** Ends these calls. Resolves when each was tried: one that can't be ended keeps no other from its end. */
  async run(tenantId: string, operationIds: readonly string[], revokedBy: string): Promise<void> {
    await this.#each(
      operationIds.map((operation_id) => ({ tenant_id: tenantId, operation_id })),
      revokedBy,
    );
  }

  /** Ends what a kernel that stopped in the middle of a revocation left. Resolves with how many calls it looked at. */
  async sweep(): Promise<number> {
    const rows = await kernelSql.callsOfRevokedKeys(this.#workers.pool, { older_ms: OLDER_MS, rows: ROWS_MAX });
    await this.#each(rows, null);
    return rows.length;
  }

  /** @param revokedBy null: whoever the database names */
  async #each(calls: readonly CallRef[], revokedBy: string | null): Promise<void> {
    for (let at = 0; at < calls.length; at += AT_ONCE) {
      await Promise.all(calls.slice(at, at + AT_ONCE).map((call) => this.#endOne(call, revokedBy).catch(this.#failed)));
    }
  }

  async #endOne({ tenant_id, operation_id }: CallRef, revokedBy: string | null): Promise<void> {
    for (let times = 0; times < TRIES_MAX; times++) {
      const seen = await kernelSql.attemptFacts(this.#tenants.pool, { tenant: tenant_id, operation: operation_id });
      if (seen === null || isFinal(seen.operation.state)) return;
      if (await this.#end(seen, revokedBy ?? (await this.#revokerOf(seen.operation)))) return;
    }
    throw new Fault('overloaded', `the operation \`${operation_id}\` kept moving on`);
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

  /** False where the call has moved on and must be looked at again. */
  async #end(seen: SeenOperation, actor: string): Promise<boolean> {
    const { operation } = seen;
    switch (operation.state) {
      case 'held':
        return await this.#endHeld(operation, actor);
      case 'admitted':
      case 'dispatched': {
        const { verdict } = await this.#endings.end(seen, { ...unreportedEnding(operation, keyRevokedFault()), actor });
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
