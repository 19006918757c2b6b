// SPDX-License-Identifier: Apache-2.0
// The keyboard of a tree (WAI-ARIA Authoring Practices, tree view).
import { parentOf, type EntryRow, type TreeRow } from './tree-rows.ts';

/** What a key does: to another row, to a directory's state, or to what is shown. */
export type Move =
  | { readonly to: string }
  | { readonly open: readonly string[] }
  | { readonly close: string }
  | { readonly choose: string };

const isEntry = (row: TreeRow): row is EntryRow => row.kind !== 'note';

/** What a key does at the active row; null: nothing. `active` may be gone, or there may be none yet. */
export function moveOf(rows: readonly TreeRow[], active: string | null, key: string): Move | null {
  const entries = rows.filter(isEntry);
  const at = entries.findIndex(({ path }) => path === active);
  const row = entries[at];
  const to = (target: EntryRow | undefined): Move | null => (target === undefined ? null : { to: target.path });
  if (row === undefined) return ['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(key) ? to(entries[0]) : null;
  switch (key) {
    case 'ArrowDown':
      return to(entries[at + 1]);
    case 'ArrowUp':
      return to(entries[at - 1]);
    case 'Home':
      return to(entries[0]);
    case 'End':
      return to(entries.at(-1));
    case 'ArrowRight':
      return row.kind !== 'dir' ? null : row.isOpen ? to(childOf(entries, at)) : { open: [row.path] };
    case 'ArrowLeft':
      return row.isOpen ? { close: row.path } : to(entries.find(({ path }) => path === parentOf(row.path)));
    case 'Enter':
    case ' ':
      return { choose: row.path };
    case '*':
      return { open: siblingsOf(entries, row) };
    default:
      return null;
  }
}

function childOf(entries: readonly EntryRow[], at: number): EntryRow | undefined {
  const next = entries[at + 1];
  return next !== undefined && next.level > (entries[at]?.level ?? 0) ? next : undefined;
}

const siblingsOf = (entries: readonly EntryRow[], row: EntryRow): readonly string[] =>
  entries.filter(({ kind, path }) => kind === 'dir' && parentOf(path) === parentOf(row.path)).map(({ path }) => path);

/**
 * The row whose name begins with what was typed: the next one, from the top again after the last. More letters stay at
 * the row that still fits.
 */
export function foundByTyping(rows: readonly TreeRow[], active: string | null, typed: string): string | null {
  const entries = rows.filter(isEntry);
  const at = entries.findIndex(({ path }) => path === active);
  const from = Math.max(0, typed.length === 1 ? at + 1 : at);
  const wanted = typed.toLowerCase();
  const turned = [...entries.slice(from), ...entries.slice(0, from)];
  return turned.find(({ name }) => name.toLowerCase().startsWith(wanted))?.path ?? null;
}
