// SPDX-License-Identifier: Apache-2.0
import type { ApprovalBrief } from '@writ/client/web';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, type ReactNode } from 'react';
import {
  QUEUE_ORDERS,
  useGroups,
  useLiveApprovals,
  useQueue,
  type QueueFilter,
  type QueueOrder,
} from '../../data/approvals.ts';
import controls from '../../design/controls.module.css';
import { useChosenRow } from '../../parts/chosen-row.ts';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { TextFilter } from '../../parts/text-filter.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { en } from '../../words/en.ts';
import styles from './inbox.module.css';
import { readInboxSearch, type InboxSearch } from './inbox-search.ts';
import { AlikeGroups } from './alike-groups.tsx';
import { QueueRow } from './queue-row.tsx';

/** The live queue of calls that wait for people. */
export function Inbox(): ReactNode {
  const { order = 'oldest', ...filter } = useSearch({ from: '/approvals' });
  useLiveApprovals();
  const groups = useGroups(filter);
  return (
    <section className={styles['page']} aria-labelledby="page-title">
      <header className={styles['heading']}>
        <h1 id="page-title">{en.approvals.title}</h1>
        <p className={controls['hint']} aria-live="polite">
          {groups.data === undefined
            ? ' '
            : (groups.data.complete ? en.approvals.waiting : en.approvals.waitingAtLeast)(groups.data.waiting)}
        </p>
        <Filters filter={filter} order={order} />
      </header>
      <div className={styles['columns']}>
        <AlikeGroups groups={groups.data?.items ?? []} chosen={filter.alike ?? null} />
        <Queue filter={filter} order={order} />
      </div>
    </section>
  );
}

function Filters({ filter, order }: { readonly filter: QueueFilter; readonly order: QueueOrder }): ReactNode {
  const navigate = useNavigate({ from: '/approvals' });
  const change = (part: Partial<InboxSearch>): void =>
    void navigate({ search: (before: InboxSearch) => readInboxSearch({ ...before, ...part }), replace: true });
  return (
    <div className={styles['filters']}>
      <label className={controls['inline']}>
        <input
          type="checkbox"
          checked={filter.mine === true}
          onChange={({ target }) => change({ mine: target.checked ? true : undefined })}
        />
        {en.approvals.mine}
      </label>
      <label className={controls['inline']}>
        {en.approvals.order}
        <select
          className={controls['select']}
          value={order}
          onChange={({ target }) => change({ order: target.value as QueueOrder })}
        >
          {QUEUE_ORDERS.map((one) => (
            <option key={one} value={one}>
              {en.approvals.orders[one]}
            </option>
          ))}
        </select>
      </label>
      <TextFilter label={en.approvals.tool} value={filter.tool_id ?? ''} change={(tool_id) => change({ tool_id })} />
    </div>
  );
}

function Queue({ filter, order }: { readonly filter: QueueFilter; readonly order: QueueOrder }): ReactNode {
  const queue = useQueue(filter, order);
  const rows = useMemo(() => queue.data?.pages.flatMap(({ items }) => items) ?? [], [queue.data]);
  if (queue.isPending) return <Skeleton lines={12} />;
  if (queue.isError && rows.length === 0) return <Failed error={queue.error} retry={() => void queue.refetch()} />;
  if (rows.length === 0) return <NothingWaits filter={filter} />;
  return (
    <Rows
      rows={rows}
      isLoadingMore={queue.isFetchingNextPage}
      readMore={queue.hasNextPage && !queue.isFetchingNextPage ? () => void queue.fetchNextPage() : null}
    />
  );
}

function NothingWaits({ filter }: { readonly filter: QueueFilter }): ReactNode {
  const navigate = useNavigate({ from: '/approvals' });
  if (Object.keys(filter).length === 0)
    return (
      <Empty title={en.approvals.none}>
        <p>{en.approvals.noneText}</p>
      </Empty>
    );
  return (
    <Empty title={en.approvals.noneFiltered}>
      <button type="button" className={controls['button']} onClick={() => void navigate({ search: {} })}>
        {en.approvals.clear}
      </button>
    </Empty>
  );
}

interface RowsGiven {
  readonly rows: readonly ApprovalBrief[];
  readonly isLoadingMore: boolean;
  readonly readMore: (() => void) | null;
}

function Rows({ rows, isLoadingMore, readMore }: RowsGiven): ReactNode {
  const navigate = useNavigate();
  const open = useCallback(
    (approvalId: string) => void navigate({ to: '/approvals/$approvalId', params: { approvalId } }),
    [navigate],
  );
  const chosen = useChosenRow(
    useMemo(() => rows.map(({ approval_id }) => approval_id), [rows]),
    open,
  );
  return (
    <VirtualRows
      label={en.approvals.title}
      rows={rows}
      keyOf={({ approval_id }) => approval_id}
      render={(row) => <QueueRow row={row} isChosen={row.approval_id === chosen} />}
      followed={chosen}
      isLoadingMore={isLoadingMore}
      readMore={readMore}
    />
  );
}
