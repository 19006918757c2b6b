// SPDX-License-Identifier: Apache-2.0
import { Fault, type Budgets, type ReportReply, type ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { attemptFacts, type AttemptFacts } from '../attempts/index.ts';
import { stageCall, type CheckedEffect, type EffectCheck } from '../effects/index.ts';
import { saidBeside } from '../outcomes/index.ts';
import type { PreviewEnd, Previews } from '../held/index.ts';
import { stricter } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { PreviewRow, ApprovalRow } from '../../foundation/rows/held-rows.ts';
import { usageCounter } from './usage-counter.ts';

/** An attempt's facts where the attempt is a preview. */
interface PreviewFacts {
  readonly facts: AttemptFacts;
  readonly preview: PreviewRow;
  readonly approval: ApprovalRow | null;
}

/**
 * Ends previews by what their executors report.
 * INVARIANT (a preview never commits): all that is written is what a person is to see; the call stays `held`.
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
   * Resolves once what was found is durable.
   * @throws Fault `attempt.fenced` for any other attempt, and for a call that is no longer held.
   */
  async run(report: ReportRequest): Promise<ReportReply> {
    const { facts, preview, approval } = await this.#read(report);
    const isSpeaker =
      preview.attempt === report.attempt &&
      preview.executor_id === report.executor_id &&
      preview.nonce === report.nonce;
    if (!isSpeaker) throw new Fault('attempt.fenced');
    if (preview.state === 'ready' || preview.state === 'failed') return { v: 1, state: 'held', tx_outcome: null };
    if (approval?.state !== 'pending') throw new Fault('attempt.fenced');
    const checked = await this.#effects.of(
      {
        ...facts,
        operation: { ...facts.operation, autonomy_mode: approval.autonomy_mode, approvers: approval.quorum },
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
   * INVARIANT (of the effect, or not): what can't commit, and what asked for something that a preview doesn't get, is
   * no effect to approve.
   */
  async #endOf(
    facts: AttemptFacts,
    report: ReportRequest,
    checked: CheckedEffect,
    approval: ApprovalRow,
  ): Promise<PreviewEnd> {
    const { operation } = facts;
    const asked = report.asked_for ?? [];
    const { digest, bytes, contents, result, asks } = checked;
    const found = {
      used: usedOf(report),
      countedBy: usageCounter(facts, report),
      effectDigest: digest,
      resultHash: result?.hash ?? null,
      askedFor: asked,
    };
    const snapshot = operation.state_snapshot_id;
    if (digest === null || bytes === null || snapshot === null)
      return { ...found, fault: checked.fault, staged: null, approval: null };
    const staged = await stageCall(this.#blobs, this.#vault, operation, { report, snapshot, digest, bytes, contents });
    if (checked.fault !== null || asked.length > 0) return { ...found, fault: checked.fault, staged, approval: null };
    const mode = stricter(asks?.mode ?? approval.autonomy_mode, approval.autonomy_mode);
    const { reasons } = saidBeside(approval.reasons, { rule_ids: [], reasons: asks?.reasons ?? [] });
    return {
      ...found,
      fault: null,
      staged,
      approval: {
        effect_digest: digest,
        autonomy_mode: mode,
        quorum: Math.max(approval.quorum, asks?.quorum ?? 1),
        reasons,
      },
    };
  }
}

/** As a run's, but for the call itself, which is counted when it ends. */
function usedOf({ usage }: ReportRequest): Budgets {
  return { cpu_ms: usage.cpu_ms, wall_ms: usage.wall_ms, disk_write_bytes: usage.disk_write_bytes };
}
