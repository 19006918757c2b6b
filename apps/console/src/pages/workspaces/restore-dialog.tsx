// SPDX-License-Identifier: Apache-2.0
import type { Snapshot, Workspace } from '@writ/client/web';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { after, useRestore, useRestorePlan } from '../../data/workspaces.ts';
import controls from '../../design/controls.module.css';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { en } from '../../words/en.ts';
import { Maker } from './snapshot-list.tsx';
import { effectOf, type Effect } from './time-travel.ts';
import styles from './workspaces.module.css';

/** Paths and operations that are named one by one; the rest is counted. */
const NAMED_MAX = 8;

interface RestoreGiven {
  readonly workspace: Workspace;
  readonly snapshots: readonly Snapshot[];
  readonly snapshotId: string;
  readonly seq: number | null;
  /** the file that is shown, or a directory with a slash at its end; null: none */
  readonly path: string | null;
  readonly close: () => void;
}

/** Says what a restore takes back and what it can't, and restores. */
export function RestoreDialog({ workspace, snapshots, snapshotId, seq, path, close }: RestoreGiven): ReactNode {
  const [isWhole, setWhole] = useState(true);
  // The head that the plan is made for. If it moves, the server refuses, and the dialog is opened anew.
  const [head] = useState(workspace.head_snapshot_id);
  const only = path === null || isWhole ? null : path.endsWith('/') ? path.slice(0, -1) : path;
  const plan = useRestorePlan(workspace.workspace_id, head, snapshotId, only);
  const restore = useRestore(workspace.workspace_id);
  const navigate = useNavigate({ from: '/workspaces/$workspaceId' });
  const run = async (): Promise<void> => {
    await restore.mutateAsync({ snapshotId, path: only, head });
    await navigate({ search: path === null ? {} : { path } });
  };
  return (
    <ConfirmDialog
      title={en.workspaces.restoreTitle(seq)}
      action={en.workspaces.restoreAction}
      isDangerous
      mayRun={!(plan.data === undefined || plan.data.changes.length === 0)}
      run={run}
      close={close}
    >
      {path === null ? null : <Scope path={path} isWhole={isWhole} change={setWhole} />}
      {plan.isPending ? (
        <Skeleton lines={3} />
      ) : plan.data === undefined ? (
        <Failed error={plan.error} retry={() => void plan.refetch()} />
      ) : (
        <EffectText effect={effectOf(plan.data.changes)} />
      )}
      {seq === null ? null : <Undone states={after(snapshots, seq)} isAll={only === null} />}
      <p>{en.workspaces.restoreUndo}</p>
      <p className={`${controls['note']} ${controls['warn']}`}>{en.workspaces.restoreLimits}</p>
    </ConfirmDialog>
  );
}

interface ScopeGiven {
  readonly path: string;
  readonly isWhole: boolean;
  readonly change: (isWhole: boolean) => void;
}

const Scope = ({ path, isWhole, change }: ScopeGiven): ReactNode => (
  <fieldset className={styles['scope']}>
    <legend className={controls['label']}>{en.workspaces.scope}</legend>
    <label>
      <input type="radio" name="scope" checked={isWhole} onChange={() => change(true)} /> {en.workspaces.wholeWorkspace}
    </label>
    <label>
      <input type="radio" name="scope" checked={!isWhole} onChange={() => change(false)} /> {en.workspaces.onlyPath}{' '}
      <Shown text={path} isCode />
    </label>
  </fieldset>
);

function EffectText({ effect }: { readonly effect: Effect }): ReactNode {
  const kinds = (['back', 'changed', 'gone'] as const).filter((kind) => effect[kind].length > 0);
  if (kinds.length === 0) return <p role="status">{en.workspaces.restoreNothing}</p>;
  return (
    <div>
      {kinds.map((kind) => (
        <details key={kind}>
          <summary>{en.workspaces.effects[kind](effect[kind].length)}</summary>
          <Named texts={effect[kind]} />
        </details>
      ))}
    </div>
  );
}

const Named = ({ texts }: { readonly texts: readonly string[] }): ReactNode => (
  <ul className={styles['named']}>
    {texts.slice(0, NAMED_MAX).map((text) => (
      <li key={text}>
        <Shown text={text} isCode />
      </li>
    ))}
    {texts.length > NAMED_MAX ? <li>{en.workspaces.andMore(texts.length - NAMED_MAX)}</li> : null}
  </ul>
);

/** What made the states after the one to restore. */
function Undone({ states, isAll }: { readonly states: readonly Snapshot[]; readonly isAll: boolean }): ReactNode {
  if (states.length === 0) return null;
  return (
    <div>
      <p>{isAll ? en.workspaces.undone(states.length) : en.workspaces.undonePart(states.length)}</p>
      <ul className={styles['named']}>
        {states.slice(0, NAMED_MAX).map((state) => (
          <li key={state.seq}>
            {en.workspaces.state(state.seq)} {en.workspaces.kinds[state.kind]}{' '}
            {state.tool_id === null ? null : <Shown text={state.tool_id} isCode />} <Maker snapshot={state} />
          </li>
        ))}
        {states.length > NAMED_MAX ? <li>{en.workspaces.andMore(states.length - NAMED_MAX)}</li> : null}
      </ul>
    </div>
  );
}
