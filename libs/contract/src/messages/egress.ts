// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { LIMITS } from '../limits.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * One network request of a call, as the egress gate saw it. The list of a call is part of its erasable payload; its
 * count and hash are in the record. `refused`: the gate sent nothing of it. `failed`: it may have been sent in part. A
 * tunnel is `answered` once it was open; its content isn't visible. `unreported`: it was announced, and the executor
 * that could report its result was lost.
 */
export const EgressRequest = Type.Object(
  {
    /** milliseconds from the beginning of the attempt */
    at_ms: Count,
    method: Type.String({ maxLength: 16 }),
    /** a URL, the `host:port` of a tunnel, or the text in place of one; truncated, without control characters */
    target: Type.String({ maxLength: 512 }),
    purpose: Type.String({ maxLength: 256 }),
    outcome: Type.Union([
      Type.Literal('answered'),
      Type.Literal('refused'),
      Type.Literal('failed'),
      Type.Literal('unreported'),
    ]),
    /** why it was refused or failed, in words */
    reason: orNull(Type.String({ maxLength: 256 })),
    /** the address that it was connected to */
    address: orNull(Type.String({ maxLength: 64 })),
    status: orNull(Type.Integer({ minimum: 100, maximum: 999 })),
    sent_bytes: Count,
    received_bytes: Count,
  },
  { additionalProperties: false },
);
export type EgressRequest = Static<typeof EgressRequest>;

/**
 * Current lines of an attempt's list, starting with line `from`, counted from 0. `seq` counts the attempt's
 * announcements: messages may arrive out of order or twice, and for each line the greatest `seq` counts.
 */
export const AnnouncedRequests = Type.Object(
  {
    seq: Count,
    from: Type.Integer({ minimum: 0, maximum: LIMITS.egressRequests.max }),
    items: Type.Array(EgressRequest, { minItems: 1, maxItems: LIMITS.egressRequests.max }),
  },
  { additionalProperties: false },
);
export type AnnouncedRequests = Static<typeof AnnouncedRequests>;

/**
 * One page of a call's network requests: those of the attempt that ended it, after the announced ones of attempts
 * without a report.
 */
export const EgressRequestPage = Type.Object(
  {
    items: Type.Array(EgressRequest),
    next_cursor: orNull(Type.String({ description: 'for `cursor` of the next request; null on the last page' })),
    total: Count,
    hash: orNull(
      Type.String({
        description:
          'hex SHA-256 of the RFC 8785 JSON of the whole list, as the record of the outcome has it; null where there is no list',
      }),
    ),
  },
  { additionalProperties: false },
);
export type EgressRequestPage = Static<typeof EgressRequestPage>;
