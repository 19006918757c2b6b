// SPDX-License-Identifier: Apache-2.0
// The queue of calls that wait for people: filters, orders, brief rows, and groups of alike calls.
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { AutonomyMode } from '../states.ts';
import { ApproverDemandView } from './approver-demands.ts';
import { ApproverGroupName } from './approver-groups.ts';
import { ApprovalView, Caller, Page, PreviewView, VoteCount } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });
const Score = Type.Number({ minimum: 0, maximum: 1 });
const asked = { v: Type.Literal(1), caller: Caller } as const;

/** Orders of approvals. `expires` and `risk` are of those that wait alone: only these have indexes. */
export const APPROVAL_ORDERS = ['newest', 'oldest', 'expires', 'risk'] as const;
export type ApprovalOrder = (typeof APPROVAL_ORDERS)[number];
export const APPROVAL_GROUP_ORDERS = ['count', 'expires'] as const;

/** Groups in one answer: more than anybody looks through. */
export const APPROVAL_GROUPS_MAX = 200;
/** Waiting calls that one request for groups counts: the oldest ones. It bounds what the request costs. */
export const APPROVALS_COUNTED_MAX = 20_000;

/** Names what makes calls alike. */
export const AlikeKey = Type.String({
  pattern: '^[0-9a-f]{32}$',
  description: 'the calls of one tool, agent and autonomy mode that were held for the same reasons have the same',
});

/** A filter for approvals: all given conditions must hold. Omitted ones don't apply. */
export const ApprovalFilter = Type.Partial(
  Type.Object({
    tool_id: Type.String({
      pattern: '^([A-Za-z0-9._-]{1,128}|[A-Za-z0-9._-]{0,127}\\*)$',
      description: 'the tool; with a `*` at its end, all whose names begin so',
    }),
    agent_id: idSchema('agent'),
    session_id: Type.String({ pattern: '^[A-Za-z0-9._:/-]{1,128}$' }),
    autonomy_mode: Type.Enum(['soft_gate', 'escalated'], { description: 'the supervision that they need' }),
    group: { ...ApproverGroupName, description: 'approver group that may decide' },
    person_id: { ...idSchema('person'), description: 'on whose behalf the call is made' },
    risk_min: Score,
    since: Instant,
    /** not within */
    until: Instant,
    /** not within */
    expires_before: Instant,
    alike: AlikeKey,
  }),
  closed,
);
export type ApprovalFilter = Static<typeof ApprovalFilter>;

/** An approval without what is sealed, and without long texts: a row of a queue. */
export const ApprovalBrief = Type.Object(
  {
    approval_id: idSchema('approval'),
    operation_id: idSchema('operation'),
    tool_id: Type.String(),
    agent_id: idSchema('agent'),
    session_id: orNull(Type.String()),
    workspace_id: orNull(Type.String()),
    person_id: orNull(Type.String({ description: 'pseudonym of the person on whose behalf the call is made' })),
    autonomy_mode: AutonomyMode,
    of: ApprovalView.properties.of,
    state: ApprovalView.properties.state,
    risk_score: Score,
    reason_codes: Type.Array(Type.String(), {
      description:
        'codes of the reasons why it is held, such as ids of rules, the deciding one first; the approval has the texts',
    }),
    preview: PreviewView.properties.state,
    votes: VoteCount,
    groups: Type.Optional(
      Type.Array(ApproverDemandView, { description: 'the groups that the policy reserves it for; absent: none' }),
    ),
    escalated_to: ApprovalView.properties.escalated_to,
    escalates_at: ApprovalView.properties.escalates_at,
    alike: AlikeKey,
    created_at: Instant,
    expires_at: Instant,
    decided_at: orNull(Instant),
  },
  closed,
);
export type ApprovalBrief = Static<typeof ApprovalBrief>;

/** Waiting calls that are alike. */
export const ApprovalGroup = Type.Object(
  {
    alike: AlikeKey,
    tool_id: Type.String(),
    agent_id: idSchema('agent'),
    autonomy_mode: AutonomyMode,
    reason_codes: Type.Array(Type.String(), {
      description: 'codes of the reasons why they are held, the deciding one first',
    }),
    count: Type.Integer({ minimum: 1, description: 'how many wait' }),
    created_at: { ...Instant, description: 'when the oldest one was held, in milliseconds since the epoch' },
    expires_at: { ...Instant, description: 'when the first one expires, in milliseconds since the epoch' },
    risk_score: { ...Score, description: 'the highest one' },
  },
  closed,
);
export type ApprovalGroup = Static<typeof ApprovalGroup>;

export const ApprovalGroups = Type.Object(
  {
    items: Type.Array(ApprovalGroup, { maxItems: APPROVAL_GROUPS_MAX }),
    waiting: Type.Integer({ minimum: 0, description: 'calls that were counted, in all groups' }),
    groups: Type.Integer({
      minimum: 0,
      description: `their groups, of which the first ${APPROVAL_GROUPS_MAX} are shown`,
    }),
    complete: Type.Boolean({
      description: `false: more calls wait, and the ${APPROVALS_COUNTED_MAX} that wait the longest were counted`,
    }),
  },
  closed,
);
export type ApprovalGroups = Static<typeof ApprovalGroups>;

const Mine = Type.Optional(Type.Literal(true));
/** What selects approvals; a kernel of the version before refuses `filter` and `order`. */
const selection = { mine: Mine, filter: Type.Optional(ApprovalFilter) } as const;
const listed = {
  ...asked,
  ...selection,
  page: Page,
  state: orNull(Type.String()),
  order: Type.Optional(Type.Enum(APPROVAL_ORDERS)),
} as const;

/** orchestrator → kernel, as rows of KERNEL_REQUESTS. */
export const APPROVAL_QUEUE_REQUESTS = {
  /** → {items: ApprovalView[], next_cursor}. `mine`: those alone that the caller may decide now by an own right */
  'approval.list': Type.Object(listed, closed),
  /** → {items: ApprovalBrief[], next_cursor}, selected and ordered as `approval.list` does */
  'approval.brief': Type.Object(listed, closed),
  /** → ApprovalGroups of those that wait */
  'approval.groups': Type.Object({ ...asked, ...selection, order: Type.Enum(APPROVAL_GROUP_ORDERS) }, closed),
} as const;
