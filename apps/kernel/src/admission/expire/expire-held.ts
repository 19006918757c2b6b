// SPDX-License-Identifier: Apache-2.0
import { HeldCalls } from '../../execution/held/index.ts';
import type { CrossTenantPool } from '../../foundation/database/pools.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { OverdueApproval } from '../../foundation/database/functions/approvals.ts';

/** Held calls that one run ends. A run stays short, and the next one continues. */
const ROWS_MAX = 100;

/** Ends held calls that nobody decided in time. Safe with any number of replicas, since each call is ended once. */
export class ExpireHeld {
  readonly #workers: CrossTenantPool;
  readonly #held: HeldCalls;

  constructor(workers: CrossTenantPool, held: HeldCalls) {
    this.#workers = workers;
    this.#held = held;
  }

  /**
   * Resolves with the number of calls that this run ended, up to a hundred. Throws after the last of them where some
   * could not be ended.
   */
  async run(): Promise<number> {
    const rows = await kernelSql.overdueApprovals(this.#workers.pool, { limit: ROWS_MAX });
    let ended = 0;
    const errors: unknown[] = [];
    for (const row of rows) {
      // A call that can't be ended must not delay the others.
      await this.#expire(row).then(
        (done) => {
          ended += Number(done);
        },
        (error: unknown) => {
          errors.push(error);
        },
      );
    }
    if (errors.length > 0)
      throw new AggregateError(
        errors,
        `${String(errors.length)} of ${String(rows.length)} held calls could not be ended`,
      );
    return ended;
  }

  async #expire({ tenant_id, approval_id }: OverdueApproval): Promise<boolean> {
    const held = await this.#held.find(tenant_id, approval_id);
    // It was decided, or ended by another replica, since it was listed.
    if (held.approval.state !== 'pending' || held.now < held.approval.expires_at) return false;
    const message = 'nobody decided in time';
    const row = await this.#held.end(
      held,
      { state: 'expired', actor: 'kernel', comment: null },
      {
        code: 'approval.expired',
        message,
        hint: 'propose the call anew',
        reasons: [...held.operation.reasons, { code: 'approval.expired', message }],
      },
    );
    return row !== null;
  }
}
