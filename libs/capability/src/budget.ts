// SPDX-License-Identifier: Apache-2.0
import {
  BUDGET_DIMENSIONS,
  type BudgetDimension,
  type Budgets,
  type CapabilityToken,
  type ToolDefinition,
  type Verdict,
} from '@writ/contract';

/** A token of a chain with its consumed budgets: settled use, and reservations of running calls. */
export interface TokenAccount {
  readonly token: CapabilityToken;
  readonly used: Budgets;
  readonly reserved: Budgets;
}

/** The amounts to add to the reservations of one token. */
export interface TokenReservation {
  readonly capability_token_id: string;
  readonly amounts: Budgets;
}

/**
 * The largest use of budgets by one call of the tool: one call, its limits of time, of disk if it may write, and of
 * egress. An MCP program has one processor and may compute for as long as its call may take. Its definition can't say
 * so: whether its server is a program is known only of a call.
 */
export function callBudget(tool: Pick<ToolDefinition, 'in_container' | 'limits' | 'mutating'>): Budgets {
  const { cpu_ms, wall_ms, disk_write_bytes, egress_bytes } = tool.limits;
  return {
    calls: 1,
    cpu_ms: tool.in_container === true ? wall_ms : cpu_ms,
    wall_ms,
    ...(tool.mutating ? { disk_write_bytes } : {}),
    ...(egress_bytes === undefined ? {} : { egress_bytes }),
  };
}

/**
 * The remaining budget along the chain, by dimension: the minimum over its tokens, never below 0. An absent dimension
 * is unlimited.
 */
export function remaining(chain: readonly TokenAccount[]): Budgets {
  const left: Budgets = {};
  for (const dimension of BUDGET_DIMENSIONS) {
    for (const { token, used, reserved } of chain) {
      const bound = token.grant.budgets[dimension];
      if (bound === undefined) continue;
      const available = Math.max(0, bound - (used[dimension] ?? 0) - (reserved[dimension] ?? 0));
      left[dimension] = Math.min(left[dimension] ?? available, available);
    }
  }
  return left;
}

/**
 * Decides the reservation of a call: in each dimension that it can use, the lesser of its own limit and the chain's
 * remaining budget. The executor must then enforce `limits`. `reservations` have limited dimensions only and are sorted
 * by id. The rows are updated in that order, so that two calls never deadlock.
 */
export function decideReservation({
  chain,
  wanted,
  spare = [],
}: {
  readonly chain: readonly TokenAccount[];
  readonly wanted: Budgets;
  /** dimensions that a call can do without: if none of one is left, the call runs with a limit of 0 */
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
 * The part of its reservation that a finished call used. It is capped at the reservation: the executor stops a call at
 * its limit, and the overshoot until it stops must not overspend a budget that others reserve from. What the executor
 * doesn't stop MUST be reserved in full.
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
