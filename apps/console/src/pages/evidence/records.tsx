// SPDX-License-Identifier: Apache-2.0
import type { RecordPageItem } from '@writ/client/web';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { memo, useCallback, useMemo, type ReactNode } from 'react';
import { useRecords } from '../../data/records.ts';
import controls from '../../design/controls.module.css';
import { Agent } from '../../parts/agent.tsx';
import { useChosenRow } from '../../parts/chosen-row.ts';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Badge, Risk, State } from '../../parts/marks.tsx';
import { Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import { EvidencePage } from './evidence-page.tsx';
import { RecordFilters } from './record-filters.tsx';
import styles from './evidence.module.css';

/** The search over all records of the tenant's log. */
export function Records(): ReactNode {
  const search = useSearch({ from: '/evidence' });
  const list = useRecords(search);
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const chosen = useChosen(rows);
  const newest = list.data?.pages[0];
  return (
    <EvidencePage>
      <div className={styles['search']}>
        <RecordFilters search={search} />
        <p className={controls['hint']} role="status">
          {newest === undefined
            ? ' '
            : newest.indexed_to < newest.tree_size
              ? en.evidence.behind(newest.indexed_to, newest.tree_size)
              : `${en.evidence.size(newest.tree_size)}. ${en.evidence.proof}`}
        </p>
        {list.isPending ? (
          <Skeleton lines={12} />
        ) : list.isError && rows.length === 0 ? (
          <Failed error={list.error} retry={() => void list.refetch()} />
        ) : rows.length === 0 ? (
          <None isFiltered={Object.keys(search).length > 0} />
        ) : (
          <VirtualRows
            label={en.evidence.tabs.records}
            rows={rows}
            keyOf={({ leaf_index }) => String(leaf_index)}
            followed={chosen}
            render={(row) => <Row row={row} isChosen={String(row.leaf_index) === chosen} />}
            isLoadingMore={list.isFetchingNextPage}
            readMore={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null}
          />
        )}
      </div>
    </EvidencePage>
  );
}

function useChosen(rows: readonly RecordPageItem[]): string | null {
  const navigate = useNavigate();
  const open = useCallback(
    (leafIndex: string) => void navigate({ to: '/evidence/records/$leafIndex', params: { leafIndex } }),
    [navigate],
  );
  return useChosenRow(
    useMemo(() => rows.map(({ leaf_index }) => String(leaf_index)), [rows]),
    open,
  );
}

function None({ isFiltered }: { readonly isFiltered: boolean }): ReactNode {
  const navigate = useNavigate({ from: '/evidence' });
  return (
    <Empty title={isFiltered ? en.evidence.noneFiltered : en.evidence.none}>
      {isFiltered ? (
        <button type="button" className={controls['button']} onClick={() => void navigate({ search: {} })}>
          {en.evidence.clear}
        </button>
      ) : null}
    </Empty>
  );
}

/** What a record is, such as `Tool call, outcome`. */
export const kindOf = ({ type, phase }: Pick<RecordPageItem, 'type' | 'phase'>): string =>
  [(en.evidence.types as Readonly<Record<string, string>>)[type] ?? type, phase]
    .flatMap((text) => (text === null ? [] : [en.evidence.phases[text] ?? text]))
    .join(', ');

interface RowGiven {
  readonly row: RecordPageItem;
  readonly isChosen: boolean;
}

const Row = memo(({ row, isChosen }: RowGiven): ReactNode => (
  <Link
    to="/evidence/records/$leafIndex"
    params={{ leafIndex: String(row.leaf_index) }}
    className={styles['row']}
    data-chosen={isChosen || undefined}
  >
    <span className={styles['rowLeaf']}>{row.leaf_index}</span>
    <span className={styles['rowKind']}>
      <Shown text={kindOf(row)} />
    </span>
    <span>
      <Ended row={row} />
    </span>
    <span className={styles['rowTool']}>{row.tool_id === null ? null : <Shown text={row.tool_id} isCode />}</span>
    <span className={styles['rowFault']}>
      {row.fault_code === null ? null : <Shown text={row.fault_code} isCode />}
    </span>
    <span className={styles['rowAgent']}>{row.agent_id === null ? null : <Agent id={row.agent_id} />}</span>
    <span className={styles['rowRisk']}>{row.risk_score === null ? null : <Risk score={row.risk_score} />}</span>
    <span className={styles['rowAge']}>
      <Span at={row.recorded_at} />
    </span>
  </Link>
));
Row.displayName = 'Row';

function Ended({ row: { outcome, verdict } }: { readonly row: RecordPageItem }): ReactNode {
  const state = outcome ?? verdict;
  if (state === null) return null;
  return state === 'admitted' ? <Badge tone="good">{en.evidence.verdicts.admitted}</Badge> : <State state={state} />;
}
