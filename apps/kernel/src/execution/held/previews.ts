// SPDX-License-Identifier: Apache-2.0
import type { UnmetNeed, Budgets, Reason, ReportRequest, UsageCounter } from '@writ/contract';
import { settledUse } from '@writ/capability';
import type { Announcer } from '../announcements/index.ts';
import type { OutcomeFault } from '../outcomes/index.ts';
import type { Demands } from './demands.ts';
import { composeRecord, fieldsOfCall, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { SeenOperation } from '../../foundation/rows/attempt-rows.ts';
import type { PreviewVerdict } from '../../foundation/database/functions/previews.ts';

/** The longest reason that is stored, in characters. */
const REASON_CHARS_MAX = 2048;

/** The findings of a preview. */
export interface PreviewEnd {
  readonly used: Budgets;
  /** who counted that in a sandbox; null where it was not counted */
  readonly countedBy: UsageCounter | null;
  readonly effectDigest: string | null;
  readonly resultHash: string | null;
  readonly askedFor: readonly UnmetNeed[];
  /** why the effect couldn't commit as it is */
  readonly fault: OutcomeFault | null;
  /** sealed; null where there is nothing to show */
  readonly staged: Buffer | null;
  /** what the approval is for from now on: exactly this effect; null leaves it an approval of the action */
  readonly approval: {
    readonly effect_digest: string;
    readonly autonomy_mode: string;
    readonly quorum: number;
    readonly demands: Demands | null;
    readonly reasons: readonly Reason[];
  } | null;
}

/** Ends previews: the findings, their settlement and their record are one transaction. */
export class Previews {
  readonly #tenants: TenantPool;
  readonly #sealer: RecordSealer;
  readonly #announcer: Announcer;

  constructor(tenants: TenantPool, sealer: RecordSealer, announcer: Announcer) {
    this.#tenants = tenants;
    this.#sealer = sealer;
    this.#announcer = announcer;
  }

  /**
   * `seen` is the call as previewed. Without attempt credentials it ends a preview whose last executor was lost: then
   * the reservation counts as used.
   */
  async end(
    seen: SeenOperation,
    end: PreviewEnd,
    credentials: Pick<ReportRequest, 'executor_id' | 'nonce'> | null,
  ): Promise<PreviewVerdict['verdict']> {
    const { operation } = seen;
    const record = this.#sealRecord(seen, end);
    const order = {
      tenant_id: operation.tenant_id,
      operation_id: operation.operation_id,
      attempt: operation.attempt,
      speaker: credentials === null ? null : { executor_id: credentials.executor_id, nonce: credentials.nonce },
      state: end.approval === null ? 'failed' : 'ready',
      set: {
        fault_code: end.fault?.code ?? null,
        fault_message: end.fault?.message.slice(0, REASON_CHARS_MAX) ?? null,
        effect_digest: end.effectDigest,
        would_ask_for: end.askedFor,
      },
      used: settledUse(operation.reserved, end.used),
      approval: end.approval,
      record: { record_id: record.record_id, keyid: record.keyid },
    };
    const done = await kernelSql.endPreview(this.#tenants.pool, {
      p: order,
      staged: end.staged,
      payload: record.payload,
      sig: record.sig,
    });
    if (done.verdict === 'done' && done.operation !== undefined) this.#announcer.announce(done.operation, [record]);
    return done.verdict;
  }

  #sealRecord({ now, operation }: SeenOperation, end: PreviewEnd): SealedRecord {
    return this.#sealer.seal(
      composeRecord({
        ...fieldsOfCall(operation),
        kind: 'change',
        recorded_at: now,
        attempt: operation.attempt,
        approval_refs: operation.approval_id === null ? [] : [operation.approval_id],
        actor: 'kernel',
        fault_code: end.fault?.code ?? null,
        effect_digest: end.effectDigest,
        result_hash: end.resultHash,
        budget_delta: settledUse(operation.reserved, end.used),
        usage_counted_by: end.countedBy,
        change: { verb: 'previewed', subject: operation.operation_id, digest: end.effectDigest },
      }),
      { actionDigest: operation.action_digest, newRoot: null },
    );
  }
}
