// SPDX-License-Identifier: Apache-2.0
import type { ListRecordsQuery } from '@writ/client/web';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { readPublishedKeys, verifyRecordHere } from './receipts.ts';
import { useSession } from './session.ts';

/** What a search for records selects. */
export type RecordSearch = Omit<ListRecordsQuery, 'cursor' | 'limit'>;

const PAGE = 100;

/** Records that match, in pages of the index as it was when the first was read. */
export function useRecords(search: RecordSearch) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: ['records', search],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...search, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return await api.records.list(query, { signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

export function useRecord(leafIndex: number) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['record', leafIndex],
    queryFn: async ({ signal }) => await api.records.get(leafIndex, { signal }),
  });
}

/** The record with the verdict on its receipt, which is made in the page. */
export function useVerdict(record: Parameters<typeof verifyRecordHere>[1]) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['record', record.leaf_index, 'verdict'],
    retry: false,
    queryFn: async () => await verifyRecordHere(api, record),
  });
}

/** The log's newest checkpoint as it was signed, and the keys that the server publishes. */
export function useCheckpoint() {
  const { api } = useSession();
  return useQuery({
    queryKey: ['checkpoint'],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const [note, keys] = await Promise.all([
        api.log.getCheckpoint({ signal }).then((answer) => answer.text()),
        readPublishedKeys(),
      ]);
      return { note, keys };
    },
  });
}
