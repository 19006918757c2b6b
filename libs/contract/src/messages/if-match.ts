// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';

/** Longest tag that is compared. A longer one is none of Writ's. */
const TAG_CHARS_MAX = 128;

/** Most tags of one condition: a client has read one state, or a few. */
export const IF_MATCH_MAX = 8;

/** Among the tags of a condition: any state, as long as there is one (`If-Match: *`). It is no tag of Writ's. */
export const ANY_STATE = '*';

/**
 * The condition of a change: it is made if the tag of the present state is among these, else it is
 * `precondition.failed`. The comparison and the change are one transaction. It MUST NOT be sent by `withAddedMembers`:
 * a server of the version before would make the change without it.
 */
export const conditional = {
  if_match: Type.Optional(
    Type.Array(Type.String({ maxLength: TAG_CHARS_MAX }), { minItems: 1, maxItems: IF_MATCH_MAX }),
  ),
} as const;

/** The condition of a change of one file. */
export const fileConditional = {
  ...conditional,
  /** it is made if nothing is at the path yet */
  if_absent: Type.Optional(Type.Literal(true)),
} as const;
