// SPDX-License-Identifier: Apache-2.0
import type { CallUsageItem, UsageItem } from '@writ/client/web';
import { useQuery } from '@tanstack/react-query';
import { useSession } from './session.ts';

const DAY_MS = 86_400_000;
/** The largest page, and how many of them are read: beyond them a chart is not complete, and says so. */
const PAGE = 200;
const PAGES_MAX = 10;

export const CALLS_BY = ['outcome', 'agent', 'tool', 'person', 'key'] as const;
export type CallsBy = (typeof CALLS_BY)[number];
export const COSTS_BY = ['model', 'agent'] as const;
export type CostsBy = (typeof COSTS_BY)[number];

/** The days of a period, which ends with today in UTC, oldest first. */
export function daysUntil(now: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) =>
    new Date(now - (count - 1 - at) * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length),
  );
}

export interface CallCounts {
  readonly items: readonly CallUsageItem[];
  readonly isComplete: boolean;
}

/** Calls per day and by what. */
export function useCallCounts(days: readonly string[], by: CallsBy) {
  const { api } = useSession();
  const from = days[0] ?? '';
  return useQuery({
    queryKey: ['usage', 'calls', from, by],
    queryFn: async ({ signal }): Promise<CallCounts> => {
      const items: CallUsageItem[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const query = { from, by: `day,${by}`, limit: PAGE, ...(cursor === null ? {} : { cursor }) };
        const answer = await api.usage.getCall(query, { signal });
        items.push(...answer.items);
        cursor = answer.next_cursor;
        if (cursor === null) return { items, isComplete: true };
      }
      return { items, isComplete: false };
    },
  });
}

/** Tokens and costs of runs. */
export function useCosts(days: readonly string[], by: CostsBy | 'day') {
  const { api } = useSession();
  const from = Date.parse(`${days[0] ?? ''}T00:00:00Z`);
  return useQuery({
    queryKey: ['usage', 'costs', from, by],
    queryFn: async ({ signal }): Promise<readonly UsageItem[]> => (await api.usage.get({ from, by }, { signal })).items,
  });
}
