// SPDX-License-Identifier: Apache-2.0
import { Fault, type RecordsRequest } from '@writ/contract';
import { canonicalJson, sha256Hex } from '@writ/digest';
import { cursorCodec } from '@writ/paging';
import { Type, type Static } from 'typebox';

const integer = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * The end of a page, the number of indexed records, and the hash of its query. Attacker-controlled: it names positions
 * in the caller's own log, and nothing else.
 */
const RecordPosition = Type.Object(
  {
    /** hash of the query that it belongs to */
    q: Type.String({ pattern: '^[0-9a-f]{16}$' }),
    /** records that were indexed when the first page was read: later ones aren't shown */
    to: integer,
    at: integer,
    index: integer,
  },
  { additionalProperties: false },
);
const RECORD_CURSOR = cursorCodec(RecordPosition);
export type Cursor = Omit<Static<typeof RecordPosition>, 'q'>;

/** Hex digits of the query's hash: it detects a mixed-up cursor, not a forged one. */
const QUERY_HASH_CHARS = 16;
const queryHashOf = ({ tenant_id, filter, order }: RecordsRequest): string =>
  sha256Hex(Buffer.from(canonicalJson({ tenant_id, filter, order }))).slice(0, QUERY_HASH_CHARS);

export const formatCursor = (request: RecordsRequest, { to, at, index }: Cursor): string =>
  RECORD_CURSOR.format({ q: queryHashOf(request), to, at, index });

/**
 * The cursor of a request, null for the first page. Faults: `request.malformed` for a malformed cursor or one of
 * another query.
 */
export function parseCursor(request: RecordsRequest): Cursor | null {
  if (request.cursor === null) return null;
  const { q, ...cursor } = RECORD_CURSOR.parse(request.cursor);
  if (q !== queryHashOf(request))
    throw new Fault(
      'request.malformed',
      'query parameter `cursor` is of a question with other filters: repeat those of the first page, or leave it out',
    );
  return cursor;
}
