// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { AutonomyMode } from '../states.ts';
import { Resolution } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** What somebody may want to be told of, though nobody waits for it: the kind, and when it is told. */
export const NOTICES = {
  'approval.pending': 'a call is held for a person',
  'approval.voted': 'one of several who must approve it did',
  'approval.approved': 'a person approved it: it was decided anew',
  'approval.denied': 'a person denied it',
  'approval.expired': 'nobody decided in time',
  'approval.cancelled': 'the call was cancelled while it was held',
  'approval.superseded': 'a person edited its arguments: it was proposed anew as another call',
  'operation.ambiguous': 'an effect outside was started and its outcome is unknown: look, and resolve it',
  'operation.resolved': 'somebody said what had become of it',
} as const;
export type NoticeKind = keyof typeof NOTICES;
export const NOTICE_KINDS = Object.keys(NOTICES) as readonly NoticeKind[];

/**
 * What happened, in ids and digests: never arguments, results, diffs, comments or notes. Who is told asks for the rest
 * with a key of their own.
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

/** A notice as the kernel hands it out. A newer kernel may know kinds that are unknown here. */
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
 * orchestrator → kernel: `kernel.notice.take` → NoticesTaken. Of all tenants, oldest first; what isn't dropped within
 * half a minute is handed out again.
 */
export const NoticeTake = Type.Object(
  { v: Type.Literal(1), limit: Type.Integer({ minimum: 1, maximum: NOTICES_MAX }) },
  closed,
);
export type NoticeTake = Static<typeof NoticeTake>;
export const NoticesTaken = Type.Object({ notices: Type.Array(Notice) }, closed);
export type NoticesTaken = Static<typeof NoticesTaken>;

/** orchestrator → kernel: `kernel.notice.drop` → {}. The asker keeps them durably by now. */
export const NoticeDrop = Type.Object(
  { v: Type.Literal(1), notice_ids: Type.Array(idSchema('notice'), { minItems: 1, maxItems: NOTICES_MAX }) },
  closed,
);
export type NoticeDrop = Static<typeof NoticeDrop>;
