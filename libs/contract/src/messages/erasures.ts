// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { Caller, Page } from './operations.ts';
import { DataSubject } from '../tool-call.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** Why, by a word of the caller's own: it is shown and digested, so it is no place for free text. */
export const ErasureReason = Type.String({ pattern: '^[a-z0-9_.-]{1,64}$', description: 'why, as a code of your own, such as `gdpr-art-17`; `retention` where a period was over' });

/** Whose content is erased: a session that calls name. */
export const ErasedSession = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });

/** An erasure as everybody outside the kernel sees it. */
export const ErasureView = Type.Object({
  erasure_id: idSchema('erasure'),
  selector: Type.Enum(['operation', 'session', 'subject', 'before']),
  operation_id: orNull(idSchema('operation')),
  session_id: orNull(Type.String()),
  subject: orNull(Type.String({ description: 'the `data_subject` of its calls, or the agent of those that named none' })),
  before: orNull({ ...Instant, description: 'calls made before it, in milliseconds since the epoch' }),
  reason_code: Type.String(),
  state: Type.Enum(['running', 'done'], { description: 'running: the rest goes batch by batch, whatever dies meanwhile' }),
  operations: Count('calls whose content it has erased so far'),
  unfinished: Count('calls that it passed over, because they had not ended'),
  records: Count('records that tell of it: one a batch'),
  record_id: orNull({ ...idSchema('record'), description: 'the newest of them; null where nothing was left to erase' }),
  requested_by: Type.String({ description: 'an API key, or `kernel` for what a retention period ended' }),
  created_at: Instant,
  finished_at: orNull(Instant),
}, closed);
export type ErasureView = Static<typeof ErasureView>;

/** What an erasure would do now. */
export const ErasurePlan = Type.Object({
  dry_run: Type.Literal(true),
  operations: Count('calls whose content would be erased'),
  unfinished: Count('calls that have not ended: they stand in the way of an erasure of a call or a session, and are passed over by one of all before a moment'),
  more: Type.Boolean({ description: 'there are more than were counted' }),
}, closed);
export type ErasurePlan = Static<typeof ErasurePlan>;

const Days = (maximum: number, description: string) => orNull(Type.Integer({ minimum: 1, maximum, description }));

/** How long a tenant keeps contents. */
export const Retention = Type.Object({
  payload_days: Days(3650, 'days after which the content of a call is erased; null: it is kept'),
  output_days: Days(365, 'days for which the whole output of a command is kept at most; null: as long as the deployment keeps it'),
}, closed);
export type Retention = Static<typeof Retention>;

export const RetentionView = Type.Object({
  ...Retention.properties,
  changed_at: orNull(Instant),
}, closed);
export type RetentionView = Static<typeof RetentionView>;

const selectors = { operation_id: orNull(Type.String({ minLength: 1, maxLength: 64 })), session_id: orNull(ErasedSession), subject: Type.Optional(orNull(DataSubject)), before: orNull(Instant) };

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const ERASURE_REQUESTS = {
  /** → ErasureView; exactly one of the selectors isn't null. Of an operation that was erased before, the erasure that did it; of one that runs, that one */
  'erasure.begin': Type.Object({ ...asked, ...selectors, reason_code: ErasureReason }, closed),
  /** → ErasurePlan; changes nothing */
  'erasure.plan': Type.Object({ ...asked, ...selectors }, closed),
  /** → ErasureView */
  'erasure.read': Type.Object({ ...asked, erasure_id: Type.String({ minLength: 1, maxLength: 64 }) }, closed),
  /** → {items: ErasureView[], next_cursor}; newest first */
  'erasure.list': Type.Object({ ...asked, page: Page }, closed),
  /** → RetentionView */
  'retention.read': Type.Object({ ...asked }, closed),
  /** → RetentionView as it is then */
  'retention.set': Type.Object({ ...asked, ...Retention.properties }, closed),
} as const;
