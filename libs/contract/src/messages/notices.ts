// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { AutonomyMode } from '../states.ts';
import { Resolution } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** The events that webhooks report: the kinds, and their triggers. */
export const NOTICES = {
  'approval.pending': 'a call is held for a person',
  'approval.voted': 'one of several who must approve it did',
  'approval.approved': 'a person approved it: it was decided again',
  'approval.denied': 'a person denied it',
  'approval.expired': 'nobody decided in time',
  'approval.cancelled': 'the call was cancelled while it was held',
  'approval.superseded': 'a person edited its arguments: it was proposed anew as another call',
  'operation.ambiguous': 'an external effect was started and its outcome is unknown: check it, and resolve it',
  'operation.resolved': 'a person recorded its outcome',
} as const;
export type NoticeKind = keyof typeof NOTICES;
export const NOTICE_KINDS = Object.keys(NOTICES) as readonly NoticeKind[];

/**
 * An event in ids and digests: never arguments, results, diffs, comments or notes. The receiver reads the rest with its
 * own key.
 */
export const NoticeData = Type.Object(
  {
    operation_id: idSchema('operation'),
    approval_id: orNull(idSchema('approval')),
    agent_id: idSchema('agent'),
    tool_id: Type.String(),
    workspace_id: orNull(Type.String()),
    session_id: orNull(Type.String()),
    action_digest: orNull(Type.String({ description: 'of an approval: what the decision binds to' })),
    autonomy_mode: AutonomyMode,
    expires_at: orNull(Type.Integer({ description: 'of a pending approval: milliseconds since the epoch' })),
    resolution: orNull(Resolution.properties.outcome),
  },
  closed,
);
export type NoticeData = Static<typeof NoticeData>;

/** A notice as the kernel delivers it. A newer kernel may have kinds that are unknown here. */
export const Notice = Type.Object(
  {
    notice_id: idSchema('notice'),
    tenant_id: idSchema('tenant'),
    kind: Type.String({ pattern: '^[a-z_]+\\.[a-z_]+$', maxLength: 64 }),
    created_at: Type.Integer({ minimum: 0 }),
    ...NoticeData.properties,
  },
  closed,
);
export type Notice = Static<typeof Notice>;

const NOTICES_MAX = 100;

/**
 * orchestrator → kernel: `kernel.notice.take` → NoticesReply. Of all tenants, oldest first; a notice that isn't dropped
 * within half a minute is delivered again.
 */
export const NoticesRequest = Type.Object(
  { v: Type.Literal(1), limit: Type.Integer({ minimum: 1, maximum: NOTICES_MAX }) },
  closed,
);
export type NoticesRequest = Static<typeof NoticesRequest>;
export const NoticesReply = Type.Object({ notices: Type.Array(Notice) }, closed);
export type NoticesReply = Static<typeof NoticesReply>;

/** orchestrator → kernel: `kernel.notice.drop` → {}. The orchestrator has stored them durably by then. */
export const NoticeDrop = Type.Object(
  { v: Type.Literal(1), notice_ids: Type.Array(idSchema('notice'), { minItems: 1, maxItems: NOTICES_MAX }) },
  closed,
);
export type NoticeDrop = Static<typeof NoticeDrop>;
