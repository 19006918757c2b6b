// SPDX-License-Identifier: Apache-2.0
import type { Operation, ToolCall, ToolResult } from './generated/types.ts';
import type { RequestOptions } from './options.ts';
import type { CallReceipt } from './receipts.ts';

/** Options of a call. */
export interface CallOptions extends RequestOptions {
  /** milliseconds to wait for the end of the call, at most 55,000; default: 30,000 */
  readonly waitMs?: number;
  /** further members of the call, such as `workspace_id`, `dry_run` or `session_id` */
  readonly fields?: Omit<Partial<ToolCall>, 'tool_id' | 'args' | 'idempotency_key'>;
}

/** Options of a wait for the end of a call. */
export interface WaitOptions extends RequestOptions {
  /** milliseconds for the whole wait; default: no limit, since a held call ends by itself when its approval expires */
  readonly timeoutMs?: number;
}

interface CallHandle {
  readonly operationId: string;
  /** whether this is the outcome of an earlier request with the same idempotency key */
  readonly replayed: boolean;
  /** The result of the tool, when the call has ended. @throws CallRefusedError, CallFailedError */
  result(options?: WaitOptions): Promise<unknown>;
  /** The call when it has ended. */
  settled(options?: WaitOptions): Promise<SettledCall>;
  /** The call when no person is waited for any more: it has ended, or runs, or waits for its caller to run it. */
  decided(options?: WaitOptions): Promise<DecidedCall>;
  /** The receipt of its outcome, else of its decision: it waits until the record is in the log. */
  receipt(options?: WaitOptions): Promise<CallReceipt>;
  /** The operation as it is now. */
  operation(options?: RequestOptions): Promise<Operation>;
  /** Cancels the call, unless it has ended. */
  cancel(options?: RequestOptions): Promise<Operation>;
}

/** The call has run, and what it changed is committed. */
export interface OkCall extends CallHandle {
  readonly outcome: 'ok';
  readonly toolResult: ToolResult;
}

/** The call was refused, and did not run. */
export interface RefusedCall extends CallHandle {
  readonly outcome: 'refused';
  /** a code of the closed table, such as `policy.denied` */
  readonly code: string;
  readonly hint: string | null;
  readonly toolResult: ToolResult | null;
}

/** The call ran and failed: nothing was committed. With the code `effect.ambiguous` nobody knows. */
export interface FailedCall extends CallHandle {
  readonly outcome: 'failed';
  readonly code: string;
  readonly hint: string | null;
  readonly toolResult: ToolResult | null;
}

/** The call waits for a person. */
export interface HeldCall extends CallHandle {
  readonly outcome: 'held';
  readonly approvalId: string;
}

/** The call has not ended within `waitMs`. Where `awaits` is `caller`, its proposer is to run it, under a permit. */
export interface RunningCall extends CallHandle {
  readonly outcome: 'running';
  readonly awaits: 'caller' | null;
}

export type SettledCall = OkCall | RefusedCall | FailedCall;
export type DecidedCall = SettledCall | RunningCall;
export type Call = DecidedCall | HeldCall;
