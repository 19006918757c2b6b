// SPDX-License-Identifier: Apache-2.0
import { contentDigest } from '../../evidence/changes/index.ts';
import type { Announcer } from '../../execution/announcements/index.ts';
import type { HeldCalls } from '../../execution/held/index.ts';
import type { CrossTenantPool, TenantPool } from '../../foundation/database/pools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OverdueApproval } from '../../foundation/database/functions/approvals.ts';
import { postable } from '../../judging/judgement/index.ts';

/** Approvals that one run looks at. A run stays short, and the next one continues. */
const ROWS_MAX = 100;

/**
 * Takes the steps of escalations and sends reminders while calls are held. INVARIANT (time decides nothing): no call is
 * approved, denied or ended here, and nobody loses a right. Safe with any number of replicas: the database's clock says
 * what is due, and each step and each reminder is written once, in one transaction with its record and its notice.
 */
export class WakeHeld {
  readonly #workers: CrossTenantPool;
  readonly #tenants: TenantPool;
  readonly #held: HeldCalls;
  readonly #announcer: Announcer;

  constructor(workers: CrossTenantPool, tenants: TenantPool, held: HeldCalls, announcer: Announcer) {
    this.#workers = workers;
    this.#tenants = tenants;
    this.#held = held;
    this.#announcer = announcer;
  }

  /**
   * Resolves with the number of steps and reminders that this run wrote. Throws after the last of them where some could
   * not be written.
   */
  async run(): Promise<number> {
    const rows = await kernelSql.wakingApprovals(this.#workers.pool, { limit: ROWS_MAX });
    let written = 0;
    const errors: unknown[] = [];
    for (const row of rows) {
      try {
        written += Number(await this.#escalate(row)) + Number(await this.#remind(row));
      } catch (error) {
        // One approval must not delay the others.
        errors.push(error);
      }
    }
    if (errors.length > 0)
      throw new AggregateError(
        errors,
        `${String(errors.length)} of ${String(rows.length)} approvals could not be woken`,
      );
    return written;
  }

  async #escalate({ tenant_id, approval_id }: OverdueApproval): Promise<boolean> {
    const held = await this.#held.find(tenant_id, approval_id);
    const { escalations, escalated, created_at, state } = held.approval;
    const step = escalations?.[escalated];
    if (step === undefined || state !== 'pending' || created_at + step.after_ms > held.now) return false;
    const record = this.#held.sealEscalation(held, contentDigest({ approval_id, step: escalated + 1, to: step.to }));
    const row = await kernelSql.escalateApproval(this.#tenants.pool, {
      tenant: tenant_id,
      p: { operation_id: held.operation.operation_id, approval_id, escalated, records: [postable(record)] },
    });
    if (row !== null) this.#announcer.announce(row, [record]);
    return row !== null;
  }

  async #remind({ tenant_id, approval_id }: OverdueApproval): Promise<boolean> {
    const { now, approval } = await this.#held.find(tenant_id, approval_id);
    const { reminders, reminded, expires_at, state } = approval;
    const before = reminders[reminded];
    if (before === undefined || state !== 'pending' || expires_at - before > now) return false;
    const row = await kernelSql.remindApproval(this.#tenants.pool, {
      tenant: tenant_id,
      approval: approval_id,
      reminded,
    });
    if (row !== null) this.#announcer.announce(row, []);
    return row !== null;
  }
}
