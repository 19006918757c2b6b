// SPDX-License-Identifier: Apache-2.0
import type { Snapshot } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { useHistory } from '../../data/workspaces.ts';
import controls from '../../design/controls.module.css';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import { addressOf } from './time-travel.ts';
import type { Change } from './workspace-search.ts';
import styles from './workspaces.module.css';

interface HistoryGiven {
  readonly history: ReturnType<typeof useHistory>['history'];
  readonly snapshots: readonly Snapshot[];
  readonly at: number;
  readonly head: string;
  readonly change: Change;
}

/** The states of a workspace, newest first, each with what made it. */
export function SnapshotList({ history, snapshots, at, head, change }: HistoryGiven): ReactNode {
  const shown = snapshots[at];
  return (
    <>
      <div className={styles['historyHeading']}>
        <h2>{en.workspaces.history}</h2>
        <span className={controls['hint']}>{en.workspaces.keys}</span>
      </div>
      {history.isPending ? (
        <Skeleton lines={6} />
      ) : history.isError && snapshots.length === 0 ? (
        <Failed error={history.error} retry={() => void history.refetch()} />
      ) : (
        <VirtualRows
          label={en.workspaces.history}
          rows={snapshots}
          keyOf={({ seq }) => String(seq)}
          followed={shown === undefined ? null : String(shown.seq)}
          render={(snapshot) => (
            <State
              snapshot={snapshot}
              isShown={snapshot === shown}
              show={() => change(addressOf(snapshot, snapshots.indexOf(snapshot), head))}
            />
          )}
          isLoadingMore={history.isFetchingNextPage}
          readMore={history.hasNextPage && !history.isFetchingNextPage ? () => void history.fetchNextPage() : null}
        />
      )}
    </>
  );
}

interface StateGiven {
  readonly snapshot: Snapshot;
  readonly isShown: boolean;
  readonly show: () => void;
}

const State = ({ snapshot, isShown, show }: StateGiven): ReactNode => (
  <div className={styles['state']} data-chosen={isShown || undefined}>
    <button type="button" className={styles['stateButton']} aria-current={isShown ? 'true' : undefined} onClick={show}>
      <span className={styles['stateSeq']}>{snapshot.seq}</span>
      <span className={styles['stateWhat']}>
        {en.workspaces.kinds[snapshot.kind]}{' '}
        {snapshot.tool_id === null ? null : <Shown text={snapshot.tool_id} isCode />}
      </span>
      <span className={styles['stateAge']}>
        <Span at={snapshot.created_at} />
      </span>
    </button>
    <span className={styles['stateBy']}>
      <Maker snapshot={snapshot} />
    </span>
  </div>
);

/** The operation that made a state, or who did. */
export function Maker({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { operation_id: operationId, made_by: madeBy } = snapshot;
  if (operationId !== null)
    return (
      <Link to="/activity/$operationId" params={{ operationId }}>
        <Id id={operationId} isShort />
      </Link>
    );
  return madeBy === null ? null : <Shown text={en.workspaces.by(madeBy)} />;
}
