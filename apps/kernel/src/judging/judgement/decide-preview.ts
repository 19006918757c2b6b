// SPDX-License-Identifier: Apache-2.0
import type { Budgets, ToolDefinition } from '@writ/contract';
import { callBudget, decideReservation, type TokenAccount, type TokenReservation } from '@writ/capability';

/**
 * What the preview of a held call may use; null where it has none: a read shows nothing that approving it doesn't, a
 * broker's tool can't run without its effect outside, a session's shell can't forget what it did, and what no budget is
 * left for isn't run. The call itself isn't counted: it is when it ends.
 */
export function decidePreview(
  chain: readonly TokenAccount[],
  tool: ToolDefinition,
): { limits: Budgets; reservations: readonly TokenReservation[] } | null {
  if (!tool.mutating || tool.class === 'broker' || tool.session === true) return null;
  const budget = decideReservation({ chain, wanted: { ...callBudget(tool), calls: 0, egress_bytes: 0 } });
  return budget.effect === 'refuse' ? null : { limits: budget.limits, reservations: budget.reservations };
}
