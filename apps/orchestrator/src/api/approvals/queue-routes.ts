// SPDX-License-Identifier: Apache-2.0
import {
  APPROVAL_GROUP_ORDERS,
  APPROVAL_ORDERS,
  ApprovalFilter,
  ApprovalGroups,
  type ApprovalOrder,
} from '@writ/contract';
import { Type } from 'typebox';
import { instantOf, requireRange } from '../../edge/requests/moments.ts';
import { closed, Moment, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { ApprovalBriefList } from './views.ts';

const { tool_id, agent_id, session_id, autonomy_mode, group, person_id, risk_min, alike } = ApprovalFilter.properties;
const readRoute = { tag: 'approvals', method: 'GET', allowed: ['admin', 'operator', 'auditor'] } as const;

/** What selects approvals in every list of them. */
export const selection = {
  mine: Type.Optional(
    Type.Boolean({
      description: '`true`: only those that you may decide now: of your role and groups, and not of your own calls',
    }),
  ),
  tool_id,
  agent_id,
  session_id,
  autonomy_mode,
  group,
  person_id,
  risk_min,
  since: Type.Optional({ ...Moment, description: 'held then or later, such as `2026-01-31T09:30:00Z`' }),
  until: Type.Optional({ ...Moment, description: 'held before' }),
  expires_before: Type.Optional({ ...Moment, description: 'those that expire before' }),
  alike: Type.Optional({ ...alike, description: 'the key of a group of alike calls' }),
} as const;

/** The pages of an ordered list. */
export const ordered = {
  ...paging,
  state: Type.Optional(Type.Enum(['pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded'])),
  order: Type.Optional(
    Type.Enum(APPROVAL_ORDERS, {
      description:
        'by the time when they were held, or of those that are pending by their end or their risk; default: `newest`. A cursor is of one order and its filters',
    }),
  ),
} as const;

export const APPROVAL_QUEUE = {
  list: route({
    ...readRoute,
    id: 'listBriefApprovals',
    path: '/v1/approvals/brief',
    summary: 'Lists approvals without arguments, effects and texts, for a queue of many',
    query: Type.Object({ ...ordered, ...selection }, closed),
    answers: { 200: { description: 'A page of approvals, in brief', schema: ApprovalBriefList } },
  }),
  groups: route({
    ...readRoute,
    id: 'groupApprovals',
    path: '/v1/approvals/groups',
    summary: 'Counts pending approvals of alike calls: of one tool, agent and autonomy mode, held for the same reasons',
    query: Type.Object(
      {
        ...selection,
        order: Type.Optional(
          Type.Enum(APPROVAL_GROUP_ORDERS, {
            description: 'the largest groups first, or those of which a call expires first; default: `count`',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { description: 'The groups', schema: ApprovalGroups } },
  }),
};

type Filter = Omit<ApprovalFilter, 'since' | 'until' | 'expires_before'>;
/** A query with the parameters of `selection`, and maybe others. */
type SelectionQuery = Filter & {
  readonly mine?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly expires_before?: string;
};

/** What the kernel selects by, with what is asked for alone. @throws Fault `request.malformed` */
export function selectionOf(query: SelectionQuery): { mine?: true; filter?: ApprovalFilter } {
  const [since, until] = [instantOf('since', query.since), instantOf('until', query.until)];
  requireRange(since, until);
  const all = { ...query, since, until, expires_before: instantOf('expires_before', query.expires_before) };
  const given = (Object.keys(ApprovalFilter.properties) as (keyof ApprovalFilter)[]).filter(
    (name) => all[name] !== undefined,
  );
  return {
    ...(query.mine === true ? { mine: true as const } : {}),
    ...(given.length === 0 ? {} : { filter: Object.fromEntries(given.map((name) => [name, all[name]])) }),
  };
}

/** The order where one is asked for. */
export const orderOf = ({ order }: { readonly order?: ApprovalOrder }): { order?: ApprovalOrder } =>
  order === undefined ? {} : { order };
