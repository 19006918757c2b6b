// SPDX-License-Identifier: Apache-2.0
import { isId, type IdKind } from '@writ/contract';
import { badCursor, pageOf, ROW_CURSOR, type RowPosition } from '@writ/paging';

/** @throws Fault `request.malformed` for a cursor that no list of rows of this kind returned */
export function parseRowCursor(kind: IdKind, text: string): RowPosition {
  const position = ROW_CURSOR.parse(text);
  if (!isId(kind, position.id)) throw badCursor();
  return position;
}

/** A page of rows. `rows` may have one more than `limit`, which shows that there is a next page. */
export const pageOfRows = <T extends { readonly created_at: number }>(
  rows: readonly T[],
  limit: number,
  idOf: (row: T) => string,
): { items: T[]; next_cursor: string | null } =>
  pageOf(rows, limit, (row) => ({ created_at: row.created_at, id: idOf(row) }));
