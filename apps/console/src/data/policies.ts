// SPDX-License-Identifier: Apache-2.0
import type { ApiClient, BacktestPage, PolicyPage, SimulatePolicyRequestCall } from '@writ/client/web';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSession } from './session.ts';

/** A policy set as a document, whatever is in it. */
export type PolicyDocument = Readonly<Record<string, unknown>>;

const POLICY = 'policy';
const PAGE = 50;
const BACKTEST_PAGE = 100;
/** Calls that a backtest looks at. */
const BACKTEST_MAX = 2_000;

/** The sets: the one in force, the shipped ones, and the tenant's own, newest first. */
export function usePolicies() {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [POLICY, 'list'],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }): Promise<PolicyPage> =>
      await api.policies.list({ limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** Which sets were in force, newest first. */
export function useActivations() {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [POLICY, 'activations'],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) =>
      await api.policies.listActivations(
        { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** A set by its hash, its name, or `active`. */
export function usePolicy(policy: string) {
  const { api } = useSession();
  return useQuery({ queryKey: [POLICY, 'one', policy], queryFn: ({ signal }) => api.policies.get(policy, { signal }) });
}

/** How a set differs from the one in force. */
export function usePolicyDiff(policy: string, isEnabled: boolean) {
  const { api } = useSession();
  return useQuery({
    queryKey: [POLICY, 'diff', policy],
    enabled: isEnabled,
    queryFn: ({ signal }) => api.policies.diff({ to: policy }, { signal }),
  });
}

/**
 * Checks a set that isn't stored, against the tools of the tenant. A backtest over no calls does that without storing
 * anything. It fails with what is wrong with the set.
 */
export function useDocumentCheck(document: PolicyDocument | null) {
  const { api } = useSession();
  return useQuery({
    queryKey: [POLICY, 'check', document],
    enabled: document !== null,
    retry: false,
    queryFn: async ({ signal }) => {
      await api.policies.backtest({ document: document ?? {}, since: Date.now(), limit: 1 }, { signal });
      return true;
    },
  });
}

/** What is judged: a stored set, or a document. */
export type Candidate = { readonly policy: string } | { readonly document: PolicyDocument };

export function useSimulation() {
  const { api } = useSession();
  return useMutation({
    retry: false,
    mutationFn: async (asked: { readonly candidate: Candidate; readonly call: SimulatePolicyRequestCall }) =>
      await api.policies.simulate({ ...asked.candidate, call: asked.call }),
  });
}

/** The pages of a backtest so far, and whether more calls were left out. */
export interface BacktestPages {
  readonly pages: readonly BacktestPage[];
  readonly isPartial: boolean;
}

/** Reads a backtest page by page. `report` is called after each. @throws ProblemError, ConnectionError */
export async function readBacktest(
  api: ApiClient,
  { candidate, since, signal }: { readonly candidate: Candidate; readonly since: number; readonly signal: AbortSignal },
  report: (examined: number) => void,
): Promise<BacktestPages> {
  const pages: BacktestPage[] = [];
  let [cursor, examined]: [string | null, number] = [null, 0];
  do {
    const place = { since, limit: BACKTEST_PAGE, effects: true, ...(cursor === null ? {} : { cursor }) };
    const { page } = await api.policies.backtest({ ...candidate, ...place }, { signal });
    pages.push(page);
    [cursor, examined] = [page.next_cursor, examined + page.examined];
    report(examined);
  } while (cursor !== null && examined < BACKTEST_MAX);
  return { pages, isPartial: cursor !== null };
}

/** What changes sets. Each fails with the server's refusal, and reads what is shown again. */
export function usePolicyChanges() {
  const { api } = useSession();
  const client = useQueryClient();
  const afterwards = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } finally {
      await client.invalidateQueries({ queryKey: [POLICY] });
    }
  };
  return {
    store: async (document: PolicyDocument) => await afterwards(api.policies.put({ document })),
    /** INVARIANT (as seen): only while the set is in force that was shown as such. */
    activate: async (change: {
      readonly policy: string;
      readonly ifActive: string;
      readonly note: string;
      readonly allowsImpossible: boolean;
    }) =>
      await afterwards(
        api.policies.activate({
          policy: change.policy,
          if_active: change.ifActive,
          ...noteOf(change.note),
          ...(change.allowsImpossible ? { allow_impossible: true } : {}),
        }),
      ),
    rollBack: async (ifActive: string, note: string) =>
      await afterwards(api.policies.rollBack({ if_active: ifActive, ...noteOf(note) })),
  };
}

const noteOf = (note: string): { readonly note?: string } => (note.trim() === '' ? {} : { note: note.trim() });
