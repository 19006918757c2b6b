// SPDX-License-Identifier: Apache-2.0
import {
  ProblemError,
  type ApiClient,
  type CreateSessionRequest,
  type ForkRunRequest,
  type ListSessionsQuery,
  type Run,
} from '@writ/client/web';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useSession } from './session.ts';
import { isWhole, NOTHING_LIVE, parseTranscript, readText, withStreamed, type LiveRun } from './transcript.ts';

export interface SessionFilter {
  readonly workspace_id?: string;
  readonly run_id?: string;
}

// The key `session` is the one of who is signed in.
const LIST = 'sessions';
const ONE = 'conversation';
const RUN = 'run';
const PAGE = 100;
/** No event says that a session or a run began. So lists are read again so often, in milliseconds. */
const LIST_POLL_MS = 15_000;
const RUNS_POLL_MS = 3_000;
/** The longest transcript that is shown, in bytes. */
const TRANSCRIPT_BYTES_MAX = 8 * 1024 * 1024;
/** Pauses before the stream of a run is opened again, in milliseconds. */
const PAUSE_MS = { first: 500, max: 8_000 } as const;

/** Sessions, newest first. */
export function useSessions(filter: SessionFilter) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [LIST, filter],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query: ListSessionsQuery = { ...filter, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return await api.sessions.list(query, { signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIST_POLL_MS : false),
  });
}

/** All that was said in a session, and by which calls. It is read again as soon as there is a new run. */
export function useConversation(sessionId: string) {
  const { api } = useSession();
  const client = useQueryClient();
  const conversation = useQuery({
    queryKey: [ONE, sessionId],
    queryFn: async ({ signal }) =>
      parseTranscript(
        await readText(await api.sessions.exportTranscriptLines(sessionId, { signal }), TRANSCRIPT_BYTES_MAX),
      ),
  });
  const newest = useQuery({
    queryKey: [ONE, sessionId, 'newest'],
    refetchInterval: RUNS_POLL_MS,
    queryFn: async ({ signal }) => (await api.sessions.listRuns(sessionId, { limit: 1 }, { signal })).items[0] ?? null,
  });
  const newestId = newest.data?.run_id;
  const { data } = conversation;
  const isBehind =
    newestId !== undefined && data?.isWhole === true && !data.runs.some(({ run }) => run.run_id === newestId);
  useEffect(() => {
    if (isBehind) void client.invalidateQueries({ queryKey: [ONE, sessionId], exact: true });
  }, [client, isBehind, newestId, sessionId]);
  return conversation;
}

/** A run, with what it has used so far. */
export function useRun(runId: string) {
  const { api } = useSession();
  return useQuery({
    queryKey: [RUN, runId],
    queryFn: ({ signal }) => api.runs.get(runId, {}, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'ended' ? false : RUNS_POLL_MS),
  });
}

/** Follows a run that has not ended, after the last event that was read. Null: nothing is followed. */
export function useLiveRun(run: Run | null, lastRead: number): LiveRun {
  const { api } = useSession();
  const client = useQueryClient();
  const [followed, setFollowed] = useState<{ readonly runId: string; readonly live: LiveRun } | null>(null);
  const after = useRef(lastRead);
  after.current = lastRead;
  const runId = run?.run_id ?? null;
  const sessionId = run?.session_id ?? null;
  useEffect(() => {
    if (runId === null || sessionId === null) return;
    const stop = new AbortController();
    const change = (live: LiveRun): void => setFollowed({ runId, live });
    void followRun({ api, client, runId, sessionId, after: after.current, change, signal: stop.signal });
    return () => stop.abort();
  }, [api, client, runId, sessionId]);
  return followed !== null && followed.runId === runId ? followed.live : NOTHING_LIVE;
}

interface FollowOptions {
  readonly api: ApiClient;
  readonly client: QueryClient;
  readonly runId: string;
  readonly sessionId: string;
  readonly after: number;
  readonly change: (live: LiveRun) => void;
  readonly signal: AbortSignal;
}

/** Follows a run to its end, over breaks of the connection. Never rejects. */
async function followRun({ api, client, runId, sessionId, after, change, signal }: FollowOptions): Promise<void> {
  let live = NOTHING_LIVE;
  for (let pause: number = PAUSE_MS.first; !signal.aborted; pause = Math.min(pause * 2, PAUSE_MS.max)) {
    try {
      const from = live.events.at(-1)?.seq ?? after;
      // Pieces of text are never repeated: what was streamed before a break is in the stored reply.
      live = { ...live, text: '', asked: [] };
      for await (const event of api.runs.follow(runId, { after: from }, { signal, retries: 0 })) {
        if (event.event === 'ready') pause = PAUSE_MS.first;
        live = withStreamed(live, event);
        change(live);
        if (event.id !== null) void client.invalidateQueries({ queryKey: [RUN, runId] });
        if (event.event !== 'ended') continue;
        await client.invalidateQueries({ queryKey: [ONE, sessionId] });
        return;
      }
    } catch (error) {
      if (error instanceof ProblemError && error.status < 500 && error.status !== 429) return;
      // It is opened again; the mark of the connection says where the server can't be reached.
    }
    await new Promise((resolve) => {
      const timer = window.setTimeout(resolve, pause);
      signal.addEventListener('abort', () => (window.clearTimeout(timer), resolve(null)), { once: true });
    });
  }
}

/** The whole transcript as lines. @throws Error `broken off` where it isn't complete; ProblemError, ConnectionError */
export async function readWholeTranscript(api: ApiClient, sessionId: string, brokeOff: string): Promise<string> {
  const text = await (await api.sessions.exportTranscriptLines(sessionId)).text();
  if (!isWhole(text)) throw new Error(brokeOff);
  return text;
}

/** Starts a run. A message that is sent again with the same key is the same run. */
export function useStartRun(sessionId: string) {
  const { api } = useSession();
  const client = useQueryClient();
  return useMutation({
    retry: false,
    mutationFn: ({ input, key }: { readonly input: string; readonly key: string }) =>
      api.sessions.startRun(sessionId, { input, idempotency_key: key }),
    onSuccess: async () => await client.invalidateQueries({ queryKey: [ONE, sessionId] }),
  });
}

/** What changes sessions and runs. */
export function useSessionChanges() {
  const { api } = useSession();
  const client = useQueryClient();
  return {
    cancel: async (run: Run): Promise<void> => {
      await api.runs.cancel(run.run_id);
      await client.invalidateQueries({ queryKey: [RUN, run.run_id] });
      await client.invalidateQueries({ queryKey: [ONE, run.session_id] });
    },
    fork: async (runId: string, body: ForkRunRequest): Promise<string> => {
      const { session_id } = await api.runs.fork(runId, body);
      void client.invalidateQueries({ queryKey: [LIST] });
      return session_id;
    },
    create: async (body: CreateSessionRequest): Promise<string> => {
      const { session_id } = await api.sessions.create(body);
      void client.invalidateQueries({ queryKey: [LIST] });
      return session_id;
    },
  };
}

export function useModels() {
  const { api } = useSession();
  return useQuery({ queryKey: ['models'], queryFn: async ({ signal }) => (await api.models.list({ signal })).items });
}

/** The most tokens and workspaces that a session is started with from here. */
const CHOICES = 200;

/** Tokens that a session can have now, and the workspaces. */
export function useSessionChoices() {
  const { api } = useSession();
  return useQuery({
    queryKey: ['session-choices'],
    queryFn: async ({ signal }) => {
      const [tokens, workspaces, models] = await Promise.all([
        api.capabilityTokens.list({ limit: CHOICES }, { signal }),
        api.workspaces.list({ limit: CHOICES }, { signal }),
        api.models.list({ signal }),
      ]);
      const now = Date.now();
      const isUsable = ({ revoked, job, session_approval, grant }: (typeof tokens.items)[number]): boolean =>
        !revoked && job === undefined && session_approval === undefined && (grant.expires_at ?? Infinity) > now;
      return { tokens: tokens.items.filter(isUsable), workspaces: workspaces.items, models: models.items };
    },
  });
}

/** A run's calls under another policy, page by page. */
export function useReplay(runId: string, policy: string | null) {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [RUN, runId, 'replay', policy],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) =>
      await api.runs.replay(
        runId,
        { limit: PAGE, ...(policy === null ? {} : { policy }), ...(pageParam === null ? {} : { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** The policy sets that a run can be replayed under: shipped ones and the tenant's newest. */
export function usePolicyChoices() {
  const { api } = useSession();
  return useQuery({
    queryKey: ['policy-choices'],
    queryFn: async ({ signal }) => {
      const { items, shipped } = await api.policies.list({ limit: PAGE }, { signal });
      return [...items, ...shipped.filter(({ policy_hash }) => !items.some((own) => own.policy_hash === policy_hash))];
    },
  });
}
