// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';

/** The last row of a page: lists are ordered by (created_at, id). */
export interface Place {
  readonly created_at: number;
  readonly id: string;
}

/** Before every row of a list with the newest first. */
const FIRST: Place = { created_at: Number.MAX_SAFE_INTEGER, id: '~' };
const CURSOR = /^([0-9]{1,16})\.([A-Za-z0-9._-]{1,64})$/;

/** Reads the opaque cursor of a request; null begins at the newest. @throws Fault `request.malformed` */
export function parseCursor(cursor: string | null): Place {
  if (cursor === null) return FIRST;
  const match = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  if (match === null) throw new Fault('request.malformed', 'the cursor is not one that was given out');
  return { created_at: Number(match[1]), id: match[2] ?? '' };
}

/** A page of a list. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** Half of what one message holds, so that what is around the rows has room. */
const PAGE_BYTES_MAX = 512 * 1024;

/**
 * A page of up to `limit` of the rows, which MUST be one more where there are more, and the cursor of the next page.
 */
export function pageOf<T>(rows: readonly T[], limit: number, placeOf: (row: T) => Place): Listed<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length <= limit || last === undefined) return { items, next_cursor: null };
  const { created_at, id } = placeOf(last);
  return { items, next_cursor: Buffer.from(`${String(created_at)}.${id}`, 'latin1').toString('base64url') };
}

/**
 * As `pageOf`, of views that are sent as they are: it ends early where they would weigh more than a message may, with
 * one view at least.
 */
export function fittedPage<T>(views: readonly T[], limit: number, placeOf: (view: T) => Place): Listed<T> {
  let bytes = 0;
  const tooMany = views.findIndex(
    (view, index) => (bytes += Buffer.byteLength(JSON.stringify(view))) > PAGE_BYTES_MAX && index > 0,
  );
  return pageOf(views, tooMany < 0 ? limit : Math.min(limit, tooMany), placeOf);
}
