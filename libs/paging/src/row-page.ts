// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { cursorCodec } from './cursor.ts';

/**
 * The position where a page of rows ended. Lists are ordered by (created_at, id); a list by name has 0 and the name.
 */
const RowPosition = Type.Object(
  {
    created_at: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    /** an id, a name or the thumbprint of a key */
    id: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }),
  },
  { additionalProperties: false },
);
export type RowPosition = Readonly<Static<typeof RowPosition>>;

/** Cursors of lists that are ordered by (created_at, id). */
export const ROW_CURSOR = cursorCodec(RowPosition);

/** A page of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** null on the last page */
  readonly next_cursor: string | null;
}

/**
 * A page of up to `limit` rows, and the cursor of the next page. If there are more, `rows` MUST hold one row beyond the
 * limit.
 */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  positionOf: (row: T) => RowPosition,
): { items: T[]; next_cursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items, next_cursor: null };
  const { created_at, id } = positionOf(last);
  return { items, next_cursor: ROW_CURSOR.format({ created_at, id }) };
}
