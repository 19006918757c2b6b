// SPDX-License-Identifier: Apache-2.0
import { approvalExpiry } from '../../execution/held/index.ts';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import {
  amountsOf,
  approvedDigest,
  assertedMemory,
  assertedVersions,
  decidedUnder,
  postable,
  reservationRows,
  type CallFacts,
} from '../../judging/judgement/index.ts';
import { willRun, type Decided, type DecidedColumns } from './decided-operation.ts';

/** What the content of a call is stored with. */
export interface StoredContent {
  /** the key of its holder, wrapped, where the database doesn't have it yet; else null */
  readonly wrappedKey: Buffer | null;
  /** null for arguments that are stored in the row, and for those that can't be read */
  readonly argsRef: ArgumentsRef | null;
}

/** A decision as kernel.admit takes it: the columns, what they were decided on, and what comes with the operation. */
export function admissionChange(
  decided: Decided,
  columns: DecidedColumns,
  facts: CallFacts,
  { wrappedKey, argsRef }: StoredContent,
): Readonly<Record<string, unknown>> {
  const { proposal, judgement, sealed } = decided;
  const { call } = proposal;
  const { state } = columns;
  const runs = willRun(state);
  return {
    operation: columns,
    ...(wrappedKey === null ? {} : { key: wrappedKey.toString('base64') }),
    own_token: proposal.session?.own_token ?? null,
    args_ref: argsRef,
    rules: decidedUnder(call, facts, judgement),
    labels: state === 'admitted' ? judgement.labels : [],
    chain: runs ? facts.chain.map(({ token }) => token.capability_token_id) : null,
    head: runs && call.precondition_refs.length > 0 ? judgement.head : null,
    ...(runs ? assertedVersions(call) : {}),
    ...(facts.remembered === true ? { remembered: assertedMemory(call, facts) } : {}),
    approval: approvalOf(decided, facts),
    preview:
      state === 'held' && judgement.preview !== null
        ? { limits: judgement.preview.limits, reserved: amountsOf(judgement.preview.reservations) }
        : null,
    reserve: reservationRows(reservedAs(decided, columns)),
    records: [postable(sealed)],
  };
}

/** The approval that a held call waits for; null for any other. */
function approvalOf({ proposal, judgement, action, approvalId }: Decided, { now, chain }: CallFacts) {
  if (approvalId === null) return null;
  return {
    approval_id: approvalId,
    of: judgement.waits_for,
    action_digest: approvedDigest(action),
    quorum: judgement.approvers?.count ?? 1,
    expires_at: approvalExpiry(
      now,
      judgement.approval_ms,
      proposal.call.deadline,
      chain.map(({ token }) => token),
    ),
  };
}

/** A held call reserves what its preview may use. */
function reservedAs({ judgement }: Decided, { state }: DecidedColumns): Decided['judgement']['reservations'] {
  if (state === 'admitted') return judgement.reservations;
  return state === 'held' ? (judgement.preview?.reservations ?? []) : [];
}
