// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  FAULTS,
  type FaultCode,
  type Reason,
  type SessionAsk,
  type State,
  type TxOutcome,
  type ValueScope,
} from '@writ/contract';
import type { Announcer } from '../announcements/index.ts';
import { endOf, postable } from '../../judging/judgement/index.ts';
import { composeRecord, fieldsOfCall, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { isAgain } from '../../foundation/database/kernel-errors.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ApprovalRow, HeldCall } from '../../foundation/rows/held-rows.ts';
import type { OperationMonitor } from '../telemetry/operation-monitor.ts';
import { hasRun } from './held-call.ts';
import { isRecordedApart, voteDigest, type Vote } from './votes.ts';

/** What a person, or the clock, says about a held call. */
export interface ApprovalClosing {
  readonly state: Exclude<ApprovalRow['state'], 'pending'>;
  /** an API key's id, or `kernel` for the clock */
  readonly actor: string;
  readonly comment: string | null;
  /** of one that is superseded: the call that goes on in its place */
  readonly supersededBy?: string;
  /** of a session grant: how many calls it serves, and for how long */
  readonly session?: SessionAsk | null;
  /** of one that waits for a value: how far it reaches, and what kernel.put_value reads */
  readonly given?: { readonly scope: ValueScope; readonly columns: Readonly<Record<string, unknown>> };
  /** the vote that decides it; absent for the clock and a cancellation */
  readonly vote?: Vote;
}

/** A person's yes. */
export type ApprovedClosing = ApprovalClosing & { readonly vote: Vote };

/** What counts held calls. */
export type HeldMonitor = Pick<OperationMonitor, 'ended' | 'approvalClosed'>;

/** An approval about to be closed: the records of it, and what kernel.close_approval reads. */
export interface ClosedApproval {
  readonly records: readonly SealedRecord[];
  readonly columns: Readonly<Record<string, unknown>>;
}

/** Why a held call ends without having run. */
export interface HeldEnding {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
  readonly reasons: readonly Reason[];
  /**
   * the tenant's rules, as kernel.assert_rules takes them, where it is they that end it: with others now nothing is
   * written
   */
  readonly rules?: Readonly<Record<string, unknown>>;
}

const VERBS = {
  approved: 'approve',
  denied: 'deny',
  expired: 'expire',
  cancelled: 'cancel',
  superseded: 'supersede',
} as const;

/**
 * Held calls: finds them and ends them. Where nothing ran their end is a refusal and costs nothing; where an effect of
 * a run waited, it is rolled back, or is ambiguous where the run began something outside.
 */
export class HeldCalls {
  readonly #tenants: TenantPool;
  readonly #sealer: RecordSealer;
  readonly #announcer: Announcer;
  readonly #monitor: HeldMonitor;

  constructor(tenants: TenantPool, sealer: RecordSealer, announcer: Announcer, monitor: HeldMonitor) {
    this.#tenants = tenants;
    this.#sealer = sealer;
    this.#announcer = announcer;
    this.#monitor = monitor;
  }

  /** @throws Fault `not_found` for an approval that isn't the tenant's */
  async find(tenantId: string, approvalId: string): Promise<HeldCall> {
    const held = await kernelSql.heldCall(this.#tenants.pool, { tenant: tenantId, approval: approvalId });
    if (held === null) throw new Fault('not_found');
    return held;
  }

  /**
   * held → refused, rolled_back or ambiguous, with the record of the approval and of the outcome. Null when the call
   * isn't held any more, or the rules that end it have changed: nothing was written.
   */
  async end(held: HeldCall, closing: ApprovalClosing, ending: HeldEnding): Promise<OperationRow | null> {
    const { operation, approval } = held;
    const refs = [...operation.approval_refs, approval.approval_id];
    const closed = this.close(held, closing);
    const { state, txOutcome, code, message, hint } = endOfHeld(held, ending);
    const outcome = this.#sealer.seal(
      composeRecord({
        ...subjectOf(held),
        kind: 'tool_call',
        phase: 'outcome',
        ...(hasRun(held) ? ranAs(operation) : { verdict: 'refused' as const }),
        fault_code: code,
        approval_refs: refs,
        tx_outcome: txOutcome,
        decision_record_id: operation.decision_record_id,
        decision_hash: operation.decision_hash,
      }),
      { actionDigest: operation.action_digest, newRoot: null },
    );
    const records = [...closed.records, outcome];
    const change = {
      operation: {
        operation_id: operation.operation_id,
        state,
        tx_outcome: txOutcome,
        fault_code: code,
        fault_message: message,
        fault_hint: hint,
        reasons: ending.reasons,
        outcome_record_id: outcome.record_id,
        approval_refs: refs,
      },
      approval: closed.columns,
      ...(ending.rules === undefined ? {} : { rules: ending.rules }),
      records: records.map(postable),
    };
    const row = await unlessMoved(kernelSql.endHeld(this.#tenants.pool, { tenant: operation.tenant_id, p: change }));
    if (row !== null) {
      this.#announcer.announce(row, records);
      this.#monitor.ended(txOutcome, code, row);
      this.closed(held, closing.state);
    }
    return row;
  }

  /** Counts an approval that was closed. Callers MUST have committed that. */
  closed({ now, approval }: HeldCall, decision: ApprovalClosing['state']): void {
    this.#monitor.approvalClosed({ tenant_id: approval.tenant_id, decision, waitedMs: now - approval.created_at });
  }

  /** What closing the approval writes. */
  close(held: HeldCall, closing: ApprovalClosing): ClosedApproval {
    const { approval } = held;
    const { vote, state, actor, comment, supersededBy = null } = closing;
    const apart = vote !== undefined && isRecordedApart(held, vote) ? this.sealVote(held, vote) : null;
    return {
      records: [...(apart === null ? [] : [apart]), this.#sealApproval(held, closing)],
      columns: {
        approval_id: approval.approval_id,
        state,
        decided_by: actor,
        comment,
        superseded_by: supersededBy,
        vote: vote === undefined ? null : { ...vote, record_id: apart?.record_id ?? null },
      },
    };
  }

  /** The record of a vote. */
  sealVote(held: HeldCall, vote: Vote): SealedRecord {
    return this.#seal(held, vote.cast_by, { verb: 'vote', subject: vote.vote_id, digest: voteDigest(held, vote) });
  }

  /** The record of what became of an approval. */
  #sealApproval(held: HeldCall, { state, actor, given }: ApprovalClosing): SealedRecord {
    return this.#seal(held, actor, {
      verb: given === undefined ? VERBS[state] : `give_${given.scope}`,
      subject: held.approval.approval_id,
      digest: held.approval.action_digest,
    });
  }

  #seal(held: HeldCall, actor: string, change: { verb: string; subject: string; digest: string }): SealedRecord {
    const { approval } = held;
    return this.#sealer.seal(
      composeRecord({
        ...subjectOf(held),
        kind: 'approval',
        approval_refs: [approval.approval_id],
        actor,
        effect_digest: approval.effect_digest,
        change,
      }),
      { actionDigest: approval.action_digest, newRoot: null },
    );
  }
}

/** Null where the statement found that the facts had moved. */
export async function unlessMoved<T>(statement: Promise<T>): Promise<T | null> {
  try {
    return await statement;
  } catch (error) {
    if (isAgain(error)) return null;
    throw error;
  }
}

/**
 * INVARIANT (one doubt, no retry): a call that may have done something outside and doesn't commit ends `ambiguous`,
 * whoever ended it; its reasons say why.
 */
function endOfHeld(
  held: HeldCall,
  { code, message, hint }: HeldEnding,
): Pick<HeldEnding, 'code' | 'message' | 'hint'> & { state: State; txOutcome: TxOutcome } {
  const { effect_started, mutating } = held.operation;
  if (!hasRun(held)) return { code, message, hint, state: 'refused', txOutcome: endOf(mutating) };
  if (!effect_started) return { code, message, hint, state: 'rolled_back', txOutcome: endOf(mutating) };
  return {
    code: 'effect.ambiguous',
    message: FAULTS['effect.ambiguous'].message,
    hint: message,
    state: 'ambiguous',
    txOutcome: 'ambiguous',
  };
}

/**
 * What the outcome of a call that ran says beside a refusal's: what it did, which isn't committed, and what it used.
 */
function ranAs({ attempt, effect_digest, budget_delta, usage_counted_by }: OperationRow) {
  return { attempt, effect_digest, budget_delta, usage_counted_by };
}

/** What every record about a held call says of it. */
const subjectOf = ({ now, operation }: HeldCall) => ({ ...fieldsOfCall(operation), recorded_at: now });
