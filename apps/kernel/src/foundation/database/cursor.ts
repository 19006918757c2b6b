// SPDX-License-Identifier: Apache-2.0
import { pageOf, ROW_CURSOR, type ListPage, type RowPosition } from '@writ/paging';

/** Before every row of a list with the newest first. */
const FIRST: RowPosition = { created_at: Number.MAX_SAFE_INTEGER, id: '~' };

/** Reads the opaque cursor of a request; null begins at the newest. @throws Fault `request.malformed` */
export const parseCursor = (cursor: string | null): RowPosition => (cursor === null ? FIRST : ROW_CURSOR.parse(cursor));

/** Half of what one message holds; the other half is room for what is sent around the rows. */
const PAGE_BYTES_MAX = 512 * 1024;

/**
 * As `pageOf`, for views that are sent unchanged. The page ends early where it would exceed the size of a message; it
 * has one view at least.
 */
export function fittedPage<T>(views: readonly T[], limit: number, positionOf: (view: T) => RowPosition): ListPage<T> {
  let bytes = 0;
  const tooMany = views.findIndex(
    (view, index) => (bytes += Buffer.byteLength(JSON.stringify(view))) > PAGE_BYTES_MAX && index > 0,
  );
  return pageOf(views, tooMany < 0 ? limit : Math.min(limit, tooMany), positionOf);
}
