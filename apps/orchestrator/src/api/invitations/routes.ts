// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { InvitationBody, InvitationList, InvitationView, NewInvitationView } from './views.ts';

const shared = { tag: 'invitations', allowed: ['admin'] } as const;
const params = { invitation_id: 'invitation' } as const;

export const INVITATIONS = {
  list: route({
    ...shared,
    id: 'listInvitations',
    method: 'GET',
    path: '/v1/invitations',
    allowed: ['admin', 'auditor'],
    summary: 'Lists invitations, those that were over within a month too',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of invitations, newest first', schema: InvitationList } },
  }),
  create: route({
    ...shared,
    id: 'createInvitation',
    method: 'POST',
    path: '/v1/invitations',
    summary: 'Invites a person, who becomes a member with the role by signing in with the link',
    body: InvitationBody,
    answers: { 201: { description: 'The invitation, with its link', schema: NewInvitationView } },
    faults: ['conflict', 'limit.exceeded'],
  }),
  read: route({
    ...shared,
    id: 'readInvitation',
    method: 'GET',
    path: '/v1/invitations/{invitation_id}',
    params,
    allowed: ['admin', 'auditor'],
    summary: 'Reads an invitation',
    answers: { 200: { description: 'The invitation', schema: InvitationView } },
    faults: ['not_found'],
  }),
  revoke: route({
    ...shared,
    id: 'revokeInvitation',
    method: 'DELETE',
    path: '/v1/invitations/{invitation_id}',
    params,
    summary: 'Revokes an invitation: its link is good for nothing from then on',
    answers: { 200: { description: 'The invitation', schema: InvitationView } },
    faults: ['not_found'],
  }),
};
