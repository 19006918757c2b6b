// SPDX-License-Identifier: Apache-2.0
import {
  BUDGET_DIMENSIONS,
  type BudgetDimension,
  type Budgets,
  type CapabilityToken,
  type ToolDefinition,
  type Verdict,
} from '@writ/contract';

/** A token of a chain with what is gone of its budgets: settled use and reservations of calls under way. */
export interface TokenAccount {
  readonly token: CapabilityToken;
  readonly used: Budgets;
  readonly reserved: Budgets;
}

/** What to add to the reservations of one token. */
export interface TokenReservation {
  readonly capability_token_id: string;
  readonly amounts: Budgets;
}

/**
 * The budget that one call of the tool can use at most: one call, its limits of time, of disk if it may write, and of
 * what may leave.
 */
export function callBudget(tool: Pick<ToolDefinition, 'limits' | 'mutating'>): Budgets {
  const { cpu_ms, wall_ms, disk_write_bytes, egress_bytes } = tool.limits;
  return {
    calls: 1,
    cpu_ms,
    wall_ms,
    ...(tool.mutating ? { disk_write_bytes } : {}),
    ...(egress_bytes === undefined ? {} : { egress_bytes }),
  };
}

/**
 * What remains along the chain, by dimension: the least over its tokens, never below 0. An absent dimension is
 * unbounded.
 */
export function remaining(chain: readonly TokenAccount[]): Budgets {
  const left: Budgets = {};
  for (const dimension of BUDGET_DIMENSIONS) {
    for (const { token, used, reserved } of chain) {
      const bound = token.grant.budgets[dimension];
      if (bound === undefined) continue;
      const here = Math.max(0, bound - (used[dimension] ?? 0) - (reserved[dimension] ?? 0));
      left[dimension] = Math.min(left[dimension] ?? here, here);
    }
  }
  return left;
}

/**
 * Decides what a call reserves: in each dimension that it can use, the lesser of its own limit and what remains along
 * the chain. `limits` is what the executor must then enforce; `reservations` touch only bounded dimensions and stand in
 * id order, the order in which the rows are to be updated so that two calls never wait for each other.
 */
export function decideReservation({
  chain,
  wanted,
  spare = [],
}: {
  readonly chain: readonly TokenAccount[];
  readonly wanted: Budgets;
  /** what a call can do without: with none of it left it is run with a limit of none */
  readonly spare?: readonly BudgetDimension[];
}): Verdict<{ limits: Budgets; reservations: readonly TokenReservation[] }> {
  const left = remaining(chain);
  const limits: Budgets = {};
  for (const dimension of BUDGET_DIMENSIONS) {
    const most = wanted[dimension];
    if (most === undefined || most === 0) continue;
    const amount = Math.min(most, left[dimension] ?? most);
    if (amount === 0 && !spare.includes(dimension)) {
      return {
        effect: 'refuse',
        code: 'budget.exhausted',
        message: `the capability token has no \`${dimension}\` left`,
        hint: 'ask for a token with a budget',
      };
    }
    limits[dimension] = amount;
  }
  const reservations = chain
    .map(({ token }) => ({
      capability_token_id: token.capability_token_id,
      amounts: boundedPart(limits, token.grant.budgets),
    }))
    .filter(({ amounts }) => Object.keys(amounts).length > 0)
    .sort((a, b) => (a.capability_token_id < b.capability_token_id ? -1 : 1));
  return { effect: 'allow', limits, reservations };
}

/**
 * What a finished call used of its reservation. Use is capped at what was reserved: the executor ends a call at its
 * limit, and the measured overshoot of that ending must not overspend a budget that others reserve from.
 */
export function settledUse(amounts: Budgets, actual: Budgets): Budgets {
  const used: Budgets = {};
  for (const dimension of BUDGET_DIMENSIONS) {
    const reserved = amounts[dimension];
    if (reserved !== undefined) used[dimension] = Math.min(reserved, actual[dimension] ?? 0);
  }
  return used;
}

function boundedPart(limits: Budgets, bounds: Budgets): Budgets {
  const amounts: Budgets = {};
  for (const dimension of BUDGET_DIMENSIONS) {
    const amount = limits[dimension];
    if (amount !== undefined && bounds[dimension] !== undefined) amounts[dimension] = amount;
  }
  return amounts;
}
