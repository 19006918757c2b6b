// SPDX-License-Identifier: Apache-2.0
import type { Snapshot } from '@writ/client/web';
import type { ReactNode } from 'react';
import { useComparison } from '../../data/workspaces.ts';
import controls from '../../design/controls.module.css';
import { Diff } from '../../parts/diff.tsx';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import type { Change } from './workspace-search.ts';
import styles from './workspaces.module.css';

interface ChangesGiven {
  readonly place: { readonly workspaceId: string; readonly snapshotId: string };
  readonly snapshots: readonly Snapshot[];
  /** the state that is shown; -1: it is not among the snapshots that were read */
  readonly at: number;
  /** a snapshot to compare with; undefined: the state before */
  readonly from: string | undefined;
  readonly change: Change;
}

/** What differs between the state that is shown and another one: by default what its operation changed. */
export function Changes({ place, snapshots, at, from, change }: ChangesGiven): ReactNode {
  const before = from ?? snapshots[at]?.parent_snapshot_id ?? null;
  return (
    <section className={styles['changes']} aria-label={en.workspaces.changes}>
      <label className={controls['inline']}>
        {en.workspaces.compareWith}
        <select
          className={controls['select']}
          value={from ?? ''}
          onChange={({ target }) => change({ from: target.value === '' ? undefined : target.value })}
        >
          <option value="">{en.workspaces.stateBefore}</option>
          {from === undefined || snapshots.some(({ snapshot_id: id }) => id === from) ? null : (
            <option value={from}>{visibleText(from)}</option>
          )}
          {newestOfEach(snapshots).map((snapshot, index) => (
            <option key={snapshot.seq} value={snapshot.snapshot_id}>
              {nameOfState(snapshot, index === 0)}
            </option>
          ))}
        </select>
      </label>
      {before === null ? (
        <p className={controls['hint']}>{at === -1 ? en.workspaces.unknownBefore : en.workspaces.firstState}</p>
      ) : (
        <Comparison place={place} from={before} />
      )}
    </section>
  );
}

/** An option's value is a snapshot, so each snapshot is one option: the newest of those that are the same. */
const newestOfEach = (snapshots: readonly Snapshot[]): readonly Snapshot[] =>
  [...new Map(snapshots.toReversed().map((snapshot) => [snapshot.snapshot_id, snapshot])).values()].toSorted(
    (a, b) => b.seq - a.seq,
  );

const nameOfState = ({ seq, kind, tool_id: tool }: Snapshot, isHead: boolean): string =>
  visibleText(
    [en.workspaces.state(seq), isHead ? en.workspaces.head : en.workspaces.kinds[kind], tool ?? ''].join(' ').trim(),
  );

function Comparison({ place, from }: { readonly place: ChangesGiven['place']; readonly from: string }): ReactNode {
  const { data, error, isPending, refetch } = useComparison(place, from);
  if (isPending) return <Skeleton lines={8} />;
  if (data === undefined) return <Failed error={error} retry={() => void refetch()} />;
  return data.files_total === 0 ? (
    <p className={controls['hint']}>{en.workspaces.noChanges}</p>
  ) : (
    <Diff files={data.files} total={data.files_total} />
  );
}
