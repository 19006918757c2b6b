// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { AutonomyMode } from '../states.ts';
import { Resolution } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** The events that webhooks report: the kinds, and their triggers. Those of calls first, then those of MCP servers. */
export const NOTICES = {
  'approval.pending': 'a call is held for a person',
  'approval.voted': 'one of several who must approve it did',
  'approval.escalated': 'nobody decided for some time: members of further groups may decide now',
  'approval.reminder': 'nobody has decided yet, and it expires soon',
  'approval.approved': 'a person approved it: it was decided again',
  'approval.denied': 'a person denied it',
  'approval.expired': 'nobody decided in time',
  'approval.cancelled': 'the call was cancelled while it was held',
  'approval.superseded': 'a person edited its arguments: it was proposed anew as another call',
  'operation.ambiguous': 'an external effect was started and its outcome is unknown: check it, and resolve it',
  'operation.resolved': 'a person recorded its outcome',
  'mcp_server.tools_new': 'an MCP server lists tools that nobody has decided on',
  'mcp_server.tools_changed':
    'an MCP server describes accepted tools otherwise: they are out of force until somebody decides',
  'mcp_server.tools_gone': 'an MCP server lists accepted tools no more: they are out of force',
  'mcp_server.failing': 'the tools of an MCP server could not be listed; once for each reason in a row',
  'mcp_server.recovered': 'the tools of an MCP server could be listed again',
} as const;
export type NoticeKind = keyof typeof NOTICES;
export const NOTICE_KINDS = Object.keys(NOTICES) as readonly NoticeKind[];

/**
 * An event of a call in ids and digests: never arguments, results, diffs, comments or notes. The receiver reads the
 * rest with its own key.
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

/** How many tools a notice about an MCP server has by their ids. `count` has all. */
export const NOTICE_TOOLS_MAX = 20;

/** An event of an MCP server: never what the server wrote, such as descriptions. */
export const McpServerNoticeData = Type.Object(
  {
    resource_id: idSchema('resource'),
    server: Type.String({ description: 'its registered name' }),
    problem: orNull(Type.String({ description: 'the fault code; null: its tools were listed' })),
    count: Type.Integer({ minimum: 0, description: 'how many tools it is about' }),
    tools: Type.Array(
      Type.Object({ tool_id: Type.String(), digest: orNull(Type.String({ description: 'null: it is gone' })) }, closed),
      { maxItems: NOTICE_TOOLS_MAX, description: 'the first of them, with the digests of the listed definitions' },
    ),
  },
  closed,
);
export type McpServerNoticeData = Static<typeof McpServerNoticeData>;

const heads = {
  notice_id: idSchema('notice'),
  tenant_id: idSchema('tenant'),
  kind: Type.String({ pattern: '^[a-z_]+\\.[a-z_]+$', maxLength: 64 }),
  created_at: Type.Integer({ minimum: 0 }),
};
/** A notice about a call. */
export const CallNotice = Type.Object({ ...heads, ...NoticeData.properties }, closed);
export type CallNotice = Static<typeof CallNotice>;
/** A notice about an MCP server. */
export const McpServerNotice = Type.Object({ ...heads, mcp_server: McpServerNoticeData }, closed);
export type McpServerNotice = Static<typeof McpServerNotice>;

/** A notice as the kernel delivers it. A newer kernel may have kinds that are unknown here. */
export const Notice = Type.Union([CallNotice, McpServerNotice]);
export type Notice = Static<typeof Notice>;

const NOTICES_MAX = 100;

/**
 * orchestrator → kernel: `kernel.notice.take` → NoticesReply. Of all tenants, oldest first; a notice that isn't dropped
 * within half a minute is delivered again.
 */
export const NoticesRequest = Type.Object(
  {
    v: Type.Literal(1),
    limit: Type.Integer({ minimum: 1, maximum: NOTICES_MAX }),
    /** the sender reads notices about MCP servers, too; absent from an older peer: it gets those about calls alone */
    mcp_servers: Type.Optional(Type.Literal(true)),
  },
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
