// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { RECORD_KINDS } from '../record.ts';
import { TxOutcome, VerdictName } from '../states.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const Score = Type.Number({ minimum: 0, maximum: 1 });
const Instant = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'milliseconds since the epoch',
});

/** A filter for records: all given conditions must hold. Omitted ones don't apply. */
export const RecordFilter = Type.Partial(
  Type.Object({
    agent_id: idSchema('agent'),
    tool_id: Type.String({ minLength: 1, maxLength: 128 }),
    session_id: Type.String({ minLength: 1, maxLength: 128 }),
    operation_id: idSchema('operation'),
    type: Type.Enum(RECORD_KINDS),
    verdict: VerdictName,
    outcome: TxOutcome,
    risk_min: Score,
    risk_max: Score,
    since: Instant,
    /** not within */
    until: Instant,
    /** an id that the record is about; with `*` at its end, all with that beginning */
    resource: Type.String({ minLength: 1, maxLength: 128 }),
    /**
     * words that must all be among those of rule ids, fault code, risk basis and the change's verb; a joined term such
     * as `policy.denied` must occur as a whole
     */
    text: Type.String({ minLength: 1, maxLength: 256 }),
  }),
  closed,
);
export type RecordFilter = Static<typeof RecordFilter>;

export const RECORD_ORDERS = ['newest', 'oldest'] as const;

/**
 * orchestrator → ledger: `ledger.records`, a page of records from the index. Faults: `request.malformed` for a cursor
 * of another query.
 */
export const RecordsRequest = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    filter: RecordFilter,
    order: Type.Enum(RECORD_ORDERS),
    limit: Type.Integer({ minimum: 1, maximum: LIMITS.listRows.max }),
    cursor: orNull(Type.String({ minLength: 1, maxLength: 256 })),
  },
  closed,
);
export type RecordsRequest = Static<typeof RecordsRequest>;

/** A row of the index: `leaf_index` leads to the record, and only the record is signed. */
export const RecordRow = Type.Object(
  {
    leaf_index: Type.Integer({ minimum: 0, description: "its place in the tenant's log" }),
    recorded_at: Type.Integer({ description: 'milliseconds since the epoch' }),
    record_id: Type.String(),
    type: Type.String({ description: "the record's `kind`" }),
    phase: orNull(Type.String()),
    operation_id: orNull(Type.String()),
    agent_id: orNull(Type.String()),
    tool_id: orNull(Type.String()),
    session_id: orNull(Type.String()),
    verdict: orNull(Type.String()),
    outcome: orNull(Type.String()),
    fault_code: orNull(Type.String()),
    risk_score: orNull(Type.Number()),
    is_drawn: Type.Boolean({
      description: 'false for a record of a version that this ledger does not know: what it says is not in the index',
    }),
  },
  closed,
);
export type RecordRow = Static<typeof RecordRow>;

/** A page. All pages together have the records that were indexed when the first was read. */
export const RecordPage = Type.Object(
  {
    items: Type.Array(RecordRow),
    next_cursor: orNull(Type.String({ description: 'for `cursor` of the next request; null on the last page' })),
    indexed_to: Type.Integer({ minimum: 0, description: 'records of the log that the index holds: the first so many' }),
    tree_size: Type.Integer({ minimum: 0, description: 'records of the log, by its newest checkpoint' }),
  },
  closed,
);
export type RecordPage = Static<typeof RecordPage>;

/**
 * orchestrator → ledger: `ledger.record`, the receipt of the record at a position in the log; replies with a `Receipt`.
 * Faults: `not_found` beyond the newest checkpoint.
 */
export const RecordRequest = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), leaf_index: index },
  closed,
);
export type RecordRequest = Static<typeof RecordRequest>;
