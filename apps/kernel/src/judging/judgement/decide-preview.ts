// SPDX-License-Identifier: Apache-2.0
import type { ToolDefinition } from '@writ/contract';
import { callBudget, decideReservation, type TokenReservation } from '@writ/capability';
import type { DecidedLimits } from '../../foundation/rows/operation-row.ts';
import type { CallFacts } from './call.ts';
import { decidedLimits } from './command-output.ts';

/** What a preview may use. */
export interface PreviewBudget {
  readonly limits: DecidedLimits;
  readonly reservations: readonly TokenReservation[];
}

/**
 * The budget of a held call's preview; null where it has no preview. A read has none, since its preview shows no more
 * than approving it does. A broker tool can't run without its effect outside, a session shell can't undo what it did,
 * and of a change of records nothing can be staged. A call without enough budget has none either. The preview doesn't
 * count as a call: the call counts when it ends.
 */
export function decidePreview(
  { chain, rules }: Pick<CallFacts, 'chain' | 'rules'>,
  tool: ToolDefinition,
): PreviewBudget | null {
  if (!isPreviewable(tool)) return null;
  const budget = decideReservation({ chain, wanted: { ...callBudget(tool), calls: 0, egress_bytes: 0 } });
  if (budget.effect === 'refuse') return null;
  return { limits: decidedLimits(budget.limits, tool, rules.settings), reservations: budget.reservations };
}

/** Answers whether the whole effect of a call of the tool can be staged in its workspace. */
export const isPreviewable = (tool: ToolDefinition): boolean =>
  tool.mutating &&
  tool.class !== 'broker' &&
  tool.class !== 'function' &&
  tool.session !== true &&
  tool.changes_records !== true;
