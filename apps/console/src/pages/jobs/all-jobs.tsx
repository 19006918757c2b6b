// SPDX-License-Identifier: Apache-2.0
import type { Job } from '@writ/client/web';
import { Link } from '@tanstack/react-router';
import { memo, useMemo, type ReactNode } from 'react';
import { useJobs } from '../../data/jobs.ts';
import { Agent } from '../../parts/agent.tsx';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge } from '../../parts/marks.tsx';
import { useRowFocus } from '../../parts/row-focus.ts';
import { Shown } from '../../parts/shown.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import styles from './jobs.module.css';
import { NextRun } from './next-run.tsx';

/** The scheduled tasks of agents. */
export function AllJobs(): ReactNode {
  const list = useJobs();
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  useRowFocus();
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <h1 id="page-title">{en.jobs.title}</h1>
      </header>
      {list.isPending ? (
        <Skeleton lines={10} />
      ) : list.isError && rows.length === 0 ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : rows.length === 0 ? (
        <Empty title={en.jobs.none}>
          <p>{en.jobs.noneText}</p>
        </Empty>
      ) : (
        <VirtualRows
          label={en.jobs.title}
          rows={rows}
          keyOf={({ job_id }) => job_id}
          render={(row) => <Row row={row} />}
          isLoadingMore={list.isFetchingNextPage}
          readMore={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null}
        />
      )}
    </section>
  );
}

const Row = memo(({ row }: { readonly row: Job }): ReactNode => (
  <Link to="/jobs/$jobId" params={{ jobId: row.job_id }} className={styles['row']} data-row={row.job_id}>
    <span>
      <Badge tone={row.state === 'active' ? 'good' : 'warn'}>{en.jobs.states[row.state]}</Badge>
    </span>
    <span className={styles['rowName']}>
      <Shown text={row.name} />
    </span>
    <span className={styles['soft']}>
      <Shown text={row.cron} isCode /> <Shown text={row.time_zone} />
    </span>
    <span className={styles['soft']}>
      <Agent id={row.agent_id} />
    </span>
    <span className={styles['rowNext']}>
      <NextRun job={row} />
    </span>
  </Link>
));
Row.displayName = 'Row';
