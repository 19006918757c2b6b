// SPDX-License-Identifier: Apache-2.0
import type {
  FaultCode,
  McpServerToolView,
  PreconditionRef,
  Provenance,
  Reason,
  TenantId,
  ToolDefinition,
} from '@writ/contract';
import type { TokenAccount } from '@writ/capability';
import type { SignedSandbox } from '@writ/mk8-shell';
import type { ArgumentsRef } from '../../foundation/rows/content-ref.ts';
import type { CountNeeded } from '../policies/policy-sets.ts';
import type { SessionPast } from '../../foundation/rows/session-past.ts';
import type { FreezeRow } from '../../foundation/rows/freeze-row.ts';
import type { OperationRow } from '../../foundation/rows/operation-row.ts';
import type { ImageFor } from '../../foundation/database/functions/index.ts';
import type { CurrentProfile } from '../definitions/execution-profiles.ts';
import type { GrantedDefinition } from '../definitions/granted-definitions.ts';
import type { Consent } from '../definitions/person-consents.ts';
import type { NamedResource } from '../definitions/registered-resources.ts';
import type { Claim, PeriodBudgetUse } from '../../foundation/database/functions/admission.ts';
import type { RulesInForce } from '../../foundation/rows/attempt-rows.ts';
import type { Versions } from './versions.ts';

/** A call to judge: as proposed, or a held one once more. */
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
  /** the persons involved, the one who proposed it first; absent or empty: `proposed_by` stands in */
  readonly proposers?: readonly string[];
  /** the pseudonym of the person on whose behalf it is made; null or absent: none is known */
  readonly person?: string | null;
  /** the most freedom that the session allows, or the supervision already required; it only lowers */
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
  /** where they are stored, when they came by reference */
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
  /** external versions that the call relies on; null where it relies on none */
  readonly versions?: Versions | null;
  /** the tenant's tool that the call names; null or absent where that is one of Writ's own, or none */
  readonly tool?: ToolDefinition | null;
  /** the state of the tool of an MCP server that the call names and that is not in force; absent for any other call */
  readonly mcpTool?: McpServerToolView['state'] | null;
  /** for a call that requests a value: whether it needn't ask a person; absent where this was not read */
  readonly value_exists?: boolean;
  /** those of the secrets that the call names that exist; absent where this was not read: then none counts */
  readonly secrets?: readonly string[];
  /**
   * those of the secrets that the call names or requests that its token does not grant, and that a person gave to its
   * session; absent where this was not read: then none counts. Never cached
   */
  readonly given_secrets?: readonly string[];
  /**
   * the registered sandbox that the call's script is to run in, or why there is none; null where it names none, absent
   * where this was not read. Never cached
   */
  readonly sandbox?: SignedSandbox | Refusal | null;
  /**
   * the execution profile that the call's raw command is to run under; null where it names none or there is none,
   * absent where this was not read. Never cached
   */
  readonly profile?: CurrentProfile | null;
  /**
   * the tenant's image that the call is to run in; null where the deployment decides. Callers that admit a call MUST
   * have read it. Never cached
   */
  readonly image?: ImageFor | null;
  /**
   * the sandbox, profile or skill that the arguments name, as it is granted to the agent; null where they name none,
   * absent where this was not read. Never cached
   */
  readonly definition?: GrantedDefinition | null;
  /**
   * the registered resources that the call's arguments name, in their order; absent where this was not read: then a
   * call that names one is refused. Never cached
   */
  readonly resources?: readonly NamedResource[];
  /**
   * the secrets that the settings of these resources name and that the tenant doesn't have; absent where this was not
   * read: then none exists
   */
  readonly missing_secrets?: readonly string[];
  /**
   * whether the person of the call consented that the MCP server acts under their rights; null where it takes no rights
   * of persons. Absent where this was not read: then nobody has. Never cached
   */
  readonly consent?: Consent | null;
  /**
   * for a call that applies a staged change: null where the kernel has verified that, else why it doesn't. Absent where
   * this was not read: then it counts as unverified
   */
  readonly staged?: Refusal | null;
  /** the freeze that stops the call, whoever proposes it */
  readonly frozen: FreezeRow | null;
  /** whether the API key that proposes the call was revoked */
  readonly keyRevoked: boolean;
  /** whether the tenant is closed: then nothing is admitted any more */
  readonly closed: boolean;
  readonly rules: RulesInForce;
  /** the needs that `rules.history` was counted for */
  readonly needs: readonly CountNeeded[] | null;
  /** of the session, for risk; null for a call whose risk doesn't depend on it */
  readonly past: SessionPast | null;
  /** whether as many calls of the tenant wait for an executor as may */
  readonly queueFull: boolean;
  /** the same for calls that aren't interactive, which leave a part of the queue free */
  readonly backgroundQueueFull: boolean;
  /**
   * the budgets per day and month that bound the call; absent where they were not read. The statement that admits the
   * call asserts them
   */
  readonly budgets?: readonly PeriodBudgetUse[];
  readonly outbox: { readonly oldest: number | null; readonly rows: number };
  /**
   * set where the facts were read for an earlier call: then only an admission may be written on them, and the statement
   * that writes it MUST assert them all
   */
  readonly cached?: true;
  /**
   * with cached facts: the calls of the tenant for which the statement that writes them MUST find room; null where it
   * needn't check
   */
  readonly queueHeadroom?: number | null;
}

/** A refusal, in words. */
export interface Refusal {
  readonly effect: 'refuse';
  readonly code: FaultCode;
  readonly message: string;
  /** how the call would have passed */
  readonly hint?: string;
  /** all problems, where there are more than the message names */
  readonly reasons?: readonly Reason[];
}

export function refusal(code: FaultCode, message: string, hint?: string): Refusal {
  return hint === undefined ? { effect: 'refuse', code, message } : { effect: 'refuse', code, message, hint };
}
