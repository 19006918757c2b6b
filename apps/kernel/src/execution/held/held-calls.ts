// SPDX-License-Identifier: Apache-2.0
import {
  Fault,
  FAULTS,
  type FaultCode,
  type Reason,
  type SessionGrantTerms,
  type State,
  type TxOutcome,
  type ValueScope,
} from '@writ/contract';
import type { Announcer } from '../announcements/index.ts';
import { unchangedOutcome, postable } from '../../judging/judgement/index.ts';
import { composeRecord, fieldsOfCall, type RecordSealer, type SealedRecord } from '../../evidence/records/index.ts';
import { kernelSql } from '../../foundation/database/functions/index.ts';
import { mustDecideAgain } from '../../foundation/database/kernel-errors.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { TenantPool } from '../../foundation/database/pools.ts';
import type { ApprovalRow, HeldCall } from '../../foundation/rows/held-rows.ts';
import type { OperationMonitor } from '../telemetry/operation-monitor.ts';
import { demandsColumn, type Demands } from './demands.ts';
import { hasRun } from './held-call.ts';
import { hasOwnRecord, voteDigest, type Vote } from './votes.ts';

/** The decision of a person, or of the clock, on a held call. */
export interface ApprovalClosing {
  readonly state: Exclude<ApprovalRow['state'], 'pending'>;
  /** an API key's id, or `kernel` for the clock */
  readonly actor: string;
  readonly comment: string | null;
  /** of a superseded approval: the call that replaces it */
  readonly supersededBy?: string;
  /** of a session grant: how many calls it serves, and for how long */
  readonly session?: SessionGrantTerms | null;
  /** of an approval that waits for a value: its name and scope, and the parameters of kernel.put_value */
  readonly given?: {
    readonly name: string;
    readonly scope: ValueScope;
    readonly columns: Readonly<Record<string, unknown>>;
  };
  /** the vote that decides it; absent for the clock and a cancellation */
  readonly vote?: Vote;
  /** what its groups had to meet, where it approves; absent: what the approval has */
  readonly demands?: Demands;
}

/** A decision that approves, with its vote. */
export type ApprovedClosing = ApprovalClosing & { readonly vote: Vote };

/** The counters of held calls. */
export type HeldMonitor = Pick<OperationMonitor, 'ended' | 'approvalClosed'>;

/** An approval about to be closed: its records, and the parameters of kernel.close_approval. */
export interface ClosedApproval {
  readonly records: readonly SealedRecord[];
  readonly columns: Readonly<Record<string, unknown>>;
}

/** Why a held call ends without having run. */
export interface HeldOutcome {
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
  readonly reasons: readonly Reason[];
  /**
   * the tenant's rules, as kernel.assert_rules takes them, where the call ends because of them: if they have changed,
   * nothing is written
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
 * Finds held calls and ends them. A call that never ran ends refused and costs nothing. A call whose effect waited is
 * rolled back, or is ambiguous if its run began something outside.
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
  async end(held: HeldCall, closing: ApprovalClosing, ending: HeldOutcome): Promise<OperationRow | null> {
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

  /** The records and columns that close the approval. */
  close(held: HeldCall, closing: ApprovalClosing): ClosedApproval {
    const { approval } = held;
    const { vote, state, actor, comment, supersededBy = null, demands } = closing;
    const voteRecord = vote !== undefined && hasOwnRecord(held, vote) ? this.sealVote(held, vote) : null;
    return {
      records: [...(voteRecord === null ? [] : [voteRecord]), this.#sealApproval(held, closing)],
      columns: {
        approval_id: approval.approval_id,
        state,
        decided_by: actor,
        comment,
        superseded_by: supersededBy,
        ...(demands === undefined ? {} : { demands: demandsColumn(demands) }),
        vote: vote === undefined ? null : { ...vote, record_id: voteRecord?.record_id ?? null },
      },
    };
  }

  /** The record of a vote. */
  sealVote(held: HeldCall, vote: Vote): SealedRecord {
    return this.#seal(held, vote.cast_by, { verb: 'vote', subject: vote.vote_id, digest: voteDigest(held, vote) });
  }

  /** The record of a step of an escalation. `digest`: of the step, and the groups that it adds. */
  sealEscalation(held: HeldCall, digest: string): SealedRecord {
    return this.#seal(held, 'kernel', { verb: 'escalate', subject: held.approval.approval_id, digest });
  }

  /** The record of a closed approval. */
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

/** Null where the statement was refused because the facts had changed. */
export async function unlessMoved<T>(statement: Promise<T>): Promise<T | null> {
  try {
    return await statement;
  } catch (error) {
    if (mustDecideAgain(error)) return null;
    throw error;
  }
}

/**
 * INVARIANT (one doubt, no retry): a call that may have done something outside and doesn't commit ends `ambiguous`,
 * whoever ended it; its reasons name the cause.
 */
function endOfHeld(
  held: HeldCall,
  { code, message, hint }: HeldOutcome,
): Pick<HeldOutcome, 'code' | 'message' | 'hint'> & { state: State; txOutcome: TxOutcome } {
  const { effect_started, mutating } = held.operation;
  if (!hasRun(held)) return { code, message, hint, state: 'refused', txOutcome: unchangedOutcome(mutating) };
  if (!effect_started) return { code, message, hint, state: 'rolled_back', txOutcome: unchangedOutcome(mutating) };
  return {
    code: 'effect.ambiguous',
    message: FAULTS['effect.ambiguous'].message,
    hint: message,
    state: 'ambiguous',
    txOutcome: 'ambiguous',
  };
}

/**
 * The fields that the outcome of a call that ran has beyond a refusal's: its effect, which isn't committed, and its
 * usage.
 */
function ranAs({ attempt, effect_digest, budget_delta, usage_counted_by }: OperationRow) {
  return { attempt, effect_digest, budget_delta, usage_counted_by };
}

/** The fields of every record about a held call. */
const subjectOf = ({ now, operation }: HeldCall) => ({ ...fieldsOfCall(operation), recorded_at: now });
