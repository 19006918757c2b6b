// SPDX-License-Identifier: Apache-2.0
import type { FaultCode, PreconditionRef, Provenance, Reason, TenantId, ToolDefinition } from '@writ/contract';
import type { TokenAccount } from '@writ/capability';
import type { SignedSandbox } from '@writ/mk8-shell';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import type { CountNeeded } from '../policies/policy-sets.ts';
import type { SessionPast } from '../../foundation/rows/session-past.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { StandingProfile } from '../tools/execution-profiles.ts';
import type { Claim } from '../../foundation/database/functions/admission.ts';
import type { RulesInForce } from '../../foundation/rows/attempt-rows.ts';
import type { Versions } from './versions.ts';

/** What is judged: a call as proposed, or a held one once more. */
export interface JudgedCall {
  readonly operation_id: string;
  readonly tenant_id: TenantId;
  readonly agent_id: string;
  readonly tool_id: string;
  readonly capability_token_id: string;
  readonly workspace_id: string;
  readonly session_id: string | null;
  readonly session_mode: OperationRow['session_mode'];
  /** the key on whose behalf it is made */
  readonly proposed_by: string;
  /** the most freedom that the session leaves, or the supervision already asked for; it only lowers */
  readonly max_autonomy: OperationRow['autonomy_mode'] | null;
  readonly task_class: string;
  readonly idempotency_key: string | null;
  readonly precondition_refs: readonly PreconditionRef[];
  readonly provenance: Provenance;
  readonly deadline: number | null;
}

/** Arguments that are an object of I-JSON within the limits. */
export interface Arguments {
  readonly value: Readonly<Record<string, unknown>>;
  /** their RFC 8785 bytes */
  readonly canonical: Uint8Array;
  /** where they are kept, when they came by reference */
  readonly ref: ArgumentsRef | null;
}

/** Everything that a judgement reads, as of one instant of the database's clock. */
export interface CallFacts {
  readonly now: number;
  readonly existing: OperationRow | null;
  readonly claim: Claim | null;
  /** leaf first, root last; empty for a token that isn't the tenant's */
  readonly chain: readonly TokenAccount[];
  readonly agent: boolean;
  /** null for a workspace that isn't the tenant's */
  readonly head: string | null;
  /** of the resources that the call relies on; null where it relies on none */
  readonly versions?: Versions | null;
  /** the tenant's tool that it names; null or absent where that is one of Writ's own, or none */
  readonly tool?: ToolDefinition | null;
  /** of a call that asks for a value: whether it needn't ask a person; absent where nobody looked */
  readonly value_known?: boolean;
  /** of the secrets that the call names, those that are there; absent where nobody looked: then none is */
  readonly secrets?: readonly string[];
  /**
   * the registered sandbox that its script is to run in, or why there is none; null where it names none, absent where
   * nobody looked. Never remembered
   */
  readonly sandbox?: SignedSandbox | Refusal | null;
  /**
   * the execution profile that its raw command is to run under; null where it names none or there is none, absent where
   * nobody looked. Never remembered
   */
  readonly profile?: StandingProfile | null;
  /** what stops the call, whoever proposes it */
  readonly frozen: FreezeRow | null;
  /** whether the API key that proposes the call was revoked */
  readonly keyRevoked: boolean;
  readonly rules: RulesInForce;
  /** what `rules.history` was counted for */
  readonly needs: readonly CountNeeded[] | null;
  /** of the session, for risk; null for a call whose risk doesn't hang on it */
  readonly past: SessionPast | null;
  /** as many calls of the tenant wait for an executor as may */
  readonly queueFull: boolean;
  readonly outbox: { readonly oldest: number | null; readonly rows: number };
  /**
   * set where they were read for an earlier call: then only an admission may be written on them, and what writes it
   * MUST assert them all
   */
  readonly remembered?: true;
  /**
   * with remembered facts: for how many calls of the tenant what writes them MUST find room; null where it needn't look
   */
  readonly room?: number | null;
}

/** A no, in words. */
export interface Refusal {
  readonly effect: 'refuse';
  readonly code: FaultCode;
  readonly message: string;
  /** what would have made it pass */
  readonly hint?: string;
  /** all that is wrong, where that is more than the message */
  readonly reasons?: readonly Reason[];
}

export function refusal(code: FaultCode, message: string, hint?: string): Refusal {
  return hint === undefined ? { effect: 'refuse', code, message } : { effect: 'refuse', code, message, hint };
}
