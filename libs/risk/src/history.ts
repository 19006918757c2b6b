// SPDX-License-Identifier: Apache-2.0

/**
 * Facts about the session before the call, which the caller counts from records: the library stores nothing between
 * calls. A missing fact counts as 0, or as absent.
 */
export interface RiskHistory {
  /** calls that a rule held or refused for their destruction, in the caller's window */
  readonly destructive_calls?: number;
  /** calls that failed just before, one after another */
  readonly failures_in_a_row?: number;
  /** flow labels of the session, such as `secret_read` */
  readonly labels?: readonly string[];
}

export const NO_HISTORY: RiskHistory = {};
