// SPDX-License-Identifier: Apache-2.0
import type {
  ChangeMemberRequest,
  CreateInvitationRequest,
  Invitation,
  Member,
  NewInvitation,
  OffboardMemberAnswer,
} from '@writ/client/web';
import { useChange, usePaged, type Paged } from './paged.ts';

const MEMBERS = 'members';
const INVITATIONS = 'invitations';

/** People who signed in, and service accounts. */
export const useMembers = (): Paged<Member> =>
  usePaged([MEMBERS], (api, query, options) => api.members.list(query, options));

export const useInvitations = (): Paged<Invitation> =>
  usePaged([INVITATIONS], (api, query, options) => api.invitations.list(query, options));

export interface MemberChanges {
  readonly change: (memberId: string, changes: ChangeMemberRequest) => Promise<Member>;
  readonly offboard: (memberId: string, reason: string) => Promise<OffboardMemberAnswer>;
  readonly createServiceAccount: (name: string) => Promise<Member>;
  /** The answer has the link, which is shown once. */
  readonly invite: (invitation: CreateInvitationRequest) => Promise<NewInvitation>;
  readonly revokeInvitation: (invitationId: string) => Promise<Invitation>;
}

export function useMemberChanges(): MemberChanges {
  const change = useChange();
  return {
    change: async (id, changes) => await change([MEMBERS], (api) => api.members.change(id, changes)),
    offboard: async (id, reason) => await change([MEMBERS, 'api-keys'], (api) => api.members.offboard(id, { reason })),
    createServiceAccount: async (name) => await change([MEMBERS], (api) => api.members.createServiceAccount({ name })),
    invite: async (invitation) => await change([INVITATIONS], (api) => api.invitations.create(invitation)),
    revokeInvitation: async (id) => await change([INVITATIONS], (api) => api.invitations.revoke(id)),
  };
}
