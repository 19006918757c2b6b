// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { conditional } from './if-match.ts';
import { Caller, Page } from './operations.ts';
import { DataSubject } from '../tool-call.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** The reason, as a code of the caller: it is shown and hashed, so it must not contain free text. */
export const ErasureReason = Type.String({
  pattern: '^[a-z0-9_.-]{1,64}$',
  description: 'why, as a code of your own, such as `gdpr-art-17`; `retention` where a period was over',
});

/** The session whose content is erased, as calls name it. */
export const ErasedSession = Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' });

/** An erasure, as seen outside of the kernel. */
export const ErasureView = Type.Object(
  {
    erasure_id: idSchema('erasure'),
    selector: Type.Enum(['operation', 'session', 'subject', 'before', 'conversation', 'ended'], {
      description:
        'conversation: the texts of a deleted session, without its calls; ended: calls of which only hashes stay',
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
    records: Count('its records: one per batch'),
    record_id: orNull({ ...idSchema('record'), description: 'the newest of them; null if there was nothing to erase' }),
    requested_by: Type.String({ description: 'an API key, or `kernel` for what a retention period ended' }),
    created_at: Instant,
    finished_at: orNull(Instant),
  },
  closed,
);
export type ErasureView = Static<typeof ErasureView>;

/** The effects that an erasure would have now. */
export const ErasurePlan = Type.Object(
  {
    dry_run: Type.Literal(true),
    operations: Count('calls whose content would be erased'),
    unfinished: Count(
      'calls that have not ended: they prevent the erasure of a call or a session; an erasure by time skips them',
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
      'days after which the full output of a command is deleted; null: after the period of the deployment',
    ),
    payload_mode: Type.Optional(
      Type.Enum(['full', 'hashes'], {
        description:
          'full: contents are kept for `payload_days`; hashes: the content of a call is erased within minutes of its end, for calls from then on. Absent in a request: it stays as it is',
      }),
    ),
    requests_mode: Type.Optional(
      Type.Enum(['full', 'none'], {
        description:
          'full: the list of requests of a call to hosts outside is part of its content; none: only its count and hash stay, in the record. Absent in a request: it stays as it is',
      }),
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
/** As many sessions as a tenant may have. */
const SESSIONS_MAX = 10_000;
/**
 * Sessions of the orchestrator whose texts are erased too; for an erasure by session, also their calls. `alone`: the
 * texts and no call, when a session is deleted. Absent from an older peer.
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
   * → ErasureView; exactly one of the selectors isn't null. For an operation that was erased before, the earlier
   * erasure; for a selector with a running erasure, that one
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
  /** → RetentionView after the change */
  'retention.set': Type.Object({ ...asked, ...conditional, ...Retention.properties }, closed),
} as const;

const ORDERS_MAX = 100;

/** The conversation texts that the kernel orders to be erased. */
export const TextErasureOrder = Type.Object(
  {
    tenant_id: idSchema('tenant'),
    erasure_id: idSchema('erasure'),
    selector: ErasureView.properties.selector,
    session_ids: Type.Array(Type.String()),
    until: Type.Integer({ minimum: 0, description: 'texts of before it, where the selector is `before`' }),
  },
  closed,
);
export type TextErasureOrder = Static<typeof TextErasureOrder>;

/**
 * orchestrator → kernel: `kernel.erasure.orders` → TextErasureOrdersReply. Of all tenants, in no order, each until its
 * texts are erased.
 */
export const TextErasureOrdersRequest = Type.Object(
  { v: Type.Literal(1), limit: Type.Integer({ minimum: 1, maximum: ORDERS_MAX }) },
  closed,
);
export type TextErasureOrdersRequest = Static<typeof TextErasureOrdersRequest>;
export const TextErasureOrdersReply = Type.Object({ orders: Type.Array(TextErasureOrder) }, closed);
export type TextErasureOrdersReply = Static<typeof TextErasureOrdersReply>;

const order = { v: Type.Literal(1), tenant_id: idSchema('tenant'), erasure_id: idSchema('erasure') } as const;

/**
 * orchestrator → kernel: `kernel.erasure.tell` → {}. The texts that will be erased next, once per round: when it is
 * answered, they are recorded. The orchestrator has stored them durably by then.
 */
export const TextsAnnounced = Type.Object(
  {
    ...order,
    round: Type.Integer({ minimum: 1 }),
    session_ids: Type.Array(idSchema('session'), { maxItems: SESSIONS_MAX }),
    run_ids: Type.Array(idSchema('run'), { maxItems: SESSIONS_MAX }),
    /** sessions that stay, and lose their initial conversation */
    fork_ids: Type.Array(idSchema('session'), { maxItems: SESSIONS_MAX }),
  },
  closed,
);
export type TextsAnnounced = Static<typeof TextsAnnounced>;

/** orchestrator → kernel: `kernel.erasure.gone` → ErasureView. All texts of the order are erased. */
export const TextsErased = Type.Object(order, closed);
export type TextsErased = Static<typeof TextsErased>;
