// SPDX-License-Identifier: Apache-2.0
import type { ListOperationsQuery, Operation } from '@writ/client/web';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { useNotices } from './live.ts';
import { useSession } from './session.ts';

export interface OperationFilter {
  readonly state?: Operation['state'];
  readonly tool_id?: string;
  readonly agent_id?: string;
  readonly session_id?: string;
  readonly workspace_id?: string;
}

const LIST = 'operations';
const ONE = 'operation';
const PAGE = 100;

/** Operations, newest first. */
export function useOperations(filter: OperationFilter) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [LIST, filter],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query: ListOperationsQuery = {
        ...filter,
        limit: PAGE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
      };
      return await api.operations.list(query, { signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/**
 * How many operations are new since the list was read, and what reads it again. Rows don't move under a reader: new
 * ones are counted, and shown when they are asked for. Rows that changed are read again where they are few.
 */
export function useFreshOperations(shown: ReadonlySet<string>): { readonly count: number; readonly show: () => void } {
  const client = useQueryClient();
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  useNotices(
    useCallback(
      (notices) => {
        if (notices === null) return void client.invalidateQueries({ queryKey: [LIST] });
        setFresh((before) => {
          const added = notices.filter(({ operation_id }) => !shown.has(operation_id) && !before.has(operation_id));
          return added.length === 0 ? before : new Set([...before, ...added.map(({ operation_id }) => operation_id)]);
        });
      },
      [client, shown],
    ),
  );
  const show = useCallback(() => {
    setFresh(new Set());
    void client.resetQueries({ queryKey: [LIST] });
  }, [client]);
  return { count: fresh.size, show };
}

export function useOperation(operationId: string) {
  const { api } = useSession();
  const client = useQueryClient();
  useNotices(
    useCallback(
      (notices) => {
        if (notices === null || notices.some(({ operation_id }) => operation_id === operationId))
          void client.invalidateQueries({ queryKey: [ONE, operationId] });
      },
      [client, operationId],
    ),
  );
  return useQuery({
    queryKey: [ONE, operationId],
    queryFn: ({ signal }) => api.operations.get(operationId, { expand: 'result' }, { signal }),
  });
}

/** The records of a call in the log, oldest first. A call has few. */
export function useRecordsOf(operationId: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: [ONE, operationId, 'records'],
    queryFn: async ({ signal }) => {
      const { items } = await api.records.list({ operation: operationId, order: 'oldest', limit: PAGE }, { signal });
      return items;
    },
  });
}
