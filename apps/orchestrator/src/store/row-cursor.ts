// SPDX-License-Identifier: Apache-2.0
import { Fault, isId, type IdKind } from '@writ/contract';

/** Where a page ended: the last row's (created_at, id). */
export interface RowPosition {
  readonly createdAt: number;
  readonly id: string;
}

/** Opaque to callers: they may not rely on what is in it. */
export function formatRowCursor({ createdAt, id }: RowPosition): string {
  return Buffer.from(`${createdAt}:${id}`).toString('base64url');
}

/** Fault `request.malformed` on what this API didn't make for a list of that kind. */
export function parseRowCursor(kind: IdKind, text: string): RowPosition {
  const [, createdAt, id] =
    /^(\d{1,15}):([a-z]+_[0-9a-z]{26})$/.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (createdAt === undefined || !isId(kind, id))
    throw new Fault('request.malformed', 'the `cursor` is none of this list');
  return { createdAt: Number(createdAt), id };
}

/** A page of rows that were read one further than asked. */
export function pageOfRows<T extends { readonly created_at: number }>(
  rows: readonly T[],
  limit: number,
  idOf: (row: T) => string,
): { items: T[]; next_cursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    next_cursor:
      rows.length > limit && last !== undefined
        ? formatRowCursor({ createdAt: last.created_at, id: idOf(last) })
        : null,
  };
}
