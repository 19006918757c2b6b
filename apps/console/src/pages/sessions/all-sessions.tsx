// SPDX-License-Identifier: Apache-2.0
import type { Session } from '@writ/client/web';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { memo, useMemo, useState, type ReactNode } from 'react';
import { useSession } from '../../data/session.ts';
import { useSessions, type SessionFilter } from '../../data/sessions.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { useRowFocus } from '../../parts/row-focus.ts';
import { Id, Shown } from '../../parts/shown.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { Span } from '../../parts/time.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import { NewSessionDialog } from './new-session-dialog.tsx';
import { SessionMarks } from './session-marks.tsx';
import { readSessionsSearch } from './sessions-search.ts';
import styles from './sessions.module.css';

/** The conversations with agents, newest first. */
export function AllSessions(): ReactNode {
  const filter = useSearch({ from: '/sessions' });
  const { me } = useSession();
  const [isStarting, setStarting] = useState(false);
  useRowFocus();
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <h1 id="page-title">{en.sessions.title}</h1>
        <Filters filter={filter} />
        {me.role === 'admin' ? (
          <button
            type="button"
            className={`${controls['button']} ${controls['main']}`}
            onClick={() => setStarting(true)}
          >
            {en.sessions.start}
          </button>
        ) : (
          <p className={controls['hint']}>{en.sessions.mayNotStart}</p>
        )}
      </header>
      <List filter={filter} />
      {isStarting ? <NewSessionDialog close={() => setStarting(false)} /> : null}
    </section>
  );
}

function Filters({ filter }: { readonly filter: SessionFilter }): ReactNode {
  const navigate = useNavigate({ from: '/sessions' });
  const change = (part: SessionFilter): void =>
    void navigate({ search: (before: SessionFilter) => readSessionsSearch({ ...before, ...part }), replace: true });
  return (
    <div className={styles['filters']}>
      <TextFilter
        label={en.sessions.workspace}
        value={filter.workspace_id ?? ''}
        change={(workspace_id) => change({ workspace_id })}
      />
      <TextFilter label={en.sessions.ofRun} value={filter.run_id ?? ''} change={(run_id) => change({ run_id })} />
    </div>
  );
}

function List({ filter }: { readonly filter: SessionFilter }): ReactNode {
  const list = useSessions(filter);
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  if (list.isPending) return <Skeleton lines={14} />;
  if (list.isError && rows.length === 0) return <Failed error={list.error} retry={() => void list.refetch()} />;
  if (rows.length === 0)
    return Object.keys(filter).length > 0 ? (
      <Empty title={en.sessions.noneFiltered} />
    ) : (
      <Empty title={en.sessions.none}>
        <p>{en.sessions.noneText}</p>
      </Empty>
    );
  return (
    <VirtualRows
      label={en.sessions.title}
      rows={rows}
      keyOf={({ session_id }) => session_id}
      render={(row) => <Row row={row} />}
      isLoadingMore={list.isFetchingNextPage}
      readMore={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null}
    />
  );
}

const Row = memo(({ row }: { readonly row: Session }): ReactNode => (
  <Link
    to="/sessions/$sessionId"
    params={{ sessionId: row.session_id }}
    search={{}}
    className={styles['row']}
    data-row={row.session_id}
  >
    <span className={styles['rowName']}>
      {row.name === null ? <Id id={row.session_id} isShort /> : <Shown text={row.name} />}
    </span>
    <span>
      <SessionMarks session={row} />
    </span>
    <span className={styles['soft']}>
      <Agent id={row.agent_id} />
    </span>
    <span className={styles['soft']}>
      <Shown text={row.model} />
    </span>
    <span className={styles['rowAge']}>
      <Span at={row.created_at} />
    </span>
  </Link>
));
Row.displayName = 'Row';
