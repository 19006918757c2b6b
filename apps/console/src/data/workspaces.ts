// SPDX-License-Identifier: Apache-2.0
import type { Delta, Snapshot, Workspace } from '@writ/client/web';
import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { useNotices } from './live.ts';
import { useSession } from './session.ts';

const LIST = 'workspaces';
const ONE = 'workspace';
const HISTORY = 'workspace-history';
const PAGE = 100;
/** Entries of a directory that are read, in pages of the most that the server gives. */
const ENTRIES_MAX = 50_000;
const ENTRIES_PAGE = 10_000;
/** States that may have changed files. */
const ENDED = new Set(['committed', 'ambiguous']);
/** What a snapshot contains never changes. */
const FOREVER = { staleTime: Infinity } as const;

export function useWorkspaces() {
  const { api } = useSession();
  return useInfiniteQuery({
    queryKey: [LIST],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) =>
      await api.workspaces.list({ limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
}

/** A workspace. Events name no workspace, so it is read again when a call ended that may have changed files. */
export function useWorkspace(workspaceId: string) {
  const { api } = useSession();
  const client = useQueryClient();
  useNotices(
    useCallback(
      (notices) => {
        if (notices === null || notices.some(({ state }) => ENDED.has(state)))
          void client.invalidateQueries({ queryKey: [ONE, workspaceId] }, { cancelRefetch: false });
      },
      [client, workspaceId],
    ),
  );
  return useQuery({
    queryKey: [ONE, workspaceId],
    queryFn: ({ signal }) => api.workspaces.get(workspaceId, { signal }),
  });
}

/** The states of a workspace, newest first: the head, and all before it. */
export function useHistory({ workspace_id: workspaceId, head_snapshot_id: head }: Workspace) {
  const { api } = useSession();
  const client = useQueryClient();
  const history = useInfiniteQuery({
    queryKey: [HISTORY, workspaceId],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return await api.workspaces.getHistory(workspaceId, query, { signal });
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const snapshots = useMemo(() => history.data?.pages.flatMap(({ items }) => items) ?? [], [history.data]);
  const isBehind = snapshots.length > 0 && snapshots[0]?.snapshot_id !== head;
  useEffect(() => {
    if (isBehind) void client.invalidateQueries({ queryKey: [HISTORY, workspaceId] });
  }, [client, workspaceId, isBehind, head]);
  return { history, snapshots };
}

/** Which snapshot a state is: a snapshot's id is its own, and a time is asked for. */
export function useSnapshotId(workspaceId: string, at: string) {
  const { api } = useSession();
  const isId = at.startsWith('snap_');
  const found = useQuery({
    queryKey: [ONE, workspaceId, 'at', at],
    enabled: !isId,
    queryFn: async ({ signal }) => {
      const { snapshot_id } = await api.workspaces.getTree(workspaceId, { at, depth: 1, limit: 1 }, { signal });
      return snapshot_id;
    },
  });
  return { snapshotId: isId ? at : (found.data ?? null), error: found.error, retry: found.refetch };
}

interface Place {
  readonly workspaceId: string;
  readonly snapshotId: string;
}

/** The key of a directory's entries. */
export const directoryKey = ({ workspaceId, snapshotId }: Place, path: string): readonly string[] => [
  'workspace-tree',
  workspaceId,
  snapshotId,
  path,
];

/** The entries of directories, each read by itself when it is opened. */
export function useDirectories(place: Place, paths: readonly string[]) {
  const { api } = useSession();
  const { workspaceId, snapshotId: at } = place;
  return useQueries({
    queries: paths.map((path) => ({
      ...FOREVER,
      queryKey: directoryKey(place, path),
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { at, depth: 1, limit: ENTRIES_PAGE, ...(path === '' ? {} : { path }) };
        const first = await api.workspaces.getTree(workspaceId, query, { signal });
        const entries = [...first.entries];
        let cursor = first.next_cursor;
        while (cursor !== null && entries.length < ENTRIES_MAX) {
          const page = await api.workspaces.getTree(workspaceId, { ...query, cursor }, { signal });
          entries.push(...page.entries);
          cursor = page.next_cursor;
        }
        return { entries, isCut: cursor !== null };
      },
    })),
  });
}

/** A larger file is not read into the page. */
export const SHOWN_BYTES_MAX = 2 * 1024 * 1024;

/** A file as far as the page shows it. `bytes` is null where it is too large. */
export interface FileContent {
  readonly isLink: boolean;
  readonly mode: string | null;
  readonly size: number;
  readonly bytes: Uint8Array | null;
}

export function useFileContent({ workspaceId, snapshotId: at }: Place, path: string) {
  const { api } = useSession();
  return useQuery({
    ...FOREVER,
    gcTime: 60_000,
    queryKey: ['workspace-file', workspaceId, at, path],
    queryFn: async ({ signal }): Promise<FileContent> => {
      const abort = new AbortController();
      const download = await api.workspaces.downloadFile(
        workspaceId,
        path,
        { at },
        { signal: AbortSignal.any([signal, abort.signal]) },
      );
      const size = Number(download.header('content-length') ?? Infinity);
      const isTooLarge = size > SHOWN_BYTES_MAX;
      const bytes = isTooLarge ? null : await download.bytes();
      if (isTooLarge) abort.abort();
      const [kind, mode] = [download.header('writ-file-kind'), download.header('writ-file-mode')];
      return { isLink: kind === 'symlink', mode, size: bytes?.length ?? size, bytes };
    },
  });
}

/** What differs between two snapshots, file by file. */
export function useComparison({ workspaceId, snapshotId: to }: Place, from: string) {
  const { api } = useSession();
  return useQuery({
    ...FOREVER,
    queryKey: ['workspace-diff', workspaceId, from, to],
    queryFn: ({ signal }) => api.workspaces.getTextDiff(workspaceId, { from, to }, { signal }),
  });
}

/** What a restore would change: from the head to the snapshot. */
export function useRestorePlan(workspaceId: string, head: string, to: string, path: string | null) {
  const { api } = useSession();
  return useQuery({
    ...FOREVER,
    queryKey: ['workspace-restore', workspaceId, head, to, path],
    queryFn: async ({ signal }): Promise<Delta> =>
      await api.workspaces.getDiff(workspaceId, { from: head, to, ...(path === null ? {} : { path }) }, { signal }),
  });
}

/** What a person restores, and the head that they saw. */
export interface Restore {
  readonly snapshotId: string;
  /** null: the whole workspace */
  readonly path: string | null;
  readonly head: string;
}

/** Restores an earlier state. INVARIANT (as seen): a head that moved since the plan was read refuses it. */
export function useRestore(workspaceId: string) {
  const { api } = useSession();
  const client = useQueryClient();
  return useMutation({
    retry: false,
    mutationFn: ({ snapshotId, path, head }: Restore) =>
      api.workspaces.restore(workspaceId, { at: snapshotId, if_head: head, ...(path === null ? {} : { path }) }),
    onSettled: async () => {
      await Promise.all(
        [[ONE, workspaceId], [HISTORY, workspaceId], [LIST]].map((queryKey) => client.invalidateQueries({ queryKey })),
      );
    },
  });
}

/** The operations and changes whose states come after a snapshot, newest first, as far as they were read. */
export const after = (snapshots: readonly Snapshot[], seq: number): readonly Snapshot[] =>
  snapshots.filter((snapshot) => snapshot.seq > seq);
