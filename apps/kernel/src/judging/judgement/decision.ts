// SPDX-License-Identifier: Apache-2.0
import type { Provenance, TenantId, TxOutcome, VerdictName } from '@writ/contract';
import { actionDigest, type Action } from '@writ/digest';
import { destroysAnything } from '@writ/risk';
import {
  composeRecord,
  traceIdsOf,
  type RecordSealer,
  type SealedRecord,
  type UnsealedRecord,
} from '../../evidence/records/index.ts';
import type { TokenReservation } from '@writ/capability';
import type { CallFacts, JudgedCall } from './call.ts';
import { sessionOf } from './facts.ts';
import { redactionsOf, reservedOf, type Judgement } from './judgement.ts';
import { DESTRUCTION_QUERY, pastQueryFor } from './session-past.ts';
import type { RulesInForce } from '../../foundation/rows/attempt-rows.ts';

/** The fields of a decision's record about the call, apart from the judgement. */
export interface DecidedCall {
  readonly tenant_id: TenantId;
  readonly operation_id: string;
  readonly agent_id: string;
  readonly workspace_id: string | null;
  readonly provenance: Provenance;
  /** the pseudonym of the person on whose behalf it is made; null or absent: none is known */
  readonly person?: string | null;
  readonly task_class: string;
  readonly traceparent: string | null;
  /** milliseconds by the database's clock */
  readonly recorded_at: number;
  readonly action: Action;
}

/** The record of a decision, not yet sealed. */
export function decisionRecord(
  call: DecidedCall,
  judgement: Judgement,
  verdict: VerdictName,
  txOutcome: TxOutcome | null,
): UnsealedRecord {
  return composeRecord({
    kind: 'tool_call',
    phase: 'decision',
    tenant_id: call.tenant_id,
    recorded_at: call.recorded_at,
    operation_id: call.operation_id,
    verdict,
    rule_ids: [...judgement.rule_ids],
    fault_code: judgement.refusal?.code ?? null,
    agent_id: call.agent_id,
    workspace_id: call.workspace_id,
    ...call.action,
    provenance: call.provenance,
    person: call.person ?? null,
    task_class: call.task_class,
    autonomy_mode: judgement.autonomy_mode,
    risk_score: judgement.risk_score,
    risk_basis: [...judgement.risk_basis],
    tx_outcome: txOutcome,
    budget_delta: judgement.reservations.length === 0 ? null : reservedOf(judgement),
    redactions: redactionsOf(judgement),
    ...traceIdsOf(call.traceparent),
  });
}

export function sealDecision(sealer: RecordSealer, record: UnsealedRecord, action: Action): SealedRecord {
  return sealer.seal(record, { actionDigest: actionDigest(action), newRoot: null });
}

/** A sealed record as kernel.post_records takes it. */
export function postable(sealed: SealedRecord): Record<string, string> {
  return {
    record_id: sealed.record_id,
    payload: sealed.payload.toString('base64'),
    keyid: sealed.keyid,
    sig: sealed.sig.toString('base64'),
  };
}

/**
 * The rules that a call was decided under, as kernel.assert_rules takes them. For a call that destroys something they
 * include how many such calls it counted.
 */
export function assertedRules(
  call: Pick<JudgedCall, 'operation_id' | 'session_id' | 'capability_token_id' | 'workspace_id'>,
  { rules, needs, past }: CallFacts,
  { risk_basis }: Pick<Judgement, 'risk_basis'>,
): Record<string, unknown> {
  const counted =
    past !== null && destroysAnything(risk_basis)
      ? { past: { operation: call.operation_id, asked: DESTRUCTION_QUERY, seen: past.destructive_calls } }
      : {};
  return { session: sessionOf(call), workspace: call.workspace_id, needs, seen: rules, ...counted };
}

/** The cached facts that nothing else asserts, as kernel.assert_remembered takes them. */
export function assertedCachedFacts(
  call: Pick<JudgedCall, 'tool_id' | 'session_id' | 'capability_token_id'>,
  { now, head, past, queueHeadroom }: CallFacts,
): Record<string, unknown> {
  return {
    now,
    head,
    room: queueHeadroom,
    session: sessionOf(call),
    past: past === null ? null : { asked: pastQueryFor(call.tool_id), seen: past },
  };
}

/**
 * Returns whether two readings saw the same rules, as far as they matter for an effect: what a session did before is
 * judged once, at admission.
 */
export function sameRules(one: RulesInForce, other: RulesInForce): boolean {
  return (
    one.policy === other.policy &&
    JSON.stringify(one.labels) === JSON.stringify(other.labels) &&
    JSON.stringify(one.settings) === JSON.stringify(other.settings)
  );
}

/** Reservations as kernel.reserve takes them: one row for each token and dimension, in the order of both. */
export function reservationRows(
  reservations: readonly TokenReservation[],
): { token: string; dimension: string; amount: number }[] {
  return reservations.flatMap(({ capability_token_id, amounts }) =>
    Object.entries(amounts)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([dimension, amount]) => ({ token: capability_token_id, dimension, amount })),
  );
}
