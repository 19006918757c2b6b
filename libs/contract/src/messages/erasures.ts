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
export const ErasureReason = Type.String({
  pattern: '^[a-z0-9_.-]{1,64}$',
  description: 'why, as a code of your own, such as `gdpr-art-17`; `retention` where a period was over',
});

/** Whose content is erased: a session that calls name. */
export const ErasedSession = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });

/** An erasure as everybody outside the kernel sees it. */
export const ErasureView = Type.Object(
  {
    erasure_id: idSchema('erasure'),
    selector: Type.Enum(['operation', 'session', 'subject', 'before', 'conversation'], {
      description: 'conversation: what was said in a session that was deleted; no call of it',
    }),
    operation_id: orNull(idSchema('operation')),
    session_id: orNull(Type.String()),
    subject: orNull(
      Type.String({ description: 'the `data_subject` of its calls, or the agent of those that named none' }),
    ),
    before: orNull({ ...Instant, description: 'calls made before it, in milliseconds since the epoch' }),
    reason_code: Type.String(),
    state: Type.Enum(['running', 'done'], {
      description: 'running: the rest goes batch by batch, whatever dies meanwhile',
    }),
    operations: Count('calls whose content it has erased so far'),
    unfinished: Count('calls that it passed over, because they had not ended'),
    sessions: Type.Optional(Count('sessions that are gone with all that was said in them')),
    runs: Type.Optional(Count('runs that are gone of sessions which are there still')),
    records: Count('records that tell of it: one a batch'),
    record_id: orNull({
      ...idSchema('record'),
      description: 'the newest of them; null where nothing was left to erase',
    }),
    requested_by: Type.String({ description: 'an API key, or `kernel` for what a retention period ended' }),
    created_at: Instant,
    finished_at: orNull(Instant),
  },
  closed,
);
export type ErasureView = Static<typeof ErasureView>;

/** What an erasure would do now. */
export const ErasurePlan = Type.Object(
  {
    dry_run: Type.Literal(true),
    operations: Count('calls whose content would be erased'),
    unfinished: Count(
      'calls that have not ended: they stand in the way of an erasure of a call or a session, and are passed over by one of all before a moment',
    ),
    more: Type.Boolean({ description: 'there are more than were counted' }),
    sessions: Type.Optional(Count('sessions that would go with all that was said in them')),
  },
  closed,
);
export type ErasurePlan = Static<typeof ErasurePlan>;

const Days = (maximum: number, description: string) => orNull(Type.Integer({ minimum: 1, maximum, description }));

/** How long a tenant keeps contents. */
export const Retention = Type.Object(
  {
    payload_days: Days(3650, 'days after which the content of a call is erased; null: it is kept'),
    output_days: Days(
      365,
      'days for which the whole output of a command is kept at most; null: as long as the deployment keeps it',
    ),
  },
  closed,
);
export type Retention = Static<typeof Retention>;

export const RetentionView = Type.Object({ ...Retention.properties, changed_at: orNull(Instant) }, closed);
export type RetentionView = Static<typeof RetentionView>;

const selectors = {
  operation_id: orNull(Type.String({ minLength: 1, maxLength: 64 })),
  session_id: orNull(ErasedSession),
  subject: Type.Optional(orNull(DataSubject)),
  before: orNull(Instant),
};
/** As many as a tenant has. */
const SESSIONS_MAX = 10_000;
/**
 * Sessions of the orchestrator whose texts go along; of an erasure by session their calls too. `alone`: the texts and
 * no call, where a session is deleted. Absent where an older peer asks.
 */
const texts = {
  texts: Type.Optional(
    Type.Object(
      { session_ids: Type.Array(idSchema('session'), { maxItems: SESSIONS_MAX }), alone: Type.Boolean() },
      closed,
    ),
  ),
};

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const ERASURE_REQUESTS = {
  /**
   * → ErasureView; exactly one of the selectors isn't null. Of an operation that was erased before, the erasure that
   * did it; of one that runs, that one
   */
  'erasure.begin': Type.Object({ ...asked, ...selectors, ...texts, reason_code: ErasureReason }, closed),
  /** → ErasurePlan; changes nothing */
  'erasure.plan': Type.Object({ ...asked, ...selectors, ...texts }, closed),
  /** → ErasureView */
  'erasure.read': Type.Object({ ...asked, erasure_id: Type.String({ minLength: 1, maxLength: 64 }) }, closed),
  /** → {items: ErasureView[], next_cursor}; newest first */
  'erasure.list': Type.Object({ ...asked, page: Page }, closed),
  /** → RetentionView */
  'retention.read': Type.Object({ ...asked }, closed),
  /** → RetentionView as it is then */
  'retention.set': Type.Object({ ...asked, ...Retention.properties }, closed),
} as const;

const ORDERS_MAX = 100;

/** What the kernel wants gone of what was said. */
export const TextOrder = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    erasure_id: idSchema('erasure'),
    selector: ErasureView.properties.selector,
    session_ids: Type.Array(Type.String()),
    until: Type.Integer({ minimum: 0, description: 'texts of before it, where the selector is `before`' }),
  },
  closed,
);
export type TextOrder = Static<typeof TextOrder>;

/**
 * orchestrator → kernel: `kernel.erasure.orders` → TextOrders. Of all tenants, in no order, each until its texts are
 * gone.
 */
export const TextOrdersTake = Type.Object(
  { v: Type.Literal(1), limit: Type.Integer({ minimum: 1, maximum: ORDERS_MAX }) },
  closed,
);
export type TextOrdersTake = Static<typeof TextOrdersTake>;
export const TextOrders = Type.Object({ orders: Type.Array(TextOrder) }, closed);
export type TextOrders = Static<typeof TextOrders>;

const order = { v: Type.Literal(1), tenant_id: idSchema('tenant'), erasure_id: idSchema('erasure') } as const;

/**
 * orchestrator → kernel: `kernel.erasure.tell` → {}. What is about to go, once a round: when it is answered, that is on
 * the record. The asker keeps it durably by now.
 */
export const TextsTold = Type.Object(
  {
    ...order,
    round: Type.Integer({ minimum: 1 }),
    session_ids: Type.Array(idSchema('session'), { maxItems: SESSIONS_MAX }),
    run_ids: Type.Array(idSchema('run'), { maxItems: SESSIONS_MAX }),
    /** sessions that stay, and lose the conversation that they began with */
    fork_ids: Type.Array(idSchema('session'), { maxItems: SESSIONS_MAX }),
  },
  closed,
);
export type TextsTold = Static<typeof TextsTold>;

/** orchestrator → kernel: `kernel.erasure.gone` → ErasureView. Nothing is left of what it asked for. */
export const TextsGone = Type.Object(order, closed);
export type TextsGone = Static<typeof TextsGone>;
