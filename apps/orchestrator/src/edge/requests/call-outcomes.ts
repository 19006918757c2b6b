// SPDX-License-Identifier: Apache-2.0

/**
 * How a call stands, in one word: the values of the header `Writ-Outcome`. `refused`: nothing of it was done, by a rule
 * or a person; `failed`: it was tried, and nothing of it stays; `held`: a person must decide; `running`: it is under
 * way; `unknown`: an effect outside was started, and nobody knows whether it happened.
 */
export const CALL_OUTCOMES = ['ok', 'refused', 'failed', 'held', 'running', 'unknown'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];
