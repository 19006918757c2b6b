// SPDX-License-Identifier: Apache-2.0
import { ApprovalView, OperationView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../fields.ts';
import { route } from '../route.ts';
import { ApprovalList } from '../views.ts';

const eyes = { tag: 'approvals', allowed: ['admin', 'operator', 'auditor'] } as const;
const decision = {
  tag: 'approvals', allowed: ['admin', 'operator'], params: { approval_id: 'approval' },
  body: Type.Object({ comment: Type.Optional(Type.String({ maxLength: 1000 })) }, closed),
  answers: { 200: { says: 'The operation after the decision', schema: OperationView } },
  faults: ['not_found', 'conflict', 'approval.own_call', 'approval.expired', 'approval.stale'],
} as const;

export const APPROVALS = {
  list: route({
    ...eyes, id: 'listApprovals', method: 'GET', path: '/v1/approvals', summary: 'Lists what was or is to be approved',
    query: Type.Object({ ...paging, state: Type.Optional(Type.Enum(['pending', 'approved', 'denied', 'expired', 'cancelled'])) }, closed),
    answers: { 200: { says: 'A page of approvals', schema: ApprovalList } },
  }),
  read: route({
    ...eyes, id: 'readApproval', method: 'GET', path: '/v1/approvals/{approval_id}', params: { approval_id: 'approval' }, summary: 'Shows what would run',
    answers: { 200: { says: 'The approval', schema: ApprovalView } },
    faults: ['not_found'],
  }),
  approve: route({ ...decision, id: 'approve', method: 'POST', path: '/v1/approvals/{approval_id}/approve', summary: 'Approves; nobody approves their own call' }),
  deny: route({ ...decision, id: 'deny', method: 'POST', path: '/v1/approvals/{approval_id}/deny', summary: 'Denies' }),
};
