// SPDX-License-Identifier: Apache-2.0
import type { ApprovalBrief } from '@writ/client/web';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import {
  QUEUE_ORDERS,
  useGroups,
  useLiveApprovals,
  useQueue,
  type QueueFilter,
  type QueueOrder,
} from '../../data/approvals.ts';
import controls from '../../design/controls.module.css';
import { useKeys } from '../../parts/keys.ts';
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
  const chosen = useChosenRow(rows);
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

/** The row that `j` and `k` move, by its approval: it stays the same one while rows come and go. */
function useChosenRow(rows: readonly ApprovalBrief[]): string | null {
  const [chosen, setChosen] = useState<string | null>(null);
  const navigate = useNavigate();
  const latest = useRef({ rows, chosen });
  latest.current = { rows, chosen };
  const handlers = useMemo(() => {
    const move = (by: number): void => {
      const { rows: all, chosen: id } = latest.current;
      const at = all.findIndex(({ approval_id }) => approval_id === id);
      const next = at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by));
      setChosen(all[next]?.approval_id ?? null);
    };
    const open = (): void => {
      const { chosen: id } = latest.current;
      if (id !== null) void navigate({ to: '/approvals/$approvalId', params: { approvalId: id } });
    };
    return { j: () => move(1), k: () => move(-1), Enter: open, o: open };
  }, [navigate]);
  useKeys(handlers);
  return chosen;
}
