// SPDX-License-Identifier: Apache-2.0
import type { Workspace } from '@writ/client/web';
import { Link, useNavigate } from '@tanstack/react-router';
import { memo, useCallback, useMemo, type ReactNode } from 'react';
import { useWorkspaces } from '../../data/workspaces.ts';
import { useChosenRow } from '../../parts/chosen-row.ts';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { Id, Shown } from '../../parts/shown.tsx';
import { Span } from '../../parts/time.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import styles from './workspaces.module.css';

/** The workspaces of the tenant. */
export function WorkspaceList(): ReactNode {
  const list = useWorkspaces();
  const rows = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const navigate = useNavigate();
  const open = useCallback(
    (workspaceId: string) => void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId }, search: {} }),
    [navigate],
  );
  const chosen = useChosenRow(
    useMemo(() => rows.map(({ workspace_id }) => workspace_id), [rows]),
    open,
  );
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <h1 id="page-title">{en.workspaces.title}</h1>
      </header>
      {list.isPending ? (
        <Skeleton lines={10} />
      ) : list.isError && rows.length === 0 ? (
        <Failed error={list.error} retry={() => void list.refetch()} />
      ) : rows.length === 0 ? (
        <Empty title={en.workspaces.none}>
          <p>{en.workspaces.noneText}</p>
        </Empty>
      ) : (
        <VirtualRows
          label={en.workspaces.title}
          rows={rows}
          keyOf={({ workspace_id }) => workspace_id}
          followed={chosen}
          render={(row) => <Row row={row} isChosen={row.workspace_id === chosen} />}
          isLoadingMore={list.isFetchingNextPage}
          readMore={list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : null}
        />
      )}
    </section>
  );
}

interface RowGiven {
  readonly row: Workspace;
  readonly isChosen: boolean;
}

const Row = memo(({ row, isChosen }: RowGiven): ReactNode => (
  <Link
    to="/workspaces/$workspaceId"
    params={{ workspaceId: row.workspace_id }}
    search={{}}
    className={styles['listRow']}
    data-chosen={isChosen || undefined}
  >
    <span className={styles['rowName']}>
      <Shown text={row.name} />
    </span>
    <span className={styles['rowId']}>
      <Id id={row.workspace_id} />
    </span>
    <span className={styles['rowAge']}>
      {en.workspaces.changed} <Span at={row.updated_at} />
    </span>
  </Link>
));
Row.displayName = 'Row';
