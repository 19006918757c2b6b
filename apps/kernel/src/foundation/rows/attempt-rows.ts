// SPDX-License-Identifier: Apache-2.0
import type { CallSettings, State, TxOutcome } from '@writ/contract';
import type { ArgumentsRef } from './content-ref.ts';
import type { FreezeRow } from './freeze-row.ts';
import type { OperationRow } from './operation-row.ts';
import type { TokenRow } from './token-row.ts';

/** Names a call of any tenant. */
export interface CallRef {
  readonly tenant_id: string;
  readonly operation_id: string;
}

/** The newest state of a workspace, and how many there were before. */
export interface Head {
  readonly snapshot_id: string;
  readonly seq: number;
}

/** The facts on which the outcome of a call is decided. */
export interface SeenOperation {
  /** milliseconds by the database's clock */
  readonly now: number;
  readonly operation: OperationRow;
}

/**
 * The tenant's rules that a call is judged under, as the database returns them. The statement that writes the decision
 * receives them unchanged and asserts them.
 */
export interface RulesInForce {
  /** the hash of the set that the tenant has activated; null: the default one */
  readonly policy: string | null;
  /** of the session and the workspace */
  readonly labels: readonly string[];
  /** counts by the rules that need them; null where none does */
  readonly history: Readonly<Record<string, number>> | null;
  /** the tenant's settings of calls */
  readonly settings: CallSettings;
}

/** The facts of an attempt, as the database returns them. */
export interface FactRows extends SeenOperation {
  readonly tokens: readonly TokenRow[] | null;
  readonly head: Head | null;
  /** the freeze that covers the call; absent where the call was just found not to be frozen */
  readonly frozen?: FreezeRow | null;
  /** encrypted; null when they are a blob */
  readonly args: Buffer | null;
  readonly args_ref: ArgumentsRef | null;
  readonly rules: RulesInForce;
}

/** The same facts, as a function that replies JSON returns them: the arguments are base64. */
export type FactReply = Omit<FactRows, 'args'> & { readonly args: string | null };

/** The same facts, and what only a redemption reads. */
export interface RedeemedRows extends FactRows {
  readonly salt: Buffer | null;
}

/**
 * The result of ending a call. `done`: durable, with its record. `settled`: the call had ended before, as given.
 * `again`: a fact behind the decision has changed (`head` is set if the head moved), and nothing was written.
 * `token.revoked`, `token.expired`, `frozen`: the same, and the call may not commit any more.
 */
export type EndVerdict =
  | { readonly verdict: 'done'; readonly operation: OperationRow }
  | { readonly verdict: 'settled'; readonly state: State; readonly tx_outcome: TxOutcome | null }
  | { readonly verdict: 'again'; readonly head?: Head }
  | { readonly verdict: 'fenced' | 'gone' | 'token.revoked' | 'token.expired' | 'frozen' };
