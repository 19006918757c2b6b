// SPDX-License-Identifier: Apache-2.0
import type { SessionApproval } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import type { ArgumentsRef } from '../../rows/content-ref.ts';
import type { SessionPast } from '../../rows/session-past.ts';
import type { RedeemedRows, RulesInForce } from '../../rows/attempt-rows.ts';
import type { FreezeRow } from '../../rows/freeze-row.ts';
import type { OperationRow } from '../../rows/operation-row.ts';
import type { TokenRow } from '../../rows/token-row.ts';
import { kernelFunction } from './kernel-function.ts';

/** An idempotency key that was claimed before, and the operation that holds it. */
export interface Claim {
  /** hex; null once the payload was erased */
  readonly fingerprint: string | null;
  readonly capability_token_id: string;
  /** whether the credentials of both calls are of one person; null where either is of nobody */
  readonly same_subject: boolean | null;
  readonly operation: OperationRow;
}

/** A token with its budgets, as kernel.facts_of_call returns it. */
export type AccountRow = TokenRow & {
  readonly budgets: Readonly<Record<string, { readonly reserved: number; readonly used: number }>>;
};

/** The reply of kernel.facts_of_call. */
export interface CallFactRows {
  readonly now: number;
  readonly existing: OperationRow | null;
  readonly claim: Claim | null;
  readonly chain: readonly AccountRow[];
  readonly agent: boolean;
  readonly head: string | null;
  readonly frozen: FreezeRow | null;
  readonly key_revoked: boolean;
  /** whether the tenant is closed; null where there is no such tenant */
  readonly closed: boolean | null;
  readonly rules: RulesInForce;
  readonly past: SessionPast | null;
  readonly queue_full: boolean;
  /** for a call that isn't interactive */
  readonly background_queue_full: boolean;
  readonly outbox_oldest: number | null;
  readonly outbox_rows: number;
  /** those that bound the call; null where the tenant has none, absent where the facts were not read */
  readonly budgets: readonly PeriodBudgetUse[] | null;
}

/** A budget per day or month, with its use when it was read. */
export interface PeriodBudgetUse {
  readonly budget_id: string;
  readonly subject_kind: 'tenant' | 'agent' | 'person' | 'group' | 'api_key';
  readonly subject: string;
  readonly period: 'day' | 'month';
  readonly measure: 'calls' | 'llm_tokens' | 'cost';
  readonly currency: string | null;
  readonly bound: number;
  readonly used: number;
  /** milliseconds since the epoch */
  readonly resets_at: number;
}

/** The token of a session grant, as kernel.session_approvals returns it. */
export interface ApprovedSession {
  readonly capability_token_id: string;
  readonly approval: SessionApproval;
  readonly tools: readonly string[];
  /** of the call that was approved: sealed, base64 */
  readonly args: string | null;
  readonly args_ref: ArgumentsRef | null;
}

/** `verdict` and the columns after it are null where the call waits in its lane like any other. */
export type AssignedRows = RedeemedRows & { readonly admitted: OperationRow; readonly verdict: 'redeemed' | null };

/** The functions of `sql/functions/admission` that the kernel calls. */
export const admissionFunctions = {
  admit: kernelFunction<OperationRow>()(
    'kernel.admit',
    {
      tenant: sqlTypes.text,
      p: sqlTypes.jsonbText,
      args: sqlTypes.nullable(sqlTypes.bytea),
      salt: sqlTypes.bytea,
      fingerprint: sqlTypes.nullable(sqlTypes.bytea),
    },
    {
      returns: 'value',
      errors: ['decide_again', 'operation_taken', 'key_retired', 'tool_changed', 'key_bound', 'check_violation'],
    },
  ),
  admitAssigned: kernelFunction<AssignedRows>()(
    'kernel.admit_assigned',
    {
      tenant: sqlTypes.text,
      p: sqlTypes.jsonbText,
      args: sqlTypes.nullable(sqlTypes.bytea),
      salt: sqlTypes.bytea,
      fingerprint: sqlTypes.nullable(sqlTypes.bytea),
      executor: sqlTypes.text,
      nonce: sqlTypes.text,
      most: sqlTypes.nullable(sqlTypes.integer),
      ttl_ms: sqlTypes.bigint,
      lease_ms: sqlTypes.bigint,
    },
    {
      returns: 'row',
      errors: ['decide_again', 'operation_taken', 'key_retired', 'tool_changed', 'key_bound', 'check_violation'],
    },
  ),
  admitDryRun: kernelFunction<OperationRow>()(
    'kernel.admit_dry_run',
    {
      tenant: sqlTypes.text,
      p: sqlTypes.jsonbText,
      args: sqlTypes.nullable(sqlTypes.bytea),
      salt: sqlTypes.bytea,
      fingerprint: sqlTypes.nullable(sqlTypes.bytea),
      result: sqlTypes.bytea,
      result_hash: sqlTypes.text,
    },
    {
      returns: 'value',
      errors: [
        'decide_again',
        'operation_taken',
        'key_retired',
        'tool_changed',
        'key_bound',
        'check_violation',
        'no_data_found',
      ],
    },
  ),
  admitEach: kernelFunction<(OperationRow | null)[]>()(
    'kernel.admit_each',
    {
      tenants: sqlTypes.textArray,
      p: sqlTypes.textArray,
      args: sqlTypes.byteaArray,
      salts: sqlTypes.byteaArray,
      fingerprints: sqlTypes.byteaArray,
    },
    { returns: 'value' },
  ),
  factsOfCall: kernelFunction<CallFactRows>()(
    'kernel.facts_of_call',
    {
      tenant: sqlTypes.text,
      operation: sqlTypes.text,
      agent: sqlTypes.text,
      tool: sqlTypes.text,
      key: sqlTypes.nullable(sqlTypes.text),
      token: sqlTypes.text,
      workspace: sqlTypes.text,
      rows_max: sqlTypes.integer,
      session: sqlTypes.text,
      needs: sqlTypes.nullable(sqlTypes.jsonb<object>()),
      past: sqlTypes.nullable(sqlTypes.jsonb<object>()),
      proposed_by: sqlTypes.text,
      person: sqlTypes.text,
    },
    { returns: 'value' },
  ),
  sessionApprovals: kernelFunction<ApprovedSession[]>()(
    'kernel.session_approvals',
    {
      tenant: sqlTypes.text,
      agent: sqlTypes.text,
      token: sqlTypes.text,
      session: sqlTypes.nullable(sqlTypes.text),
      rows: sqlTypes.integer,
    },
    { returns: 'value' },
  ),
} as const;
