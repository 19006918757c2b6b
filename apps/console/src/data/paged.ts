// SPDX-License-Identifier: Apache-2.0
import type { ApiClient } from '@writ/client/web';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useSession } from './session.ts';

export interface Page<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** Reads a page of a list. */
type ReadPage<Row> = (
  api: ApiClient,
  query: PageQuery,
  options: { readonly signal: AbortSignal },
) => Promise<Page<Row>>;

const PAGE = 100;

/** A list that is read page by page. */
export interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly isPending: boolean;
  /** null: it could be read */
  readonly error: Error | null;
  readonly retry: () => void;
  readonly isLoadingMore: boolean;
  /** null: everything is read, or is being read */
  readonly readMore: (() => void) | null;
}

export function usePaged<Row>(
  key: readonly unknown[],
  read: ReadPage<Row>,
  { everyMs }: { readonly everyMs?: number } = {},
): Paged<Row> {
  const { api } = useSession();
  const list = useInfiniteQuery({
    queryKey: key,
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }): Promise<Page<Row>> =>
      await read(api, { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  return {
    rows,
    isPending: list.isPending,
    error: list.error,
    retry: () => void list.refetch(),
    isLoadingMore: list.isFetchingNextPage,
    readMore: list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null,
  };
}

/** Makes a change once, and reads again what it may have changed, also where its answer got lost. */
export type Change = <T>(keys: readonly string[], change: (api: ApiClient) => Promise<T>) => Promise<T>;

export function useChange(): Change {
  const { api } = useSession();
  const client = useQueryClient();
  return useCallback(
    async (keys, change) => {
      try {
        return await change(api);
      } finally {
        await Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: [key] })));
      }
    },
    [api, client],
  );
}
