// SPDX-License-Identifier: Apache-2.0
import type { ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import type { AttemptFacts } from '../attempts/index.ts';
import { stageCall, type CheckedEffect, type MoreSupervision } from '../effects/index.ts';
import type { OutcomeDraft, OutcomeWriter } from '../outcomes/index.ts';
import { approvalExpiry, demandsColumn, waitingColumns } from '../held/index.ts';
import { actionOfRow, approvedDigest } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { composeRecord, fieldsOfCall, type RecordSealer } from '../../evidence/records/index.ts';
import { newId } from '@writ/nest-kit';
import type { EndVerdict } from '../../foundation/rows/attempt-rows.ts';

/** A checked effect that commits only if a person approves it. */
export interface EffectToHold {
  readonly facts: AttemptFacts;
  readonly report: ReportRequest;
  readonly checked: CheckedEffect;
  readonly moreSupervision: MoreSupervision;
}

/** performed → held: the delta stays staged, and a person approves exactly that delta. */
export class HoldEffect {
  readonly #blobs: BlobStore;
  readonly #vault: TenantVault;
  readonly #sealer: RecordSealer;
  readonly #outcomeWriter: OutcomeWriter;

  constructor(blobs: BlobStore, vault: TenantVault, sealer: RecordSealer, outcomeWriter: OutcomeWriter) {
    this.#blobs = blobs;
    this.#vault = vault;
    this.#sealer = sealer;
    this.#outcomeWriter = outcomeWriter;
  }

  /** Null where the tool was changed while the call ran: nothing was held. */
  async run(
    { facts, report, checked, moreSupervision }: EffectToHold,
    ending: OutcomeDraft,
  ): Promise<EndVerdict | null> {
    const { now, operation, chain } = facts;
    const { digest, bytes, contents, result } = checked;
    if (digest === null || bytes === null || operation.state_snapshot_id === null)
      throw new Error(`the effect of \`${operation.operation_id}\` was not read`);
    const staged = await stageCall(this.#blobs, this.#vault, operation, {
      report,
      snapshot: operation.state_snapshot_id,
      digest,
      bytes,
      contents,
    });
    const approval_id = newId('approval');
    const action_digest = approvedDigest({ ...actionOfRow(operation), policy_hash: moreSupervision.policy_hash });
    const record = this.#sealer.seal(
      composeRecord({
        ...fieldsOfCall(operation),
        kind: 'tool_call',
        phase: 'decision',
        verdict: 'held',
        recorded_at: now,
        attempt: operation.attempt,
        rule_ids: [...moreSupervision.rule_ids],
        policy_hash: moreSupervision.policy_hash,
        autonomy_mode: moreSupervision.mode,
        result_hash: result?.hash ?? null,
        effect_digest: digest,
        approval_refs: [...operation.approval_refs, approval_id],
      }),
      { actionDigest: operation.action_digest, newRoot: null },
    );
    const expires_at = approvalExpiry(now, moreSupervision.approval_ms, operation.deadline, chain);
    const approval = {
      approval_id,
      action_digest,
      autonomy_mode: moreSupervision.mode,
      effect_digest: digest,
      expires_at,
      reasons: moreSupervision.reasons,
      quorum: moreSupervision.quorum,
      demands: demandsColumn(moreSupervision.demands),
      ...waitingColumns(moreSupervision.waiting),
    };
    return await this.#outcomeWriter.hold(facts, ending, report, { approval, staged, record });
  }
}
