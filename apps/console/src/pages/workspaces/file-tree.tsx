// SPDX-License-Identifier: Apache-2.0
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { directoryKey, useDirectories } from '../../data/workspaces.ts';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { TreeView } from './tree-view.tsx';
import { ancestorsOf, inOrder, ROOT, rowsOf, wantedOf, type Listing } from './tree-rows.ts';

interface TreeGiven {
  readonly place: { readonly workspaceId: string; readonly snapshotId: string };
  /** a file, or a directory with a slash at its end */
  readonly chosen: string | null;
  readonly choose: (chosen: string) => void;
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

/** The tree of a snapshot. A directory's entries are read when it is opened. Open ones stay open in other snapshots. */
export function FileTree({ place, chosen, choose }: TreeGiven): ReactNode {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set<string>());
  useEffect(() => {
    if (chosen !== null) setOpen((before) => new Set([...before, ...ancestorsOf(withoutSlash(chosen))]));
  }, [chosen]);
  const { listings, retry } = useListings(place, open);
  const rows = useMemo(() => rowsOf(open, (path) => listings.get(path)), [open, listings]);
  const root = listings.get(ROOT);
  if (root === undefined || root.state === 'loading') return <Skeleton lines={8} />;
  if (root.state === 'failed') return <Failed error={root.error} retry={retry} />;
  const change = (paths: readonly string[], isOpen: boolean): void =>
    setOpen((before) => {
      const after = new Set(before);
      for (const path of paths)
        if (isOpen) after.add(path);
        else after.delete(path);
      return after;
    });
  return (
    <TreeView
      rows={rows}
      chosen={chosen === null ? null : withoutSlash(chosen)}
      change={change}
      choose={(path, isDirectory) => choose(isDirectory ? `${path}/` : path)}
    />
  );
}

/** What is known of the directories that are in view. */
function useListings(place: TreeGiven['place'], open: ReadonlySet<string>) {
  const client = useQueryClient();
  const known = (path: string): Listing | undefined => {
    const data = client.getQueryData<{ entries: Parameters<typeof inOrder>[0]; isCut: boolean }>(
      directoryKey(place, path),
    );
    return data === undefined ? undefined : { state: 'read', ...data };
  };
  const wanted = wantedOf(open, known);
  const results = useDirectories(place, wanted);
  const state = results.map(({ dataUpdatedAt, status }) => `${status} ${String(dataUpdatedAt)}`).join();
  const listings = useMemo(
    () => new Map(wanted.map((path, at) => [path, listingOf(results[at])])),
    // The results are new at each render; this text says whether one changed.
    [wanted.join('\n'), state, place.snapshotId],
  );
  return { listings, retry: () => void results[0]?.refetch() };
}

function listingOf(result: ReturnType<typeof useDirectories>[number] | undefined): Listing {
  if (result?.data !== undefined)
    return { state: 'read', entries: inOrder(result.data.entries), isCut: result.data.isCut };
  return result?.isError === true ? { state: 'failed', error: result.error } : { state: 'loading' };
}
