// SPDX-License-Identifier: Apache-2.0
import type { Operation } from '@writ/client/web';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { memo, useMemo, type ReactNode } from 'react';
import { useFreshOperations, useOperations, type OperationFilter } from '../../data/operations.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Risk, State } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { Span } from '../../parts/time.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import styles from './activity.module.css';
import { readActivitySearch } from './activity-search.ts';

/** The calls of all agents, newest first. */
export function Operations(): ReactNode {
  const filter = useSearch({ from: '/activity' });
  const list = useOperations(filter);
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const shown = useMemo(() => new Set(rows.map(({ operation_id }) => operation_id)), [rows]);
  const fresh = useFreshOperations(shown);
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <h1 id="page-title">{en.activity.title}</h1>
        <span aria-live="polite">
          {fresh.count === 0 ? null : (
            <button type="button" className={controls['button']} onClick={fresh.show}>
              {en.activity.fresh(fresh.count)}
            </button>
          )}
        </span>
        <Filters filter={filter} />
      </header>
      {list.isPending ? (
        <Skeleton lines={14} />
      ) : list.isError && rows.length === 0 ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : rows.length === 0 ? (
        <None isFiltered={Object.keys(filter).length > 0} />
      ) : (
        <VirtualRows
          label={en.activity.title}
          rows={rows}
          keyOf={({ operation_id }) => operation_id}
          render={(row) => <Row row={row} />}
          isLoadingMore={list.isFetchingNextPage}
          readMore={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null}
        />
      )}
    </section>
  );
}

const None = ({ isFiltered }: { readonly isFiltered: boolean }): ReactNode => (
  <Empty title={isFiltered ? en.activity.noneFiltered : en.activity.none}>
    <p>{isFiltered ? '' : en.activity.noneText}</p>
  </Empty>
);

function Filters({ filter }: { readonly filter: OperationFilter }): ReactNode {
  const navigate = useNavigate({ from: '/activity' });
  const change = (part: Readonly<Record<string, string>>): void =>
    void navigate({ search: (before: OperationFilter) => readActivitySearch({ ...before, ...part }), replace: true });
  return (
    <div className={styles['filters']}>
      <label className={controls['inline']}>
        {en.activity.state}
        <select
          className={controls['select']}
          value={filter.state ?? ''}
          onChange={({ target }) => change({ state: target.value })}
        >
          <option value="">{en.activity.anyState}</option>
          {Object.entries(en.states).map(([state, label]) => (
            <option key={state} value={state}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <TextFilter label={en.activity.tool} value={filter.tool_id ?? ''} change={(tool_id) => change({ tool_id })} />
    </div>
  );
}

const Row = memo(({ row }: { readonly row: Operation }): ReactNode => (
  <Link to="/activity/$operationId" params={{ operationId: row.operation_id }} className={styles['row']}>
    <span>
      <State state={row.state} />
    </span>
    <span className={styles['rowTool']}>
      <Shown text={row.tool_id} isCode />
    </span>
    <span className={styles['rowWhy']}>
      <Shown text={row.reasons.map(({ code }) => code).join(', ')} />
    </span>
    <span className={styles['rowAgent']}>
      <Agent id={row.agent_id} />
    </span>
    <span className={styles['rowRisk']}>
      <Risk score={row.risk_score} />
    </span>
    <span className={styles['rowAge']}>
      <Span at={row.created_at} />
    </span>
  </Link>
));
Row.displayName = 'Row';
