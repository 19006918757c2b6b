// SPDX-License-Identifier: Apache-2.0
import { Fault, parseMessage } from '@writ/contract';
import { parseJson } from '@writ/digest';
import type { Static, TSchema } from 'typebox';

/** Formats and parses the cursors of one kind of list. */
export interface CursorCodec<Position> {
  /** The cursor of the page that begins after this position. */
  format(position: Position): string;
  /** @throws Fault `request.malformed`, see `badCursor`, for a text without a position of this kind */
  parse(cursor: string): Position;
}

/**
 * The codec of cursors that hold a position of this schema. A cursor is opaque to clients: its form may change with any
 * version. It is attacker-controlled and not signed, so a position MUST name nothing beyond what its reader may see.
 * The schema MUST refuse unknown members and bound its texts, so that a cursor has at most 256 characters.
 */
export function cursorCodec<S extends TSchema>(position: S): CursorCodec<Static<S>> {
  return {
    format: (value) => Buffer.from(JSON.stringify(value)).toString('base64url'),
    parse: (cursor) => {
      try {
        return parseMessage(position, parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
      } catch (cause) {
        throw badCursor({ cause });
      }
    },
  };
}

/**
 * The fault for a cursor that did not come from the list, for any reason. `pointer` is its position in a request's body
 * (RFC 6901).
 */
export const badCursor = (options: { readonly cause?: unknown; readonly pointer?: string } = {}): Fault =>
  new Fault(
    'request.malformed',
    'the `cursor` is not one that this list gave: send `next_cursor` of the page before, or leave it out',
    options,
  );
