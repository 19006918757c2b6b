// SPDX-License-Identifier: Apache-2.0
import {
  ApprovalDiff,
  DelegationNote,
  DelegationScope,
  DelegationView,
  idSchema,
  LIMITS,
  OperationView,
  PastDecisions,
  Principal,
  SESSION_APPROVAL,
  SessionGrantTerms,
  Sha256Hex,
  VALUE_SCOPES,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { Expand } from '../../edge/expansions/expansions.ts';
import { route } from '../../edge/requests/route.ts';
import { ordered, selection } from './queue-routes.ts';
import { ApprovalList, DelegationList, ExpandableApproval } from './views.ts';

const expands = { operation: { route: 'readOperation', param: 'operation_id' } } as const;
const expand = Expand('operation');

const readRoute = { tag: 'approvals', allowed: ['admin', 'operator', 'auditor'] } as const;
const decision = {
  tag: 'approvals',
  allowed: ['admin', 'operator'],
  params: { approval_id: 'approval' },
  answers: { 200: { description: 'The operation after the decision', schema: OperationView } },
  faults: [
    'not_found',
    'conflict',
    'approval.own_call',
    'approval.voted',
    'approval.not_delegated',
    'approval.not_in_group',
    'approval.expired',
    'approval.stale',
    'approval.previewed_anew',
    'approval.effect_unseen',
  ],
} as const;

const UsedDelegation = Type.Optional({
  ...idSchema('delegation'),
  description: "the delegation that you use; the vote then counts as the delegating person's",
});
const Comment = Type.Optional(Type.String({ maxLength: 1000 }));

export const APPROVALS = {
  list: route({
    ...readRoute,
    id: 'listApprovals',
    method: 'GET',
    path: '/v1/approvals',
    summary: 'Lists approvals, newest first unless another order is asked for',
    query: Type.Object({ ...ordered, ...selection, expand }, closed),
    expands,
    answers: { 200: { description: 'A page of approvals', schema: ApprovalList } },
  }),
  read: route({
    ...readRoute,
    id: 'readApproval',
    method: 'GET',
    path: '/v1/approvals/{approval_id}',
    params: { approval_id: 'approval' },
    tagged: 'view',
    summary: 'Shows the held call, and the effect of its preview',
    query: Type.Object({ expand }, closed),
    expands,
    answers: { 200: { description: 'The approval', schema: ExpandableApproval } },
    faults: ['not_found'],
  }),
  diff: route({
    tag: 'approvals',
    allowed: ['admin', 'operator'],
    id: 'readApprovalDiff',
    method: 'GET',
    path: '/v1/approvals/{approval_id}/diff',
    params: { approval_id: 'approval' },
    summary: 'Shows the staged effect as a diff, which an approval would commit',
    answers: { 200: { description: 'The diff', schema: ApprovalDiff } },
    faults: ['not_found', 'conflict'],
  }),
  alike: route({
    ...readRoute,
    id: 'listAlikeApprovals',
    method: 'GET',
    path: '/v1/approvals/{approval_id}/alike',
    params: { approval_id: 'approval' },
    summary: 'Lists how the last approvals of calls of the same tool and agent ended',
    answers: { 200: { description: 'Past decisions, the newest call first', schema: PastDecisions } },
    faults: ['not_found'],
  }),
  approve: route({
    ...decision,
    id: 'approve',
    method: 'POST',
    path: '/v1/approvals/{approval_id}/approve',
    summary: 'Approves a call; nobody approves their own. Where a quorum is needed, it counts as one vote',
    body: Type.Object(
      {
        comment: Comment,
        scope: Type.Optional(
          Type.Enum(['once', 'session'], {
            description:
              "session: creates a session grant, a child of the call's token under which similar calls of its session run; default: once",
          }),
        ),
        uses: Type.Optional({
          ...SessionGrantTerms.properties.uses,
          description: `for scope session: how many further calls; default: ${SESSION_APPROVAL.uses.default}`,
        }),
        ttl_ms: Type.Optional({
          ...SessionGrantTerms.properties.ttl_ms,
          description: "for scope session: for how many milliseconds; default: the policy's `ttl.session_grant_ms`",
        }),
        delegation_id: UsedDelegation,
        effect_digest: Type.Optional({
          ...Sha256Hex,
          description:
            'for an effect: the `binding.effect_digest` that was shown. Without it only the action is approved; if an effect, or another effect, waits for approval, the request fails',
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
    summary: 'Ends the held call and proposes it again with other arguments; the editor may not approve the new call',
    body: Type.Object(
      {
        args: Type.Record(Type.String(), Type.Unknown(), {
          description: "arguments that match the tool's `parameters`",
        }),
        comment: Comment,
      },
      closed,
    ),
    answers: { 200: { description: 'The new operation', schema: OperationView } },
  }),
  give: route({
    ...decision,
    id: 'giveValue',
    method: 'POST',
    path: '/v1/approvals/{approval_id}/value',
    summary:
      'Supplies the value that a call waits for; nobody supplies one to their own call. No response, record, event or log contains it',
    body: Type.Object(
      {
        value: Type.String({ minLength: 1, maxLength: LIMITS.valueBytes.max, description: 'the value in clear text' }),
        scope: Type.Optional(
          Type.Enum(VALUE_SCOPES, {
            description:
              "once: for one use; session: for this agent in this session, at most twelve hours; stored: as one of the tenant's secrets; default: once",
          }),
        ),
        note: Type.Optional(
          Type.String({
            maxLength: 1000,
            description: 'for a stored value: its description; default: the one that the call suggests',
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
    summary: 'Denies a call; the agent receives the comment',
    body: Type.Object({ comment: Comment, delegation_id: UsedDelegation }, closed),
  }),
};

export const DELEGATIONS = {
  create: route({
    id: 'delegateApproval',
    tag: 'approvals',
    method: 'POST',
    path: '/v1/approvals/delegations',
    allowed: ['admin', 'operator'],
    summary: 'Delegates your right to approve to another person for a time: their decisions count as yours',
    body: Type.Object(
      {
        to: Principal,
        tools: Type.Optional(DelegationScope.properties.tools),
        agent_id: Type.Optional(DelegationScope.properties.agent_id),
        autonomy_mode: Type.Optional({
          ...DelegationScope.properties.autonomy_mode,
          description: 'the highest autonomy mode of calls that it may approve; default: `soft_gate`',
        }),
        note: DelegationNote,
        expires_at: Type.Integer({ minimum: 0, description: 'milliseconds since the epoch; within 30 days' }),
      },
      closed,
    ),
    answers: { 201: { description: 'The delegation', schema: DelegationView } },
    faults: ['not_found'],
  }),
  list: route({
    ...readRoute,
    id: 'listDelegations',
    method: 'GET',
    path: '/v1/approvals/delegations',
    summary: 'Lists who may approve for whom',
    query: Type.Object(
      {
        ...paging,
        standing: Type.Optional(Type.Boolean({ description: '`true`: only delegations that are valid now' })),
      },
      closed,
    ),
    answers: { 200: { description: 'A page of delegations', schema: DelegationList } },
  }),
  revoke: route({
    id: 'revokeDelegation',
    tag: 'approvals',
    method: 'DELETE',
    path: '/v1/approvals/delegations/{delegation_id}',
    params: { delegation_id: 'delegation' },
    allowed: ['admin', 'operator'],
    summary:
      'Revokes a delegation; its votes no longer count for pending approvals. Allowed for the delegating person and administrators',
    answers: { 200: { description: 'The delegation, revoked', schema: DelegationView } },
    faults: ['not_found'],
  }),
};
