// SPDX-License-Identifier: Apache-2.0
import { invitationsContract } from '../store/members/invitations.contract.ts';
import { FakeApiKeys } from './fake-api-keys.ts';
import { FakeIdentities } from './fake-identities.ts';
import { FakeInvitations } from './fake-invitations.ts';
import { FakeMembers, FakeOffboardings } from './fake-members.ts';

describe('the fake store of invitations', () =>
  invitationsContract(() => {
    const keys = new FakeApiKeys();
    const identities = new FakeIdentities(keys);
    const members = new FakeMembers(keys, identities);
    const offboardings = new FakeOffboardings(members, keys);
    return { keys, identities, members, offboardings, invitations: new FakeInvitations(members, keys, identities) };
  }));
