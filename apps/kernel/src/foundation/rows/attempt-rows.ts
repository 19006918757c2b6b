// SPDX-License-Identifier: Apache-2.0
import type { State, TxOutcome } from '@writ/contract';
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

/** Facts that an ending is decided on. */
export interface SeenOperation {
  /** milliseconds by the database's clock */
  readonly now: number;
  readonly operation: OperationRow;
}

/**
 * What of the tenant's rules a call is judged under, as the database says it. It goes back as it came, to be asserted
 * by what writes the decision.
 */
export interface RulesInForce {
  /** the hash of the set that the tenant has activated; null: the default one */
  readonly policy: string | null;
  /** of the session and the workspace */
  readonly labels: readonly string[];
  /** counts by the rules that need them; null where none does */
  readonly history: Readonly<Record<string, number>> | null;
}

/** What the database says of an attempt, as it says it. */
export interface FactRows extends SeenOperation {
  readonly tokens: readonly TokenRow[] | null;
  readonly head: Head | null;
  /** what covers the call; absent where it was just found uncovered */
  readonly frozen?: FreezeRow | null;
  /** encrypted; null when they are a blob */
  readonly args: Buffer | null;
  readonly args_ref: ArgumentsRef | null;
  readonly rules: RulesInForce;
}

/** The same, as a function that replies JSON has it: the arguments are base64. */
export type FactReply = Omit<FactRows, 'args'> & { readonly args: string | null };

/** What a redemption reads beside them. */
export interface RedeemedRows extends FactRows {
  readonly salt: Buffer | null;
}

/**
 * What became of an ending. `done`: durable, with its record. `settled`: it had ended before, so. `again`: what it was
 * decided on has changed (`head` tells if that moved), and nothing was written. `token.revoked`, `token.expired`,
 * `frozen`: the same, and the call may not end well any more.
 */
export type EndVerdict =
  | { readonly verdict: 'done'; readonly operation: OperationRow }
  | { readonly verdict: 'settled'; readonly state: State; readonly tx_outcome: TxOutcome | null }
  | { readonly verdict: 'again'; readonly head?: Head }
  | { readonly verdict: 'fenced' | 'gone' | 'token.revoked' | 'token.expired' | 'frozen' };
