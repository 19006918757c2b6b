// SPDX-License-Identifier: Apache-2.0
import type { Snapshot, Workspace } from '@writ/client/web';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useHistory, useSnapshotId, useWorkspace } from '../../data/workspaces.ts';
import controls from '../../design/controls.module.css';
import { useKeys } from '../../parts/keys.ts';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { Changes } from './changes.tsx';
import { Files } from './files.tsx';
import { SnapshotList } from './snapshot-list.tsx';
import { StateActions } from './state-actions.tsx';
import { addressOf, placeIn } from './time-travel.ts';
import { readWorkspaceSearch, type Change, type WorkspaceSearch } from './workspace-search.ts';
import styles from './workspaces.module.css';

/** The page of one workspace: its files at a snapshot, what changed, and its history. */
export function OneWorkspace(): ReactNode {
  const { workspaceId } = useParams({ from: '/workspaces/$workspaceId' });
  const { data, error, isPending, refetch } = useWorkspace(workspaceId);
  if (isPending) return <Skeleton lines={14} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return <Page key={workspaceId} workspace={data} />;
}

function Page({ workspace }: { readonly workspace: Workspace }): ReactNode {
  const search = useSearch({ from: '/workspaces/$workspaceId' });
  const change = useChange();
  const { history, snapshots } = useHistory(workspace);
  const { workspace_id: workspaceId, head_snapshot_id: head } = workspace;
  const { snapshotId, error, retry } = useSnapshotId(workspaceId, search.at ?? head);
  const at = placeIn(snapshots, snapshotId ?? head, search.seq);
  useTimeTravel(snapshots, at, head, change);
  return (
    <article className={styles['page']} aria-labelledby="page-title">
      <Heading workspace={workspace} snapshotId={snapshotId} seq={snapshots[at]?.seq ?? null} change={change} />
      <div className={styles['columns']}>
        <div className={styles['content']}>
          <Tabs search={search} change={change} />
          {error !== null ? (
            <Failed error={error} retry={() => void retry()} />
          ) : snapshotId === null ? (
            <Skeleton lines={8} />
          ) : search.view === 'changes' ? (
            <Changes
              place={{ workspaceId, snapshotId }}
              snapshots={snapshots}
              at={at}
              from={search.from}
              change={change}
            />
          ) : (
            <Files place={{ workspaceId, snapshotId }} path={search.path ?? null} change={change} />
          )}
        </div>
        <aside className={styles['history']} aria-label={en.workspaces.history}>
          {snapshotId === null ? null : (
            <StateActions workspace={workspace} snapshots={snapshots} at={at} snapshotId={snapshotId} search={search} />
          )}
          <SnapshotList history={history} snapshots={snapshots} at={at} head={head} change={change} />
        </aside>
      </div>
    </article>
  );
}

function useChange(): Change {
  const navigate = useNavigate({ from: '/workspaces/$workspaceId' });
  return useCallback(
    (part) =>
      void navigate({
        search: (before: WorkspaceSearch) => readWorkspaceSearch({ ...before, ...part }),
        replace: true,
      }),
    [navigate],
  );
}

/** `j` shows the state before, `k` the one after, and `h` the head. */
function useTimeTravel(snapshots: readonly Snapshot[], at: number, head: string, change: Change): void {
  const handlers = useMemo(() => {
    const go = (index: number): void => {
      const snapshot = snapshots[index];
      if (at !== -1 && snapshot !== undefined) change(addressOf(snapshot, index, head));
    };
    return { j: () => go(at + 1), k: () => go(at - 1), h: () => change({ at: undefined, seq: undefined }) };
  }, [snapshots, at, head, change]);
  useKeys(handlers);
}

interface HeadingGiven {
  readonly workspace: Workspace;
  readonly snapshotId: string | null;
  readonly seq: number | null;
  readonly change: Change;
}

function Heading({ workspace, snapshotId, seq, change }: HeadingGiven): ReactNode {
  const isHead = snapshotId === workspace.head_snapshot_id;
  return (
    <header className={styles['heading']}>
      <Link to="/workspaces" search={{}} className={controls['hint']}>
        {en.workspaces.title}
      </Link>
      <h1 id="page-title">
        <Shown text={workspace.name} />
      </h1>
      <span role="status">
        <Badge tone={isHead ? 'good' : 'warn'}>
          {isHead ? en.workspaces.head : seq === null ? en.workspaces.earlier : en.workspaces.state(seq)}
        </Badge>
      </span>
      {snapshotId === null ? null : <Id id={shortened(snapshotId)} />}
      {isHead ? null : (
        <button
          type="button"
          className={`${controls['button']} ${controls['plain']}`}
          aria-keyshortcuts="h"
          onClick={() => change({ at: undefined, seq: undefined })}
        >
          {en.workspaces.toHead}
        </button>
      )}
    </header>
  );
}

const ID_CHARACTERS = 17;
const shortened = (id: string): string => id.slice(0, ID_CHARACTERS);

function Tabs({ search, change }: { readonly search: WorkspaceSearch; readonly change: Change }): ReactNode {
  const [views] = useState([
    { view: undefined, label: en.workspaces.files },
    { view: 'changes', label: en.workspaces.changes },
  ] as const);
  return (
    <div className={styles['tabs']} role="group" aria-label={en.workspaces.view}>
      {views.map(({ view, label }) => (
        <button
          key={label}
          type="button"
          className={styles['tab']}
          aria-pressed={search.view === view}
          onClick={() => change({ view })}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
