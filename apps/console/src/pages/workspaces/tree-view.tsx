// SPDX-License-Identifier: Apache-2.0
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useCallback, useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { errorText } from '../../parts/loading.tsx';
import { Shown } from '../../parts/shown.tsx';
import { visibleText } from '../../parts/visible-text.ts';
import { en } from '../../words/en.ts';
import { foundByTyping, moveOf } from './tree-moves.ts';
import type { EntryRow, TreeRow } from './tree-rows.ts';
import styles from './workspaces.module.css';

/** The height of a row in pixels, and how many rows outside the view are kept. */
const ROW_HEIGHT = 26;
const ROWS_AROUND = 20;
/** Letters within this time are one text, in milliseconds. */
const TYPING_MS = 700;

interface TreeGiven {
  readonly rows: readonly TreeRow[];
  readonly chosen: string | null;
  readonly change: (paths: readonly string[], isOpen: boolean) => void;
  readonly choose: (path: string, isDirectory: boolean) => void;
}

/**
 * A tree as WAI-ARIA has it: one stop of the Tab key, within which arrows move. The focus stays at the tree, which
 * names the active row; so rows out of view need not be in the page.
 */
export function TreeView(given: TreeGiven): ReactNode {
  const { rows, chosen, choose } = given;
  const id = useId();
  const [active, setActive] = useState<string | null>(chosen);
  useEffect(() => setActive(chosen), [chosen]);
  const activeAt = rows.findIndex((row) => row.kind !== 'note' && row.path === active);
  const { scroller, virtual } = useRows(rows.length, activeAt);
  const onKeyDown = useTreeKeys(given, active, setActive);
  const press = (row: EntryRow): void => {
    setActive(row.path);
    if (row.kind === 'dir') given.change([row.path], !row.isOpen);
    choose(row.path, row.kind === 'dir');
  };
  return (
    <div
      ref={scroller}
      className={styles['tree']}
      role="tree"
      tabIndex={0}
      aria-label={en.workspaces.tree}
      aria-activedescendant={activeAt === -1 ? undefined : `${id}-${String(activeAt)}`}
      onKeyDown={onKeyDown}
    >
      <div role="none" className={styles['treeRows']} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const style = { transform: `translateY(${String(start)}px)`, paddingLeft: `${String(row.level * 0.875)}rem` };
          return row.kind === 'note' ? (
            <div key={index} role="none" className={styles['treeNote']} style={style}>
              <Note note={row.note} />
            </div>
          ) : (
            <Entry
              key={index}
              id={`${id}-${String(index)}`}
              row={row}
              style={style}
              isActive={index === activeAt}
              isChosen={row.path === chosen}
              press={() => press(row)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The rows in view, and the active one wherever it is, which is kept in view when it changes. */
function useRows(count: number, activeAt: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_AROUND,
    rangeExtractor: useCallback(
      (range: Range) => {
        const inView = defaultRangeExtractor(range);
        return activeAt === -1 || inView.includes(activeAt) ? inView : [...inView, activeAt].toSorted((a, b) => a - b);
      },
      [activeAt],
    ),
  });
  useEffect(() => {
    if (activeAt !== -1) virtual.scrollToIndex(activeAt);
  }, [activeAt, virtual]);
  return { scroller, virtual };
}

function useTreeKeys(given: TreeGiven, active: string | null, setActive: (path: string) => void) {
  const typed = useRef({ text: '', at: 0 });
  const { rows, change, choose } = given;
  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = moveOf(rows, active, event.key);
    if (move !== null) {
      // What is typed after a move is another name.
      typed.current = { text: '', at: 0 };
      if ('to' in move) setActive(move.to);
      else if ('open' in move) change(move.open, true);
      else if ('close' in move) change([move.close], false);
      else chooseRow(rows, move.choose, change, choose);
    } else if ([...event.key].length === 1 && event.key !== ' ') {
      const isOne = event.timeStamp - typed.current.at < TYPING_MS;
      typed.current = { text: isOne ? typed.current.text + event.key : event.key, at: event.timeStamp };
      const found = foundByTyping(rows, active, typed.current.text);
      if (found !== null) setActive(found);
    } else return;
    event.preventDefault();
  };
}

function chooseRow(
  rows: TreeGiven['rows'],
  path: string,
  change: TreeGiven['change'],
  choose: TreeGiven['choose'],
): void {
  const row = rows.find((one): one is EntryRow => one.kind !== 'note' && one.path === path);
  if (row?.kind === 'dir') change([path], !row.isOpen);
  choose(path, row?.kind === 'dir');
}

interface EntryGiven {
  readonly id: string;
  readonly row: EntryRow;
  readonly style: Readonly<Record<string, string>>;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly press: () => void;
}

const Entry = ({ id, row, style, isActive, isChosen, press }: EntryGiven): ReactNode => (
  <div
    id={id}
    role="treeitem"
    className={styles['treeRow']}
    style={style}
    aria-level={row.level}
    aria-setsize={row.count}
    aria-posinset={row.place}
    aria-selected={isChosen}
    aria-expanded={row.kind === 'dir' ? row.isOpen : undefined}
    aria-busy={row.isBusy || undefined}
    data-active={isActive || undefined}
    title={visibleText(row.path)}
    onClick={press}
  >
    <span className={styles['treeMark']} aria-hidden="true">
      {row.kind === 'dir' ? (row.isOpen ? '▾' : '▸') : ''}
    </span>
    <Shown text={row.name} />
    {row.kind === 'symlink' ? <span className={styles['treeKind']}> {en.workspaces.link}</span> : null}
  </div>
);

function Note({ note }: { readonly note: Extract<TreeRow, { kind: 'note' }>['note'] }): ReactNode {
  if (note === 'loading') return en.workspaces.reading;
  if (note === 'empty') return en.workspaces.emptyDirectory;
  if (note === 'cut') return en.workspaces.cutDirectory;
  return (
    <span role="alert">
      <Shown text={en.workspaces.failedDirectory(errorText(note.error))} />
    </span>
  );
}
