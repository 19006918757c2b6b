// SPDX-License-Identifier: Apache-2.0
import { MODEL_FAULTS, type ModelError } from './model-error.ts';

export interface RetryRules {
  /** retries for one reply */
  readonly retries_max: number;
  /** the bound on the first wait; it doubles */
  readonly base_ms: number;
  readonly wait_ms_max: number;
  /** a longer wait that a provider requests ends the retries */
  readonly retry_after_ms_max: number;
}

export const RETRY_RULES: RetryRules = {
  retries_max: 5,
  base_ms: 1_000,
  wait_ms_max: 30_000,
  retry_after_ms_max: 120_000,
};

/**
 * How long to wait before a retry: full jitter over a doubling bound, and never less than the provider requests. Jitter
 * is added to that too, so that the clients that were refused together don't return together.
 *
 * @param failures how often this reply failed, including now: 1 and up
 * @param chance in [0, 1)
 * @returns milliseconds; null if a retry can't help or isn't allowed
 */
export function retryDelayMs(
  error: ModelError,
  failures: number,
  chance: number,
  rules: RetryRules = RETRY_RULES,
): number | null {
  if (!MODEL_FAULTS[error.fault].retry || failures > rules.retries_max) return null;
  const requestedMs = error.retryAfterMs ?? 0;
  if (requestedMs > rules.retry_after_ms_max) return null;
  const bound = Math.min(rules.wait_ms_max, rules.base_ms * 2 ** (failures - 1));
  return Math.round(requestedMs + chance * bound);
}
