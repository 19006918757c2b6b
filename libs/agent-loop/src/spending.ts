// SPDX-License-Identifier: Apache-2.0
import type { ModelUsage } from './model.ts';
import type { Prices, RunRules } from './run-rules.ts';
import type { RunState } from './run-state.ts';

const MILLION = 1_000_000;

/** The cost of a run, in millionths of the price list's currency, rounded up. */
export function costOf(
  { input_tokens, cached_tokens, output_tokens }: ModelUsage,
  { input, cached, output }: Prices,
): number {
  return Math.ceil(
    ((input_tokens - cached_tokens) * input + cached_tokens * cached + output_tokens * output) / MILLION,
  );
}

/**
 * Whether a run, with its sub-agents, has reached its limits. It is checked before each request to the model, so the
 * reply that exceeds a limit is the last.
 */
export function isSpent(
  { usage, below }: Pick<RunState, 'usage' | 'below'>,
  { tokens_max, cost_max, prices }: Pick<RunRules, 'tokens_max' | 'cost_max' | 'prices'>,
): boolean {
  if (tokens_max !== null && usage.input_tokens + usage.output_tokens + below.tokens >= tokens_max) return true;
  return cost_max !== null && prices !== null && costOf(usage, prices) + below.cost >= cost_max;
}
