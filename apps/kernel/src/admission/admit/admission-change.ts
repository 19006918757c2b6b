// SPDX-License-Identifier: Apache-2.0
import { approvalExpiry, demandsColumn, waitingColumns } from '../../execution/held/index.ts';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import {
  amountsOf,
  approvedDigest,
  assertedCachedFacts,
  assertedVersions,
  assertedRules,
  postable,
  reservationRows,
  type CallFacts,
} from '../../judging/judgement/index.ts';
import { mayRun, type SealedDecision, type DecidedColumns } from './decided-operation.ts';

/** How the content of a call is stored. */
export interface StoredContent {
  /** the wrapped key of its holder, where the database doesn't have it yet; else null */
  readonly wrappedKey: Buffer | null;
  /** null for arguments that are stored in the row or can't be read */
  readonly argsRef: ArgumentsRef | null;
}

/**
 * The decision as the parameter of `kernel.admit`: the columns of the operation, the facts to assert, and the rows that
 * are written with it.
 */
export function admissionChange(
  decided: SealedDecision,
  columns: DecidedColumns,
  facts: CallFacts,
  { wrappedKey, argsRef }: StoredContent,
): Readonly<Record<string, unknown>> {
  const { proposal, judgement, sealed } = decided;
  const { call } = proposal;
  const { state } = columns;
  const runs = mayRun(state);
  return {
    operation: columns,
    ...(wrappedKey === null ? {} : { key: wrappedKey.toString('base64') }),
    own_token: proposal.sessionGrant?.own_token ?? null,
    args_ref: argsRef,
    rules: assertedRules(call, facts, judgement),
    labels: state === 'admitted' ? judgement.labels : [],
    chain: runs ? facts.chain.map(({ token }) => token.capability_token_id) : null,
    head: runs && call.precondition_refs.length > 0 ? judgement.head : null,
    ...(runs ? assertedVersions(call) : {}),
    ...(facts.cached === true ? { remembered: assertedCachedFacts(call, facts) } : {}),
    approval: approvalOf(decided, facts),
    preview:
      state === 'held' && judgement.preview !== null
        ? { limits: judgement.preview.limits, reserved: amountsOf(judgement.preview.reservations) }
        : null,
    reserve: reservationRows(reservationsOf(decided, columns)),
    records: [postable(sealed)],
  };
}

/** The approval that a held call waits for; null for other calls. */
function approvalOf({ proposal, judgement, action, approvalId }: SealedDecision, { now, chain }: CallFacts) {
  if (approvalId === null) return null;
  return {
    approval_id: approvalId,
    of: judgement.waits_for,
    action_digest: approvedDigest(action),
    quorum: judgement.approvers?.count ?? 1,
    demands: demandsColumn(judgement.approvers?.groups ?? []),
    ...waitingColumns(judgement.waiting),
    expires_at: approvalExpiry(
      now,
      judgement.approval_ms,
      proposal.call.deadline,
      chain.map(({ token }) => token),
    ),
  };
}

/** A held call reserves only what its preview may use. */
function reservationsOf(
  { judgement }: SealedDecision,
  { state }: DecidedColumns,
): SealedDecision['judgement']['reservations'] {
  if (state === 'admitted') return judgement.reservations;
  return state === 'held' ? (judgement.preview?.reservations ?? []) : [];
}
