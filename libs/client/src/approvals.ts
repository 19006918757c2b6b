// SPDX-License-Identifier: Apache-2.0
import type { ApprovalsApi } from './generated/api-groups.ts';
import type { Approval, ApproveBody, DenyBody, Operation } from './generated/types.ts';
import type { RequestOptions, Signal } from './options.ts';

/** Options of an iteration over approvals. */
export interface PendingOptions {
  /** ends the iteration: it rejects with the signal's reason. Pass an `AbortSignal` */
  readonly signal?: Signal;
}

/** Approvals, with what the API's own routes do. */
export interface Approvals extends Omit<ApprovalsApi, 'approve' | 'deny'> {
  /**
   * Approvals that wait for a decision, those of now and then those that come, each once it can be decided. It goes on
   * until you leave it. An approval comes again where its effect was previewed anew, because that is another decision.
   */
  pending(options?: PendingOptions): AsyncIterable<Approval>;
  /**
   * Approves what was shown: an approval that you read names its effect, and with another one nothing is approved. By
   * its id, the body alone says what you approve.
   */
  approve(approval: Approval | string, body?: ApproveBody, options?: RequestOptions): Promise<Operation>;
  deny(approval: Approval | string, body?: DenyBody, options?: RequestOptions): Promise<Operation>;
}
