// SPDX-License-Identifier: Apache-2.0
import { pageOf, ROW_CURSOR, type Listed, type RowPosition } from '@writ/paging';

/** Before every row of a list with the newest first. */
const FIRST: RowPosition = { created_at: Number.MAX_SAFE_INTEGER, id: '~' };

/** Reads the opaque cursor of a request; null begins at the newest. @throws Fault `request.malformed` */
export const parseCursor = (cursor: string | null): RowPosition => (cursor === null ? FIRST : ROW_CURSOR.parse(cursor));

/** Half of what one message holds, so that what is around the rows has room. */
const PAGE_BYTES_MAX = 512 * 1024;

/**
 * As `pageOf`, of views that are sent as they are: it ends early where they would weigh more than a message may, with
 * one view at least.
 */
export function fittedPage<T>(views: readonly T[], limit: number, positionOf: (view: T) => RowPosition): Listed<T> {
  let bytes = 0;
  const tooMany = views.findIndex(
    (view, index) => (bytes += Buffer.byteLength(JSON.stringify(view))) > PAGE_BYTES_MAX && index > 0,
  );
  return pageOf(views, tooMany < 0 ? limit : Math.min(limit, tooMany), positionOf);
}
