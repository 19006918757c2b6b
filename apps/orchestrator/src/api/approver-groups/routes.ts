// SPDX-License-Identifier: Apache-2.0
import { ApproverGroupDescription, ApproverGroupMembers, ApproverGroupName, ApproverGroupView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { ApproverGroupList } from './views.ts';

const READER_ROLES = ['admin', 'operator', 'auditor'] as const;
const shared = { tag: 'approvals', path: '/v1/approver-groups' } as const;
const one = { tag: 'approvals', path: '/v1/approver-groups/{group}', params: { group: 'approverGroup' } } as const;

/** Approver groups: persons for whom policies reserve approvals. */
export const APPROVER_GROUPS = {
  list: route({
    ...shared,
    id: 'listApproverGroups',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the approver groups with their members, by name',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of groups', schema: ApproverGroupList } },
  }),
  read: route({
    ...one,
    id: 'readApproverGroup',
    tagged: 'view',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Shows one approver group',
    answers: { 200: { description: 'The group', schema: ApproverGroupView } },
  }),
  put: route({
    ...shared,
    id: 'putApproverGroup',
    tagged: 'view',
    makes: true,
    method: 'PUT',
    allowed: ['admin'],
    summary: 'Makes or changes an approver group: it has exactly these members afterwards',
    body: Type.Object(
      { name: ApproverGroupName, members: ApproverGroupMembers, description: Type.Optional(ApproverGroupDescription) },
      closed,
    ),
    answers: { 200: { description: 'The group', schema: ApproverGroupView } },
    faults: ['limit.exceeded'],
  }),
  remove: route({
    ...one,
    id: 'removeApproverGroup',
    tagged: 'view',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes an approver group that the policy in force does not name, and that has no budget',
    answers: {
      200: { description: 'The name of the removed group', schema: Type.Object({ removed: Type.String() }, closed) },
    },
    faults: ['conflict', 'policy.unreadable'],
  }),
};
