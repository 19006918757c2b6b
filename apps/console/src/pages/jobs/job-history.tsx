// SPDX-License-Identifier: Apache-2.0
import type { JobStart } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useJobStarts } from '../../data/jobs.ts';
import controls from '../../design/controls.module.css';
import { Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Moment } from '../../parts/time.tsx';
import { en } from '../../words/en.ts';
import styles from './jobs.module.css';

/** What became of each start of a job. */
export function JobHistory({ jobId }: { readonly jobId: string }): ReactNode {
  const starts = useJobStarts(jobId);
  const rows = starts.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <section aria-labelledby="history">
      <h2 id="history">{en.jobs.history}</h2>
      {starts.isPending ? (
        <Skeleton lines={5} />
      ) : starts.isError && rows.length === 0 ? (
        <Failed error={starts.error} retry={() => void starts.refetch()} />
      ) : rows.length === 0 ? (
        <p className={controls['hint']}>{en.jobs.noHistory}</p>
      ) : (
        <>
          <p className={controls['hint']}>{en.jobs.historyText}</p>
          <ul className={styles['starts']}>
            {rows.map((start) => (
              <Start key={start.start_id} start={start} />
            ))}
          </ul>
        </>
      )}
      {starts.hasNextPage ? (
        <button
          type="button"
          className={controls['button']}
          disabled={starts.isFetchingNextPage}
          onClick={() => void starts.fetchNextPage()}
        >
          {en.jobs.more}
        </button>
      ) : null}
    </section>
  );
}

const TONES = { queued: null, started: 'good', skipped: 'warn', missed: 'warn', failed: 'bad' } as const;

const Start = ({ start }: { readonly start: JobStart }): ReactNode => (
  <li className={styles['start']}>
    <span>
      <Badge tone={TONES[start.state]}>{en.jobs.startStates[start.state]}</Badge>
    </span>
    <span>
      <Moment at={start.due_at} />
      {start.by_hand ? <span className={controls['hint']}> {en.jobs.byHand}</span> : null}
      {start.reason === null ? null : (
        <p className={controls['hint']}>
          <Shown text={start.reason} />
        </p>
      )}
    </span>
    {start.run_id === null ? (
      <span />
    ) : (
      <Link to="/runs/$runId" params={{ runId: start.run_id }}>
        {en.jobs.openRun}
      </Link>
    )}
  </li>
);
