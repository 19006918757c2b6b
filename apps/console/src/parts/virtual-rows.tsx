// SPDX-License-Identifier: Apache-2.0
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import controls from '../design/controls.module.css';
import { en } from '../words/en.ts';
import styles from './virtual-rows.module.css';

/** The height of a row in pixels, and how many rows outside the view are kept. */
const ROW_HEIGHT = 44;
const ROWS_AROUND = 12;
/** The next page is read when so few rows are left below the view. */
const ROWS_LEFT = 40;

interface RowsGiven<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly render: (row: Row) => ReactNode;
  /** the row that is kept in view; null: none */
  readonly followed?: string | null;
  readonly isLoadingMore: boolean;
  readonly readMore: (() => void) | null;
}

/** Rows of one height, of which those in view are in the page. */
export function VirtualRows<Row>(given: RowsGiven<Row>): ReactNode {
  const { label, rows, keyOf, render, followed = null, isLoadingMore, readMore } = given;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AROUND,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (readMore !== null && last >= rows.length - ROWS_LEFT) readMore();
  }, [last, rows.length, readMore]);
  const followedAt = followed === null ? -1 : rows.findIndex((row) => keyOf(row) === followed);
  useEffect(() => {
    if (followedAt !== -1) virtual.scrollToIndex(followedAt);
  }, [followedAt, virtual]);
  return (
    <div ref={scroller} className={styles['scroller']} role="group" aria-label={label} tabIndex={-1}>
      <ul className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={keyOf(row)}
              className={styles['place']}
              style={{ transform: `translateY(${start}px)`, height: ROW_HEIGHT }}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
            >
              {render(row)}
            </li>
          );
        })}
      </ul>
      {isLoadingMore ? <p className={controls['hint']}>{en.approvals.loadingMore}</p> : null}
    </div>
  );
}
