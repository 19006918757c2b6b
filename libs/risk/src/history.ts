// SPDX-License-Identifier: Apache-2.0

/**
 * What happened before in the session, as the caller counted it from records: the library keeps nothing between calls.
 * A fact that isn't given counts as 0, or as absent.
 */
export interface RiskHistory {
  /** calls that a rule held or refused for what they destroy, in the window that the caller looks back */
  readonly destructive_calls?: number;
  /** calls that failed just before, one after another */
  readonly failures_in_a_row?: number;
  /** flow labels that the session has gathered, such as `secret_read` */
  readonly labels?: readonly string[];
}

export const NO_HISTORY: RiskHistory = {};
