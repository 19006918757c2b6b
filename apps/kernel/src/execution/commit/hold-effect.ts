// SPDX-License-Identifier: Apache-2.0
import type { ReportRequest } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import type { AttemptFacts } from '../attempts/index.ts';
import { stageCall, type CheckedEffect, type MoreSupervision } from '../effects/index.ts';
import type { Ending, OutcomeWriter } from '../outcomes/index.ts';
import { approvalExpiry } from '../held/index.ts';
import { actionOfRow, approvedDigest } from '../../judging/judgement/index.ts';
import type { TenantVault } from '../../evidence/payload/index.ts';
import { composeRecord, fieldsOfCall, type RecordSealer } from '../../evidence/records/index.ts';
import { newId } from '@writ/nest-kit';
import type { EndVerdict } from '../../foundation/rows/attempt-rows.ts';

/** A checked effect that a person may let pass. */
export interface AskedEffect {
  readonly facts: AttemptFacts;
  readonly report: ReportRequest;
  readonly checked: CheckedEffect;
  readonly asks: MoreSupervision;
}

/** performed → held: the delta stays staged, and what a person approves is exactly that. */
export class HoldEffect {
  readonly #blobs: BlobStore;
  readonly #vault: TenantVault;
  readonly #sealer: RecordSealer;
  readonly #endings: OutcomeWriter;

  constructor(blobs: BlobStore, vault: TenantVault, sealer: RecordSealer, endings: OutcomeWriter) {
    this.#blobs = blobs;
    this.#vault = vault;
    this.#sealer = sealer;
    this.#endings = endings;
  }

  /** Null where the tool was changed while the call ran: nothing was held. */
  async run({ facts, report, checked, asks }: AskedEffect, ending: Ending): Promise<EndVerdict | null> {
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
    const action_digest = approvedDigest({ ...actionOfRow(operation), policy_hash: asks.policy_hash });
    const record = this.#sealer.seal(
      composeRecord({
        ...fieldsOfCall(operation),
        kind: 'tool_call',
        phase: 'decision',
        verdict: 'held',
        recorded_at: now,
        attempt: operation.attempt,
        rule_ids: [...asks.rule_ids],
        policy_hash: asks.policy_hash,
        autonomy_mode: asks.mode,
        result_hash: result?.hash ?? null,
        effect_digest: digest,
        approval_refs: [...operation.approval_refs, approval_id],
      }),
      { actionDigest: operation.action_digest, newRoot: null },
    );
    const expires_at = approvalExpiry(now, asks.approval_ms, operation.deadline, chain);
    const approval = {
      approval_id,
      action_digest,
      autonomy_mode: asks.mode,
      effect_digest: digest,
      expires_at,
      reasons: asks.reasons,
      quorum: asks.quorum,
    };
    return await this.#endings.hold(facts, ending, report, { approval, staged, record });
  }
}
