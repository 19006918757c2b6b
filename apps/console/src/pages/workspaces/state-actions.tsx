// SPDX-License-Identifier: Apache-2.0
import type { Snapshot, Workspace } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import controls from '../../design/controls.module.css';
import { DownloadButton } from '../../parts/download-button.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import { RestoreDialog } from './restore-dialog.tsx';
import { Maker } from './snapshot-list.tsx';
import type { WorkspaceSearch } from './workspace-search.ts';
import styles from './workspaces.module.css';

interface ActionsGiven {
  readonly workspace: Workspace;
  readonly snapshots: readonly Snapshot[];
  readonly at: number;
  readonly snapshotId: string;
  readonly search: WorkspaceSearch;
}

/** What made the state that is shown, and what can be done with it. */
export function StateActions({ workspace, snapshots, at, snapshotId, search }: ActionsGiven): ReactNode {
  const { me } = useSession();
  const [isRestoring, setRestoring] = useState(false);
  const shown = snapshots[at];
  const isHead = snapshotId === workspace.head_snapshot_id;
  const mayRestore = me.role === 'admin' || me.role === 'operator';
  return (
    <section className={styles['actions']} aria-label={en.workspaces.thisState}>
      {shown === undefined ? null : <Facts snapshot={shown} />}
      <div className={styles['buttons']}>
        <DownloadButton
          key={snapshotId}
          label={en.workspaces.archive}
          name={`${workspace.workspace_id}-${shown === undefined ? 'state' : String(shown.seq)}.tar`}
          open={(api, options) => api.workspaces.export(workspace.workspace_id, { at: snapshotId }, options)}
        />
        {isHead ? null : (
          <button
            type="button"
            className={controls['button']}
            disabled={!mayRestore}
            onClick={() => setRestoring(true)}
          >
            {en.workspaces.restore}
          </button>
        )}
      </div>
      {isHead || mayRestore ? null : <p className={controls['hint']}>{en.workspaces.mayNotRestore}</p>}
      {isRestoring ? (
        <RestoreDialog
          workspace={workspace}
          snapshots={snapshots}
          snapshotId={snapshotId}
          seq={shown?.seq ?? null}
          path={search.path ?? null}
          close={() => setRestoring(false)}
        />
      ) : null}
    </section>
  );
}

const Facts = ({ snapshot }: { readonly snapshot: Snapshot }): ReactNode => (
  <dl className={styles['facts']}>
    <div>
      <dt>{en.workspaces.madeAt}</dt>
      <dd>
        <Moment at={snapshot.created_at} />
      </dd>
    </div>
    <div>
      <dt>{en.workspaces.madeBy}</dt>
      <dd>
        {en.workspaces.kinds[snapshot.kind]} <Maker snapshot={snapshot} />
      </dd>
    </div>
    <div>
      <dt>{en.workspaces.proof}</dt>
      <dd>
        <Link to="/evidence" search={{ resource: snapshot.snapshot_id }}>
          {en.workspaces.record}
        </Link>
      </dd>
    </div>
  </dl>
);
