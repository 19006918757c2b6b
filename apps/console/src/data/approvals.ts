// SPDX-License-Identifier: Apache-2.0
import type { ApprovalBrief, ListBriefApprovalsQuery, GroupApprovalsQuery } from '@writ/client/web';
import { useInfiniteQuery, useQuery, useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useNotices, type OperationNotice } from './live.ts';
import { useSession } from './session.ts';

/** What the inbox shows. Members that are absent don't select. */
export interface QueueFilter {
  readonly mine?: true;
  readonly tool_id?: string;
  readonly agent_id?: string;
  readonly session_id?: string;
  readonly autonomy_mode?: 'soft_gate' | 'escalated';
  readonly group?: string;
  readonly alike?: string;
}
export const QUEUE_ORDERS = ['oldest', 'newest', 'expires', 'risk'] as const;
export type QueueOrder = (typeof QUEUE_ORDERS)[number];

interface QueuePage {
  readonly items: readonly ApprovalBrief[];
  readonly next_cursor: string | null;
}

const QUEUE = 'approvals-queue';
const GROUPS = 'approvals-groups';
const ONE = 'approval';
const DIFF = 'approval-diff';
/** The largest page of a list. */
const PAGE = 200;

/** The calls that wait, page by page. */
export function useQueue(filter: QueueFilter, order: QueueOrder) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [QUEUE, filter, order],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }): Promise<QueuePage> => {
      const query: ListBriefApprovalsQuery = { ...filter, order, state: 'pending', limit: PAGE };
      const page = pageParam === null ? query : { ...query, cursor: pageParam };
      return await api.approvals.listBrief(page, { signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Groups of alike calls, with the number of all that wait. */
export function useGroups(filter: QueueFilter) {
  const { api } = useSession();
  return useQuery({
    queryKey: [GROUPS, filter],
    queryFn: ({ signal }) => api.approvals.group(filter as GroupApprovalsQuery, { signal }),
  });
}

export function useApproval(approvalId: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: [ONE, approvalId],
    queryFn: ({ signal }) => api.approvals.get(approvalId, {}, { signal }),
  });
}

/**
 * The texts of a staged effect. The key has its digest, so that no other effect is shown for it. They are there until
 * the call is decided, and what was read before stays.
 */
export function useStagedDiff(approvalId: string, effectDigest: string, isPending: boolean) {
  const { api } = useSession();
  return useQuery({
    queryKey: [DIFF, approvalId, effectDigest],
    enabled: isPending,
    staleTime: Infinity,
    queryFn: ({ signal }) => api.approvals.getDiff(approvalId, { signal }),
  });
}

/** How alike calls were decided before. */
export function usePastDecisions(approvalId: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: [ONE, approvalId, 'alike'],
    queryFn: ({ signal }) => api.approvals.listAlike(approvalId, { signal }),
  });
}

export function useExplanation(operationId: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['operation', operationId, 'explanation'],
    queryFn: ({ signal }) => api.operations.explain(operationId, { signal }),
  });
}

/** Keeps what the pages of approvals show up to date. */
export function useLiveApprovals(): void {
  const client = useQueryClient();
  useNotices(
    useCallback(
      (notices) => {
        const ofApprovals = notices?.filter(({ approval_id }) => approval_id !== null) ?? null;
        if (ofApprovals !== null && ofApprovals.length === 0) return;
        void client.invalidateQueries({ queryKey: [GROUPS] });
        if (ofApprovals === null) {
          void client.invalidateQueries({ queryKey: [QUEUE] });
          void client.invalidateQueries({ queryKey: [ONE] });
        } else update(client, ofApprovals);
      },
      [client],
    ),
  );
}

/**
 * Rows of calls that were decided go, wherever they are. A call that was held is read with the first page alone: a
 * queue of many pages isn't read again for each.
 */
function update(client: QueryClient, notices: readonly OperationNotice[]): void {
  const gone = new Set(notices.filter(({ state }) => state !== 'held').map(({ approval_id }) => approval_id));
  client.setQueriesData<InfiniteData<QueuePage>>({ queryKey: [QUEUE] }, (data) =>
    data === undefined || !data.pages.some(({ items }) => items.some(({ approval_id }) => gone.has(approval_id)))
      ? data
      : { ...data, pages: data.pages.map((page) => withoutRows(page, gone)) },
  );
  if (notices.some(({ state }) => state === 'held')) void readFirstPages(client);
  for (const { approval_id } of notices) void client.invalidateQueries({ queryKey: [ONE, approval_id] });
}

const withoutRows = (page: QueuePage, gone: ReadonlySet<string | null>): QueuePage => ({
  ...page,
  items: page.items.filter(({ approval_id }) => !gone.has(approval_id)),
});

/** Queues that are shown with one page are read again; longer ones grow at their end, where the next page is read. */
async function readFirstPages(client: QueryClient): Promise<void> {
  await client.invalidateQueries({
    queryKey: [QUEUE],
    predicate: ({ state }) => ((state.data as InfiniteData<QueuePage> | undefined)?.pages.length ?? 0) <= 1,
  });
}
