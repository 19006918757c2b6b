// SPDX-License-Identifier: Apache-2.0
import { Fault, type Budgets, type ReportReply, type ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { attemptFacts, type AttemptFacts } from '../attempts/index.ts';
import { stageCall, type CheckedEffect, type EffectCheck } from '../effects/index.ts';
import { mergeReasons } from '../outcomes/index.ts';
import { demandsColumn, mergeDemands, type PreviewEnd, type Previews } from '../held/index.ts';
import { stricter } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { PreviewRow, ApprovalRow } from '../../foundation/rows/held-rows.ts';
import { usageCounter } from './usage-counter.ts';

/** The facts of an attempt that is a preview. */
interface PreviewFacts {
  readonly facts: AttemptFacts;
  readonly preview: PreviewRow;
  readonly approval: ApprovalRow | null;
}

/**
 * Ends previews by what their executors report.
 * INVARIANT (a preview never commits): it only writes what a person is to see; the call stays `held`.
 */
export class PreviewReports {
  readonly #tenants: TenantPool;
  readonly #blobs: BlobStore;
  readonly #vault: TenantVault;
  readonly #effects: EffectCheck;
  readonly #previews: Previews;

  constructor(tenants: TenantPool, blobs: BlobStore, vault: TenantVault, effects: EffectCheck, previews: Previews) {
    this.#tenants = tenants;
    this.#blobs = blobs;
    this.#vault = vault;
    this.#effects = effects;
    this.#previews = previews;
  }

  /**
   * Resolves once the findings are durable.
   * @throws Fault `attempt.fenced` for any other attempt, and for a call that is no longer held.
   */
  async run(report: ReportRequest): Promise<ReportReply> {
    const { facts, preview, approval } = await this.#read(report);
    const hasCredentials =
      preview.attempt === report.attempt &&
      preview.executor_id === report.executor_id &&
      preview.nonce === report.nonce;
    if (!hasCredentials) throw new Fault('attempt.fenced');
    if (preview.state === 'ready' || preview.state === 'failed') return { v: 1, state: 'held', tx_outcome: null };
    if (approval?.state !== 'pending') throw new Fault('attempt.fenced');
    const checked = await this.#effects.of(
      {
        ...facts,
        operation: {
          ...facts.operation,
          autonomy_mode: approval.autonomy_mode,
          approvers: approval.quorum,
          demands_met: approval.demands === null ? null : [...approval.demands],
        },
      },
      report,
    );
    const verdict = await this.#previews.end(facts, await this.#endOf(facts, report, checked, approval), report);
    if (verdict === 'fenced') throw new Fault('attempt.fenced');
    return { v: 1, state: 'held', tx_outcome: null };
  }

  async #read(report: ReportRequest): Promise<PreviewFacts> {
    const rows = await kernelSql.previewFacts(this.#tenants.pool, {
      tenant: report.tenant_id,
      operation: report.operation_id,
    });
    if (rows === null) throw new Fault('attempt.fenced');
    return {
      facts: attemptFacts({ ...rows, args: rows.args === null ? null : Buffer.from(rows.args, 'base64') }),
      preview: rows.preview,
      approval: rows.approval,
    };
  }

  /**
   * INVARIANT (of the effect, or not): an effect that can't commit, or that requested something which a preview doesn't
   * get, can't be approved.
   */
  async #endOf(
    facts: AttemptFacts,
    report: ReportRequest,
    checked: CheckedEffect,
    approval: ApprovalRow,
  ): Promise<PreviewEnd> {
    const { operation } = facts;
    const requested = report.asked_for ?? [];
    const { digest, bytes, contents, result, moreSupervision } = checked;
    const findings = {
      used: usedOf(report),
      countedBy: usageCounter(facts, report),
      effectDigest: digest,
      resultHash: result?.hash ?? null,
      askedFor: requested,
    };
    const snapshot = operation.state_snapshot_id;
    if (digest === null || bytes === null || snapshot === null)
      return { ...findings, fault: checked.fault, staged: null, approval: null };
    const staged = await stageCall(this.#blobs, this.#vault, operation, { report, snapshot, digest, bytes, contents });
    if (checked.fault !== null || requested.length > 0)
      return { ...findings, fault: checked.fault, staged, approval: null };
    const mode = stricter(moreSupervision?.mode ?? approval.autonomy_mode, approval.autonomy_mode);
    const { reasons } = mergeReasons(approval.reasons, { rule_ids: [], reasons: moreSupervision?.reasons ?? [] });
    return {
      ...findings,
      fault: null,
      staged,
      approval: {
        effect_digest: digest,
        autonomy_mode: mode,
        quorum: Math.max(approval.quorum, moreSupervision?.quorum ?? 1),
        demands: demandsColumn(mergeDemands(approval.demands, moreSupervision?.demands)),
        reasons,
      },
    };
  }
}

/** As for a run, except for the call itself, which counts when it ends. */
function usedOf({ usage }: ReportRequest): Budgets {
  return { cpu_ms: usage.cpu_ms, wall_ms: usage.wall_ms, disk_write_bytes: usage.disk_write_bytes };
}
