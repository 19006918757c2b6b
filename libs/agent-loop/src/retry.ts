// SPDX-License-Identifier: Apache-2.0
import { MODEL_FAULTS, type ModelError } from './model-error.ts';

export interface RetryRules {
  /** how often a model is asked again for one reply */
  readonly retries_max: number;
  /** the longest wait before the first of them; it doubles */
  readonly base_ms: number;
  readonly wait_ms_max: number;
  /** a provider that asks for more isn't waited for */
  readonly retry_after_ms_max: number;
}

export const RETRY_RULES: RetryRules = {
  retries_max: 5,
  base_ms: 1_000,
  wait_ms_max: 30_000,
  retry_after_ms_max: 120_000,
};

/**
 * How long to wait before a model is asked again: full jitter over a doubling bound, and never less than the provider
 * asks for, to which jitter is added too, so that the many that were turned away together don't come back together.
 *
 * @param failures how often this reply failed, this one counted: 1 and up
 * @param chance in [0, 1)
 * @returns milliseconds; null when asking again can't help or isn't allowed
 */
export function retryDelayMs(
  error: ModelError,
  failures: number,
  chance: number,
  rules: RetryRules = RETRY_RULES,
): number | null {
  if (!MODEL_FAULTS[error.fault].retry || failures > rules.retries_max) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > rules.retry_after_ms_max) return null;
  const bound = Math.min(rules.wait_ms_max, rules.base_ms * 2 ** (failures - 1));
  return Math.round(asked + chance * bound);
}
