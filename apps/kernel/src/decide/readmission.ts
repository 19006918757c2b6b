// SPDX-License-Identifier: Apache-2.0
import type { BlobStore } from '@writ/blobs';
import { Fault } from '@writ/contract';
import { actionDigest } from '@writ/digest';
import type { Announcer } from '../announce/index.ts';
import { approvalColumns, argumentsOf, HeldCalls, unlessMoved, type ApprovalClosing, type HeldCall } from '../held/index.ts';
import {
  actionOf, approvedDigest, assertedVersions, decidedUnder, decideStanding, decisionRecord, laneOf, postable, readFacts, refusal, refuse, reservationRows, reservedOf, sealDecision,
  type Arguments, type CallFacts, type GivenApproval, type Images, type JudgedCall, type Judge, type Judgement,
} from '../judgement/index.ts';
import type { TenantVault } from '../payload/index.ts';
import type { PolicySets } from '../ports/index.ts';
import type { RecordSealer } from '../records/index.ts';
import { callKernel, type OperationRow, type TenantPool } from '../store/index.ts';

/** What a readmission works with. */
export interface ReadmissionParts {
  readonly tenants: TenantPool;
  readonly blobs: BlobStore;
  readonly vault: TenantVault;
  readonly sealer: RecordSealer;
  readonly images: Images;
  readonly policies: PolicySets;
}

/** held → admitted or refused, decided anew with a person's yes. */
export class Readmission {
  readonly #parts: ReadmissionParts;
  readonly #judge: Judge;
  readonly #held: HeldCalls;
  readonly #announcer: Announcer;

  constructor(parts: ReadmissionParts, judge: Judge, held: HeldCalls, announcer: Announcer) {
    this.#parts = parts;
    this.#judge = judge;
    this.#held = held;
    this.#announcer = announcer;
  }

  /** Resolves after COMMIT, or with null when the facts moved: then nothing was written. */
  async run(held: HeldCall, closing: ApprovalClosing, satisfies: GivenApproval['satisfies']): Promise<OperationRow | null> {
    const call = judgedCallOf(held.operation);
    const facts = await readFacts(this.#parts.tenants, this.#parts.policies, call);
    const prior = decideStanding(call, facts);
    // The call stays held: a freeze says nothing about it, and ends.
    if (prior?.code === 'frozen') throw new Fault('frozen', prior.message);
    const args = await argumentsOf(held, this.#parts.vault, this.#parts.blobs);
    const judged = await this.#judge.judge({ call, prior, facts, args, approval: { satisfies } });
    const judgement = unlessStale(held, judged, 'effect' in args ? null : args, this.#parts.images);
    if (judgement.verdict !== 'refused') return await this.#readmit({ ...held, now: facts.now }, closing, judgement, facts);
    const { code, message, hint } = judgement.refusal ?? refusal('internal', 'refused without a reason');
    return await this.#held.end(held, closing, { code, message, hint: hint ?? null, reasons: judgement.reasons });
  }

  async #readmit(held: HeldCall, closing: ApprovalClosing, judgement: Judgement, facts: CallFacts): Promise<OperationRow | null> {
    const { operation, approval } = held;
    const action = actionOf(operation, judgement, operation.args_hash, this.#parts.images);
    const approvalRefs = [...operation.approval_refs, approval.approval_id];
    const said = this.#held.sealApproval(held, closing);
    const record = decisionRecord({ ...operation, recorded_at: facts.now, action }, judgement, 'admitted', null);
    const decision = sealDecision(this.#parts.sealer, { ...record, approval_refs: approvalRefs }, action);
    const records = [said, decision];
    const change = {
      operation: {
        operation_id: operation.operation_id,
        lane: judgement.tool === null ? null : laneOf(judgement.tool.class),
        autonomy_mode: judgement.autonomy_mode, risk_score: judgement.risk_score, risk_basis: judgement.risk_basis, reasons: judgement.reasons,
        state_snapshot_id: action.state_snapshot_id, policy_hash: judgement.policy_hash, tool_definition_digest: action.tool_definition_digest,
        action_digest: actionDigest(action), image_digest: action.image_digest, limits: judgement.limits, reserved: reservedOf(judgement),
        approval_refs: approvalRefs, decision_record_id: decision.record_id, decision_hash: decision.digest,
      },
      approval: approvalColumns(held, closing),
      rules: decidedUnder(judgedCallOf(operation), facts),
      labels: judgement.labels,
      chain: facts.chain.map(({ token }) => token.capability_token_id),
      head: operation.precondition_refs.length > 0 ? judgement.head : null,
      ...assertedVersions(operation),
      reserve: reservationRows(judgement.reservations),
      records: records.map(postable),
    };
    const row = await unlessMoved(callKernel<OperationRow>(this.#parts.tenants.pool, 'readmit', [operation.tenant_id, JSON.stringify(change)]));
    if (row !== null) this.#announcer.announce(row, records);
    return row;
  }
}

/** The call as it was proposed. The supervision that it was held for is the least that it gets now. */
function judgedCallOf(row: OperationRow): JudgedCall {
  if (row.workspace_id === null) throw new Error(`operation \`${row.operation_id}\` is held without a workspace`);
  return { ...row, workspace_id: row.workspace_id, max_autonomy: row.autonomy_mode };
}

/**
 * A yes counts for exactly the action that was shown: tool and its definition, arguments, token, policy and image. The snapshot may
 * have moved: the call runs on the head of now, and its effect is checked there.
 */
function unlessStale(held: HeldCall, judgement: Judgement, args: Arguments | null, images: Images): Judgement {
  const { operation, approval } = held;
  if (judgement.verdict === 'refused' || args === null) return judgement;
  const now = approvedDigest(actionOf(operation, judgement, operation.args_hash, images));
  if (now === approval.action_digest) return judgement;
  return refuse(judgement, refusal('approval.stale', 'the policy, the tool or the image is another than when the call was held', 'propose the call anew'));
}

