// SPDX-License-Identifier: Apache-2.0
import type { ReportRequest, UsageCounter } from '@writ/contract';
import type { AttemptFacts } from '../attempts/index.ts';

/**
 * The counter of this attempt's usage; null where it ran in no sandbox or its executor names none. A call of an MCP
 * program runs in one, by the image of its permit.
 */
export function usageCounter({ operation }: AttemptFacts, { usage }: ReportRequest): UsageCounter | null {
  const isInContainer = operation.lane === 'sandboxed' || operation.image_digest !== null;
  return isInContainer ? (usage.counted_by ?? null) : null;
}
