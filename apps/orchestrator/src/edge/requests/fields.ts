// SPDX-License-Identifier: Apache-2.0
// Parts of schemas that several routes use.
import { LIMITS } from '@writ/contract';
import { Type, type TSchema } from 'typebox';

export const closed = { additionalProperties: false } as const;
export const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
export const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });

/** A name as the kernel accepts it: no characters that need quoting in a terminal or a page. */
export const Name = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$',
  description: 'one to 64 letters, digits, blanks, `.`, `_`, `-`',
});
export const Key = Type.String({ minLength: 1, maxLength: 64 });

/** A state of a workspace: by its id, or by a time at which it was the head. */
export const StateRef = Type.String({
  pattern: '^(snap_[0-9a-f]{64}|\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z)$',
  description: 'a snapshot, or a time such as `2026-01-31T09:30:00Z`, which selects the head at that time',
});

/** A time in RFC 3339 format, in UTC. */
export const Moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z$',
  description: 'such as `2026-01-31T09:30:00Z`',
});

/** One page of a list, newest first. */
export const listOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item),
      next_cursor: orNull(Type.String({ description: 'for `cursor` of the next request; null on the last page' })),
    },
    closed,
  );

/** The two parameters of every list. */
export const paging = {
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 256, description: '`next_cursor` of the page before' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.listRows.max, description: 'rows of a page; default: 50' }),
  ),
};

/** Default rows of a page: what a person reads at once. */
const ROWS = 50;

/** The page that a list's query asks for. */
export function pageOf(query: { readonly cursor?: string; readonly limit?: number }): {
  cursor: string | null;
  limit: number;
} {
  return { cursor: query.cursor ?? null, limit: query.limit ?? ROWS };
}

export const Wait = Type.Optional(
  Type.Integer({ minimum: 0, maximum: LIMITS.waitMs.max, description: 'milliseconds to wait for the end' }),
);
