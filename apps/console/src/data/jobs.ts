// SPDX-License-Identifier: Apache-2.0
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from './session.ts';

const LIST = 'jobs';
const ONE = 'job';
const PAGE = 100;
/** No event says that a job started. So what is shown is read again so often, in milliseconds. */
const POLL_MS = 10_000;

/** Jobs, newest first. */
export function useJobs() {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [LIST],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) =>
      await api.jobs.list({ limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? POLL_MS : false),
  });
}

export function useJob(jobId: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: [ONE, jobId],
    refetchInterval: POLL_MS,
    queryFn: ({ signal }) => api.jobs.get(jobId, { signal }),
  });
}

/** The starts of a job, newest first. */
export function useJobStarts(jobId: string) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [ONE, jobId, 'starts'],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) =>
      await api.jobs.listRuns(jobId, { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? POLL_MS : false),
  });
}

export type JobChange = 'pause' | 'resume' | 'run';

/** Pauses, resumes or starts a job. A start that is sent again with the same key is the same start. */
export function useJobChange(jobId: string) {
  const { api } = useSession();
  const client = useQueryClient();
  return async (change: JobChange, key: string): Promise<void> => {
    try {
      if (change === 'run') await api.jobs.run(jobId, { idempotency_key: key });
      else await api.jobs[change](jobId);
    } finally {
      await Promise.all([LIST, ONE].map((queryKey) => client.invalidateQueries({ queryKey: [queryKey] })));
    }
  };
}
