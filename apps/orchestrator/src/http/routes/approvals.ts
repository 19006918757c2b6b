// SPDX-License-Identifier: Apache-2.0
import { ApprovalDiff, ApprovalView, OperationView, SESSION_APPROVAL, SessionAsk, Sha256Hex } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../fields.ts';
import { route } from '../route.ts';
import { ApprovalList } from '../views.ts';

const eyes = { tag: 'approvals', allowed: ['admin', 'operator', 'auditor'] } as const;
const decision = {
  tag: 'approvals', allowed: ['admin', 'operator'], params: { approval_id: 'approval' },
  answers: { 200: { says: 'The operation after the decision', schema: OperationView } },
  faults: ['not_found', 'conflict', 'approval.own_call', 'approval.expired', 'approval.stale', 'approval.previewed_anew'],
} as const;

const Comment = Type.Optional(Type.String({ maxLength: 1000 }));

export const APPROVALS = {
  list: route({
    ...eyes, id: 'listApprovals', method: 'GET', path: '/v1/approvals', summary: 'Lists what was or is to be approved',
    query: Type.Object({ ...paging, state: Type.Optional(Type.Enum(['pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded'])) }, closed),
    answers: { 200: { says: 'A page of approvals', schema: ApprovalList } },
  }),
  read: route({
    ...eyes, id: 'readApproval', method: 'GET', path: '/v1/approvals/{approval_id}', params: { approval_id: 'approval' }, summary: 'Shows what would run, and what a preview of it did',
    answers: { 200: { says: 'The approval', schema: ApprovalView } },
    faults: ['not_found'],
  }),
  diff: route({
    tag: 'approvals', allowed: ['admin', 'operator'], id: 'readApprovalDiff', method: 'GET', path: '/v1/approvals/{approval_id}/diff', params: { approval_id: 'approval' },
    summary: 'Shows the staged effect as a diff: what a yes commits',
    answers: { 200: { says: 'The diff', schema: ApprovalDiff } },
    faults: ['not_found', 'conflict'],
  }),
  approve: route({
    ...decision, id: 'approve', method: 'POST', path: '/v1/approvals/{approval_id}/approve', summary: 'Approves; nobody approves their own call',
    body: Type.Object({
      comment: Comment,
      scope: Type.Optional(Type.Enum(['once', 'session'], { description: 'session: a child of the call\'s token is made, and calls of its session that are like it run under that. once unless said' })),
      uses: Type.Optional({ ...SessionAsk.properties.uses, description: `of a session: how many calls more; ${SESSION_APPROVAL.uses.default} unless said` }),
      ttl_ms: Type.Optional({ ...SessionAsk.properties.ttl_ms, description: `of a session: for how many milliseconds; ${SESSION_APPROVAL.ttlMs.default} unless said` }),
      effect_digest: Type.Optional({ ...Sha256Hex, description: 'the effect that was seen: with another one staged nothing is approved. Needed once an effect was shown anew' }),
    }, closed),
  }),
  edit: route({
    ...decision, id: 'editApproval', method: 'POST', path: '/v1/approvals/{approval_id}/edit',
    summary: 'Ends the held call and proposes it anew with other arguments; where that one needs a person, it is another than who edited',
    body: Type.Object({ args: Type.Record(Type.String(), Type.Unknown(), { description: 'as the tool\'s `parameters` say' }), comment: Comment }, closed),
    answers: { 200: { says: 'The new operation', schema: OperationView } },
  }),
  deny: route({ ...decision, id: 'deny', method: 'POST', path: '/v1/approvals/{approval_id}/deny', summary: 'Denies; the agent is told the comment', body: Type.Object({ comment: Comment }, closed) }),
};
