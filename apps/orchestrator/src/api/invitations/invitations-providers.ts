// SPDX-License-Identifier: Apache-2.0
import type { Provider } from '@nestjs/common';
import { provideBy } from '@writ/nest-kit';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { Authenticator } from '../../edge/access/authenticator.ts';
import { MemberLinks } from '../../edge/access/identity/member-links.ts';
import { MemberSeal } from '../../edge/access/identity/member-seal.ts';
import type { CredentialRecords } from '../../edge/access/oauth/credentials.ts';
import { IdentityHashes, PersonLinks } from '../../edge/access/oauth/person-links.ts';
import { ProtectedResource } from '../../edge/access/oauth/protected-resource.ts';
import { Identities } from '../../store/identities/identities.ts';
import { Invitations } from '../../store/members/invitations.ts';
import { AcceptInvitation } from '../../edge/access/sign-in/accept-invitation.ts';
import { ChangeInvitations } from './change-invitations.ts';

/** Provides what makes, revokes and accepts invitations. */
export const invitationsProviders = (): Provider[] => [
  provideBy(
    ChangeInvitations,
    [KernelClient, Invitations, Identities, IdentityHashes, MemberSeal, ProtectedResource],
    (kernel, invitations, identities, ...[hashes, seal, { url }]) =>
      new ChangeInvitations(kernel, { invitations, identities, hashes, seal, url, now: Date.now }),
  ),
  provideBy(
    AcceptInvitation,
    [KernelClient, Invitations, PersonLinks, MemberLinks, IdentityHashes, Authenticator],
    (kernel, invitations, persons, ...[members, hashes, authenticator]) => {
      const changed: CredentialRecords['changed'] = async (by, change) => {
        await kernel.ask('change.record', { ...by, role: 'admin', agent_id: null }, change);
      };
      return new AcceptInvitation({ invitations, persons, members, hashes, authenticator, records: { changed } });
    },
  ),
];
