// SPDX-License-Identifier: Apache-2.0
import { Fault, type RecordsRequest } from '@writ/contract';
import { canonicalJson, sha256Hex } from '@writ/digest';
import { cursorCodec } from '@writ/paging';
import { Type, type Static } from 'typebox';

const integer = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * Where a page ended, among which records, and of what question. Attacker-controlled: it names places in the caller's
 * own log, and nothing else.
 */
const RecordPosition = Type.Object(
  {
    /** of the question that it belongs to */
    q: Type.String({ pattern: '^[0-9a-f]{16}$' }),
    /** records that were indexed when the first page was read: what came later isn't shown */
    to: integer,
    at: integer,
    index: integer,
  },
  { additionalProperties: false },
);
const RECORD_CURSOR = cursorCodec(RecordPosition);
export type Cursor = Omit<Static<typeof RecordPosition>, 'q'>;

/** Hex digits of the question's hash: it is told from others by mistake, not by force. */
const QUESTION_CHARS = 16;
const questionOf = ({ tenant_id, filter, order }: RecordsRequest): string =>
  sha256Hex(Buffer.from(canonicalJson({ tenant_id, filter, order }))).slice(0, QUESTION_CHARS);

export const formatCursor = (request: RecordsRequest, { to, at, index }: Cursor): string =>
  RECORD_CURSOR.format({ q: questionOf(request), to, at, index });

/**
 * The cursor of a request, null for the first page. Faults: `request.malformed` for one that is none, or of another
 * question.
 */
export function parseCursor(request: RecordsRequest): Cursor | null {
  if (request.cursor === null) return null;
  const { q, ...cursor } = RECORD_CURSOR.parse(request.cursor);
  if (q !== questionOf(request))
    throw new Fault(
      'request.malformed',
      'query parameter `cursor` is of a question with other filters: repeat those of the first page, or leave it out',
    );
  return cursor;
}
