// SPDX-License-Identifier: Apache-2.0
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, type CSSProperties, type ReactNode } from 'react';
import type { Paged } from '../../data/paged.ts';
import controls from '../../design/controls.module.css';
import { useKeys } from '../../parts/keys.ts';
import { Empty, Failed, Skeleton } from '../../parts/loading.tsx';
import { VirtualRows } from '../../parts/virtual-rows.tsx';
import { administration as words } from '../../words/administration.ts';
import styles from './administration.module.css';
import type { AdministrationSearch } from './administration-search.ts';

/** A column: on narrow pages minor ones are left out, and its details have them. */
export interface Column<Row> {
  readonly label: string;
  readonly width: string;
  readonly isMinor?: true;
  readonly cell: (row: Row) => ReactNode;
}

interface ListGiven<Row> {
  readonly label: string;
  readonly list: Paged<Row>;
  readonly keyOf: (row: Row) => string;
  /** the name of a row, as a heading of its details */
  readonly nameOf: (row: Row) => ReactNode;
  readonly columns: readonly Column<Row>[];
  readonly details: (row: Row) => ReactNode;
  readonly none: { readonly title: string; readonly text: string };
}

/** A list whose chosen row is in the address, and is shown with all that is known of it. */
export function ChosenList<Row>(given: ListGiven<Row>): ReactNode {
  const { list, keyOf, none } = given;
  const { chosen } = useSearch({ strict: false });
  const row = chosen === undefined ? undefined : list.rows.find((one) => keyOf(one) === chosen);
  const { readMore } = list;
  useEffect(() => {
    if (chosen !== undefined && row === undefined) readMore?.();
  }, [chosen, row, readMore]);
  if (list.isPending) return <Skeleton lines={12} />;
  if (list.error !== null && list.rows.length === 0) return <Failed error={list.error} retry={list.retry} />;
  if (list.rows.length === 0)
    return (
      <Empty title={none.title}>
        <p>{none.text}</p>
      </Empty>
    );
  return (
    <div className={styles['split']} {...(row === undefined ? {} : { 'data-open': true })}>
      <Rows {...given} chosen={chosen ?? null} />
      {row === undefined ? null : (
        <Details key={keyOf(row)} name={given.nameOf(row)}>
          {given.details(row)}
        </Details>
      )}
    </div>
  );
}

function Rows<Row>(given: ListGiven<Row> & { readonly chosen: string | null }): ReactNode {
  const { label, list, keyOf, columns, chosen } = given;
  useRowKeys(
    useMemo(() => list.rows.map(keyOf), [list.rows, keyOf]),
    chosen,
  );
  const style = { '--columns': columns.map(({ width }) => width).join(' ') } as CSSProperties;
  return (
    <div className={styles['list']} style={style}>
      <div className={styles['columns']} aria-hidden="true">
        {columns.map((column) => (
          <span key={column.label}>{column.label}</span>
        ))}
      </div>
      <VirtualRows
        label={label}
        rows={list.rows}
        keyOf={keyOf}
        render={(row) => <OneRow row={row} columns={columns} id={keyOf(row)} isChosen={keyOf(row) === chosen} />}
        followed={chosen}
        isLoadingMore={list.isLoadingMore}
        readMore={list.readMore}
      />
    </div>
  );
}

interface RowGiven<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly id: string;
  readonly isChosen: boolean;
}

const OneRow = <Row,>({ row, columns, id, isChosen }: RowGiven<Row>): ReactNode => (
  <Link
    to="."
    search={(before: AdministrationSearch) => ({ ...before, chosen: id })}
    replace
    className={styles['row']}
    {...(isChosen ? { 'data-chosen': true, 'aria-current': 'true' } : {})}
    // The link leads to the page that is shown, so the router would call each of them the current one.
    activeProps={{}}
    activeOptions={{ exact: true, includeSearch: true }}
  >
    {columns.map(({ label, isMinor, cell }) => (
      <span key={label} {...(isMinor === true ? { 'data-minor': true } : {})}>
        {cell(row)}
      </span>
    ))}
  </Link>
);

function Details({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }): ReactNode {
  return (
    <aside className={styles['details']} aria-label={words.details}>
      <div className={styles['detailsHead']}>
        <h2>{name}</h2>
        <Link
          to="."
          search={({ chosen: _, ...before }: AdministrationSearch) => before}
          replace
          className={`${controls['button']} ${controls['plain']}`}
        >
          {words.close}
        </Link>
      </div>
      {children}
    </aside>
  );
}

/** `j` and `k` choose the next and the previous row; `u` chooses none. */
function useRowKeys(ids: readonly string[], chosen: string | null): void {
  const navigate = useNavigate();
  const latest = useRef({ ids, chosen });
  latest.current = { ids, chosen };
  const handlers = useMemo(() => {
    const choose = (id: string | undefined): void =>
      void navigate({
        to: '.',
        search: ({ chosen: _, ...before }: AdministrationSearch) =>
          id === undefined ? before : { ...before, chosen: id },
        replace: true,
      });
    const move = (by: number): void => {
      const { ids: all, chosen: id } = latest.current;
      const at = id === null ? -1 : all.indexOf(id);
      choose(all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))]);
    };
    return { j: () => move(1), k: () => move(-1), u: () => choose(undefined) };
  }, [navigate]);
  useKeys(handlers);
}
