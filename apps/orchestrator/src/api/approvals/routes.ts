// SPDX-License-Identifier: Apache-2.0
import {
  ApprovalDiff,
  ApprovalView,
  DelegationNote,
  DelegationScope,
  DelegationView,
  idSchema,
  LIMITS,
  OperationView,
  Principal,
  SESSION_APPROVAL,
  SessionAsk,
  Sha256Hex,
  VALUE_SCOPES,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { ApprovalList, DelegationList } from './views.ts';

const eyes = { tag: 'approvals', allowed: ['admin', 'operator', 'auditor'] } as const;
const decision = {
  tag: 'approvals',
  allowed: ['admin', 'operator'],
  params: { approval_id: 'approval' },
  answers: { 200: { says: 'The operation after the decision', schema: OperationView } },
  faults: [
    'not_found',
    'conflict',
    'approval.own_call',
    'approval.voted',
    'approval.not_delegated',
    'approval.expired',
    'approval.stale',
    'approval.previewed_anew',
    'approval.effect_unseen',
  ],
} as const;

const Delegated = Type.Optional({
  ...idSchema('delegation'),
  description: "the right that is used, where it isn't your own: the vote is that person's",
});
const Comment = Type.Optional(Type.String({ maxLength: 1000 }));

export const APPROVALS = {
  list: route({
    ...eyes,
    id: 'listApprovals',
    method: 'GET',
    path: '/v1/approvals',
    summary: 'Lists what was or is to be approved',
    query: Type.Object(
      {
        ...paging,
        state: Type.Optional(Type.Enum(['pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded'])),
      },
      closed,
    ),
    answers: { 200: { says: 'A page of approvals', schema: ApprovalList } },
  }),
  read: route({
    ...eyes,
    id: 'readApproval',
    method: 'GET',
    path: '/v1/approvals/{approval_id}',
    params: { approval_id: 'approval' },
    summary: 'Shows what would run, and what a preview of it did',
    answers: { 200: { says: 'The approval', schema: ApprovalView } },
    faults: ['not_found'],
  }),
  diff: route({
    tag: 'approvals',
    allowed: ['admin', 'operator'],
    id: 'readApprovalDiff',
    method: 'GET',
    path: '/v1/approvals/{approval_id}/diff',
    params: { approval_id: 'approval' },
    summary: 'Shows the staged effect as a diff: what a yes commits',
    answers: { 200: { says: 'The diff', schema: ApprovalDiff } },
    faults: ['not_found', 'conflict'],
  }),
  approve: route({
    ...decision,
    id: 'approve',
    method: 'POST',
    path: '/v1/approvals/{approval_id}/approve',
    summary: 'Approves; nobody approves their own call. Where several must, it counts as one vote',
    body: Type.Object(
      {
        comment: Comment,
        scope: Type.Optional(
          Type.Enum(['once', 'session'], {
            description:
              "session: a child of the call's token is made, and calls of its session that are like it run under that. once unless said",
          }),
        ),
        uses: Type.Optional({
          ...SessionAsk.properties.uses,
          description: `of a session: how many calls more; ${SESSION_APPROVAL.uses.default} unless said`,
        }),
        ttl_ms: Type.Optional({
          ...SessionAsk.properties.ttl_ms,
          description: `of a session: for how many milliseconds; ${SESSION_APPROVAL.ttlMs.default} unless said`,
        }),
        delegation_id: Delegated,
        effect_digest: Type.Optional({
          ...Sha256Hex,
          description:
            'of an effect: the `binding.effect_digest` that was shown. Without it the yes is for the action alone; where an effect waits, or another one, nothing is approved',
        }),
      },
      closed,
    ),
  }),
  edit: route({
    ...decision,
    id: 'editApproval',
    method: 'POST',
    path: '/v1/approvals/{approval_id}/edit',
    summary:
      'Ends the held call and proposes it anew with other arguments; where that one needs a person, it is another than who edited',
    body: Type.Object(
      {
        args: Type.Record(Type.String(), Type.Unknown(), { description: "as the tool's `parameters` say" }),
        comment: Comment,
      },
      closed,
    ),
    answers: { 200: { says: 'The new operation', schema: OperationView } },
  }),
  give: route({
    ...decision,
    id: 'giveValue',
    method: 'POST',
    path: '/v1/approvals/{approval_id}/value',
    summary:
      'Gives a call the value that it waits for; nobody gives one to their own call. No answer, record, event or log holds it',
    body: Type.Object(
      {
        value: Type.String({ minLength: 1, maxLength: LIMITS.valueBytes.max, description: 'as it is to be used' }),
        scope: Type.Optional(
          Type.Enum(VALUE_SCOPES, {
            description:
              "once: for one use; session: for this agent in this session, twelve hours at most; stored: into the tenant's secrets. once unless said",
          }),
        ),
        note: Type.Optional(
          Type.String({
            maxLength: 1000,
            description: 'of a value that is stored: what to remember it by; else what the call suggests',
          }),
        ),
        comment: Comment,
      },
      closed,
    ),
  }),
  deny: route({
    ...decision,
    id: 'deny',
    method: 'POST',
    path: '/v1/approvals/{approval_id}/deny',
    summary: 'Denies; the agent is told the comment',
    body: Type.Object({ comment: Comment, delegation_id: Delegated }, closed),
  }),
};

export const DELEGATIONS = {
  create: route({
    id: 'delegateApproval',
    tag: 'approvals',
    method: 'POST',
    path: '/v1/approvals/delegations',
    allowed: ['admin', 'operator'],
    summary: 'Lends your right to approve to somebody else for a while: what they decide by it counts as yours',
    body: Type.Object(
      {
        to: Principal,
        tools: Type.Optional(DelegationScope.properties.tools),
        agent_id: Type.Optional(DelegationScope.properties.agent_id),
        autonomy_mode: Type.Optional({
          ...DelegationScope.properties.autonomy_mode,
          description: 'the most supervision that it is good for; `soft_gate` unless said',
        }),
        note: DelegationNote,
        expires_at: Type.Integer({ minimum: 0, description: 'milliseconds since the epoch; within 30 days' }),
      },
      closed,
    ),
    answers: { 201: { says: 'The delegation', schema: DelegationView } },
    faults: ['not_found'],
  }),
  list: route({
    ...eyes,
    id: 'listDelegations',
    method: 'GET',
    path: '/v1/approvals/delegations',
    summary: 'Lists who may approve for whom',
    query: Type.Object(
      { ...paging, standing: Type.Optional(Type.Boolean({ description: '`true`: only what may be used now' })) },
      closed,
    ),
    answers: { 200: { says: 'A page of delegations', schema: DelegationList } },
  }),
  revoke: route({
    id: 'revokeDelegation',
    tag: 'approvals',
    method: 'DELETE',
    path: '/v1/approvals/delegations/{delegation_id}',
    params: { delegation_id: 'delegation' },
    allowed: ['admin', 'operator'],
    summary:
      'Takes it back; its votes count no more where the approval is pending. By who lent it, or an administrator',
    answers: { 200: { says: 'The delegation, revoked', schema: DelegationView } },
    faults: ['not_found'],
  }),
};
