// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import {
  MemberFilter,
  MemberList,
  MemberPatch,
  MemberView,
  NewIdentity,
  NewServiceAccount,
  OffboardBody,
  OffboardedMember,
} from './views.ts';

const shared = { tag: 'members', allowed: ['admin'] } as const;
const params = { member_id: 'member' } as const;

export const MEMBERS = {
  list: route({
    ...shared,
    id: 'listMembers',
    method: 'GET',
    path: '/v1/members',
    allowed: ['admin', 'auditor'],
    summary: 'Lists people who signed in, and service accounts',
    query: Type.Object({ ...paging, ...MemberFilter }, closed),
    answers: { 200: { description: 'A page of members, newest first', schema: MemberList } },
  }),
  create: route({
    ...shared,
    id: 'createServiceAccount',
    method: 'POST',
    path: '/v1/members',
    summary: 'Makes a service account, which keys can name and which decides about no call',
    body: NewServiceAccount,
    answers: { 201: { description: 'The service account', schema: MemberView } },
    faults: ['conflict', 'limit.exceeded'],
  }),
  read: route({
    ...shared,
    id: 'readMember',
    method: 'GET',
    path: '/v1/members/{member_id}',
    params,
    allowed: ['admin', 'auditor'],
    summary: 'Reads a member',
    answers: { 200: { description: 'The member', schema: MemberView } },
    faults: ['not_found'],
  }),
  change: route({
    ...shared,
    id: 'changeMember',
    method: 'PATCH',
    path: '/v1/members/{member_id}',
    params,
    summary:
      'Gives a member a role of its own, or suspends it: its sessions, tokens and keys are refused within a second',
    body: MemberPatch,
    answers: { 200: { description: 'The member', schema: MemberView } },
    faults: ['not_found', 'conflict'],
  }),
  link: route({
    ...shared,
    id: 'linkIdentity',
    method: 'POST',
    path: '/v1/members/{member_id}/identities',
    params,
    summary: 'Links a subject of another identity provider to a person, who then signs in there too',
    body: NewIdentity,
    answers: { 200: { description: 'The member', schema: MemberView } },
    faults: ['not_found', 'conflict'],
  }),
  offboard: route({
    ...shared,
    id: 'offboardMember',
    method: 'POST',
    path: '/v1/members/{member_id}/offboard',
    params,
    summary: 'Ends for good all that a member holds, lent or approved: at once, and within a minute what is left',
    body: OffboardBody,
    answers: { 200: { description: 'The member, and what this request ended', schema: OffboardedMember } },
    faults: ['not_found', 'conflict'],
  }),
};
